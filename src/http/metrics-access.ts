// Who may read `/metrics`, and where: on the service's own port, or at a separate address.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { REFUSAL_STATUS } from '../contract/refusal-status.ts';
import { refuse, refused, type Refusal } from '../domain/refusals.ts';
import type { Log } from '../platform.ts';
import { answerFailure, type Answer } from './protocol/answer.ts';
import { SERVER_OPTIONS, TIMEOUTS } from './protocol/framing.ts';
import { listenAt } from './protocol/listen.ts';
import type { Metrics } from './metrics/metrics.ts';
import { problemBody, problemHeaders } from './protocol/problems.ts';

export interface MetricsAccess {
  /** Null: anyone who can reach the address may read the metrics. */
  token: string | null;
}

const UNKNOWN = refuse('AUTH_003', 'Missing or wrong metrics token. Send Authorization: Bearer <TOKEN>');

/** The scheme is not case-sensitive (RFC 7235). */
const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

export async function answerMetrics(
  deps: { metrics: Pick<Metrics, 'render'>; metricsAccess: MetricsAccess },
  authorization: string | undefined,
): Promise<Answer> {
  if (!mayRead(deps.metricsAccess, authorization)) return refused(UNKNOWN);
  const { contentType, body } = await deps.metrics.render();
  return { kind: 'ok', status: 200, body, contentType };
}

function mayRead({ token }: MetricsAccess, authorization: string | undefined): boolean {
  if (token === null) return true;
  const given = BEARER.exec(authorization ?? '')?.[1] ?? '';
  // Compare hashes, which have equal length, so that the timing reveals nothing about the token.
  return timingSafeEqual(hash(given), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface MetricsServerDeps {
  metrics: Pick<Metrics, 'render'>;
  metricsAccess: MetricsAccess;
  log: Log;
  newId(): string;
}

export interface MetricsEndpoint {
  /** Null: metrics are not served on the service's own port. */
  accessHere: MetricsAccess | null;
  /** Does nothing unless metrics have a separate address. */
  listen(): Promise<void>;
  close(): void;
}

interface MetricsEndpointDeps extends Omit<MetricsServerDeps, 'metricsAccess'> {
  metricsAddress: { host: string; port: number } | null;
  metricsToken: string | null;
}

/** On the service's own port, or at one separate address for the whole node, independent of its roles. */
export function createMetricsEndpoint(deps: MetricsEndpointDeps): MetricsEndpoint {
  const { metricsAddress, metricsToken: token } = deps;
  if (metricsAddress === null) return { accessHere: { token }, listen: async () => undefined, close: () => undefined };
  const server = createMetricsServer({ ...deps, metricsAccess: { token } });
  return {
    accessHere: null,
    listen: () => listenAt(server, metricsAddress),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Serves `/metrics` and nothing else. */
function createMetricsServer(deps: MetricsServerDeps): Server {
  return createServer({ ...SERVER_OPTIONS, ...TIMEOUTS }, (request, response) => {
    const requestId = deps.newId();
    response.setHeader('x-request-id', requestId);
    void answer(deps, request)
      .catch((error: unknown) => answerFailure(error, { requestId, log: deps.log }))
      .then((given) => send(response, given, requestId));
  });
}

async function answer(deps: MetricsServerDeps, request: IncomingMessage): Promise<Answer> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const path = request.url?.split('?')[0];
  if (!isRead || path !== '/metrics') return refused(refuse('REQ_005'));
  return answerMetrics(deps, request.headers.authorization);
}

function send(response: ServerResponse, given: Answer, requestId: string): void {
  if (given.kind === 'ok') {
    response.writeHead(given.status, { 'content-type': given.contentType ?? 'text/plain' }).end(given.body);
    return;
  }
  const refusal: Refusal = given.refusal;
  response
    .writeHead(REFUSAL_STATUS[refusal.code], {
      ...problemHeaders(refusal),
      'content-type': 'application/json; charset=utf-8',
    })
    .end(problemBody(refusal, requestId));
}
