// What is known about a request while it is being served. Logged in one line when it is done.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { Clock, Log } from '../../platform.ts';
import type { ReadClientAddress } from './client-address.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { readHead, type RequestHead } from './request-head.ts';

export interface RequestContext {
  head: RequestHead;
  /** The address it comes from; behind a trusted proxy, the one that the proxy reports. */
  client: string;
  startedMs: number;
  code: RefusalCode | undefined;
  restaurantId: string | undefined;
  /** The integrator's order id. */
  orderId: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
}

interface Deps {
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'observeRequest'>;
  readClientAddress: ReadClientAddress;
}

export function beginRequest(deps: Deps, request: FastifyRequest, reply: FastifyReply): RequestContext {
  reply.header('x-request-id', request.id);
  const head = readHead(request.raw.rawHeaders);
  const context: RequestContext = {
    head,
    client: deps.readClientAddress(request.raw.socket.remoteAddress, head),
    startedMs: deps.clock.monotonicMs(),
    code: undefined,
    restaurantId: undefined,
    orderId: undefined,
  };
  request.context = context;
  return context;
}

export function endRequest(deps: Deps, request: FastifyRequest, reply: FastifyReply): void {
  const { context } = request;
  const status = reply.statusCode;
  // The route pattern, not the URL as sent, which may contain anything.
  const route = request.routeOptions.url ?? 'none';
  const durationMs = deps.clock.monotonicMs() - context.startedMs;
  deps.metrics.observeRequest({ route, status, durationMs });
  deps.log.info({
    event: 'http.request',
    method: request.method,
    route,
    status,
    code: context.code,
    durationMs: Math.round(durationMs * 1_000) / 1_000,
    requestId: request.id,
    client: context.client,
    restaurantId: context.restaurantId,
    orderId: context.orderId,
    bytes: Number(request.headers['content-length'] ?? 0),
  });
}
