// Receives webhooks as an integrator would: over HTTPS, verifies each signature, reads the body, ignores repeats.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerParent } from './messages.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';

export interface Reception {
  lastAtMs: number;
  duplicates: number;
  /** When each order's webhook had fully arrived; empty unless requested. */
  arrivals: [orderId: string, atMs: number][];
}

export interface Expectation {
  secret: string;
  /** Overrides `secret` by hostname. */
  secrets?: Map<string, string>;
  count: number;
  keepsArrivals: boolean;
}

const ANSWER = '{"received":true}';

let server: Server | undefined;
let secret = '';
let secrets = new Map<string, string>();
let expected = Infinity;
let duplicates = 0;
let invalid = 0;
let lastAtMs = 0;
let keepsArrivals = false;
let seen = new Map<string, number>();
let newest = new Map<string, number>();
let onComplete: (() => void) | undefined;

const commands = {
  async start(certificate: { chainPem: string; privateKeyPem: string }): Promise<number> {
    server = createServer({ cert: certificate.chainPem, key: certificate.privateKeyPem }, receive);
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Closes idle connections, so that the next requests open new ones. */
  hangUp(): void {
    server?.closeIdleConnections();
  },

  /** Resets the state and sets the number of different orders to wait for. */
  expect(next: Expectation): void {
    secret = next.secret;
    secrets = next.secrets ?? new Map();
    expected = next.count;
    keepsArrivals = next.keepsArrivals;
    seen = new Map();
    newest = new Map();
    duplicates = 0;
    invalid = 0;
  },

  async complete(limitMs: number): Promise<Reception> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      onComplete = resolve;
      timer = setTimeout(() => reject(new Error(`only ${seen.size} of ${expected} webhooks arrived`)), limitMs);
      if (seen.size >= expected) resolve();
    }).finally(() => clearTimeout(timer));
    if (invalid > 0) throw new Error(`${invalid} webhooks had an invalid signature`);
    return { lastAtMs, duplicates, arrivals: keepsArrivals ? [...seen] : [] };
  },
};

export type ReceiverCommands = typeof commands;

function receive(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const atMs = monotonicMs();
    // Endpoints of other restaurants on the same host: some never get a response, none are counted.
    if (request.url?.startsWith('/hang/')) return;
    if (request.url?.startsWith('/other/')) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
      return;
    }
    const [first] = chunks;
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    const isValid = isSigned(body, request);
    response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
    if (isValid) note(body, atMs);
    else invalid += 1;
  });
}

function isSigned(body: Buffer, { headers }: IncomingMessage): boolean {
  const signature = headers['x-service-signature'];
  if (typeof signature !== 'string' || signature.length !== 64) return false;
  const host = secrets.size === 0 ? '' : (headers.host ?? '').replace(/:\d+$/, '');
  const computed = createHmac('sha256', secrets.get(host) ?? secret)
    .update(body)
    .digest('hex');
  return timingSafeEqual(Buffer.from(signature), Buffer.from(computed));
}

/** As the contract recommends, an update that is not newer than the order's last one is treated as a repeat. */
function note(body: Buffer, atMs: number): void {
  const update = JSON.parse(body.toString()) as { serviceOrderId: string; timestamp: string };
  const changedAtMs = Date.parse(update.timestamp);
  if (changedAtMs <= (newest.get(update.serviceOrderId) ?? -Infinity)) {
    duplicates += 1;
    return;
  }
  newest.set(update.serviceOrderId, changedAtMs);
  seen.set(update.serviceOrderId, atMs);
  lastAtMs = atMs;
  if (seen.size === expected) onComplete?.();
}

answerParent(commands);
