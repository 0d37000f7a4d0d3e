// The HTTP server: every route, and who may call it.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { RequestAdmission } from '../actions/restaurants/admit-request.ts';
import type { OrderChanger } from '../actions/orders/change-order.ts';
import type { OrderPlacer } from '../actions/orders/place-order.ts';
import { refuse, refused } from '../domain/refusals.ts';
import type { Clock, Log } from '../platform.ts';
import type { Queryable } from '../store/database/database.ts';
import { createReplicationCheck } from '../store/database/replicated.ts';
import type { Vault } from '../secrets/vault.ts';
import { answerFailure, sendAnswer, type Answer } from './protocol/answer.ts';
import { watchConnections } from './protocol/closing.ts';
import { createClientAddressReader, type ReadClientAddress } from './protocol/client-address.ts';
import type { CredentialCache } from './integrator/credential-cache.ts';
import { createCredentialUses } from './integrator/credential-uses.ts';
import { docsRoutes } from './docs.ts';
import { listEvents } from './integrator/events-feed.ts';
import {
  answerClientError,
  checkHead,
  HEADERS_KEPT,
  KEEP_ALIVE_TIMEOUT_MS,
  SERVER_OPTIONS,
  TIMEOUTS,
  type Timeouts,
} from './protocol/framing.ts';
import { createGuessBudget } from './integrator/guess-budget.ts';
import { answerAlive, answerReady, type HealthDeps } from './health.ts';
import { placeOrder } from './integrator/intake.ts';
import { serveIntegrator, type GuardDeps, type GuardedRoute, type IntegratorHandler } from './integrator/guard.ts';
import type { LivePage } from './live/page.ts';
import { answerMetrics, type MetricsAccess } from './metrics-access.ts';
import type { Metrics } from './metrics/metrics.ts';
import { cancelOrder, readOrder } from './integrator/own-orders.ts';
import { servePanel, type PanelRequestShape } from './panel/guard.ts';
import type { PanelFiles } from './panel/static-files.ts';
import type { PanelDeps, PanelRoute } from './panel/route.ts';
import { PANEL_ROUTES } from './panel-routes.ts';
import { beginRequest, endRequest } from './protocol/request-context.ts';

export interface ServerDeps {
  clock: Clock;
  newId(): string;
  log: Log;
  environment: 'live' | 'test';
  config: GuardDeps['config'];
  db: Queryable;
  vault: Pick<Vault, 'credentialHash'>;
  credentials: CredentialCache;
  admission: RequestAdmission;
  placer: OrderPlacer;
  changer: OrderChanger;
  metrics: Metrics;
  /** Null: `/metrics` is served at another address. */
  metricsAccess: MetricsAccess | null;
  livePage?: LivePage;
  panel?: PanelDeps;
  panelFiles?: PanelFiles;
  readiness: HealthDeps['readiness'];
  isStopping(): boolean;
  timeouts?: Timeouts;
  /** Addresses and networks whose forwarded headers are trusted. */
  trustedProxies: readonly string[];
}

type HookDeps = ServerDeps & { readClientAddress: ReadClientAddress };

/** Returns an answer, or sends the reply itself. */
type PublicHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<Answer> | Answer | FastifyReply;

export type Route = { method: PanelRoute['method']; url: string } & (
  | { access: 'integrator'; handler: IntegratorHandler }
  | { access: 'public'; handler: PublicHandler }
  | { access: 'panel'; entry: PanelRoute; panel: PanelDeps }
);

export function listRoutes(deps: ServerDeps): Route[] {
  const order = '/webhook/third-party/order';
  const confirmReplicated = createReplicationCheck(deps.db);
  return [
    { method: 'POST', url: order, access: 'integrator', handler: (call) => placeOrder(deps, call) },
    { method: 'GET', url: `${order}/:orderId`, access: 'integrator', handler: (call) => readOrder(deps, call) },
    {
      method: 'POST',
      url: `${order}/:orderId/cancel`,
      access: 'integrator',
      handler: (call) => cancelOrder(deps, call),
    },
    {
      method: 'GET',
      url: '/webhook/third-party/events',
      access: 'integrator',
      handler: (call) => listEvents({ ...deps, confirmReplicated }, call),
    },
    { method: 'GET', url: '/healthz', access: 'public', handler: answerAlive },
    { method: 'GET', url: '/readyz', access: 'public', handler: () => answerReady(deps) },
    ...listMetricsRoutes(deps),
    ...docsRoutes.map((route) => ({ ...route, access: 'public' as const })),
    ...(deps.livePage?.routes ?? []).map((route) => ({ ...route, access: 'public' as const })),
    ...listPanelRoutes(deps.panel),
    ...(deps.panelFiles?.routes ?? []).map((route) => ({ ...route, access: 'public' as const })),
  ];
}

function listMetricsRoutes({ metrics, metricsAccess }: ServerDeps): Route[] {
  if (metricsAccess === null) return [];
  const handler: PublicHandler = (request) => answerMetrics({ metrics, metricsAccess }, request.headers.authorization);
  return [{ method: 'GET', url: '/metrics', access: 'public', handler }];
}

function listPanelRoutes(panel: PanelDeps | undefined): Route[] {
  if (panel === undefined) return [];
  const { routes = PANEL_ROUTES } = panel;
  return routes.map((entry) => ({ method: entry.method, url: entry.url, access: 'panel', entry, panel }));
}

const USES_INTERVAL_MS = 5_000;
/** 128 characters of four bytes each, percent-encoded. */
const MAX_PARAM_CHARACTERS = 128 * 4 * 3;

export function createServer(given: ServerDeps): FastifyInstance {
  const { log, trustedProxies } = given;
  const deps = { ...given, readClientAddress: createClientAddressReader({ trustedProxies, log }) };
  const timeouts = deps.timeouts ?? TIMEOUTS;
  const app = Fastify({
    http: { ...SERVER_OPTIONS, ...timeouts },
    requestTimeout: timeouts.requestTimeout,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    // While stopping, requests on open connections are still served; no new connections are accepted.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (raw) => readRequestId(raw.headers['x-request-id']) ?? deps.newId(),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, deps.newId()),
    // The URL can't be decoded, so there is no route and no hook runs.
    frameworkErrors: (_error, request, reply) => {
      beginRequest(deps, request, reply);
      sendAnswer(request, reply, refused(refuse('REQ_001', 'The path is invalid')));
      endRequest(deps, request, reply);
    },
  });
  app.server.maxHeadersCount = HEADERS_KEPT;
  // Without this listener Node answers an unknown Expect header itself, with an empty body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const guard: GuardDeps = { ...deps, uses: createCredentialUses(deps), guesses: createGuessBudget(deps.clock) };
  addHooks(app, deps);
  for (const route of listRoutes(deps)) addRoute(app, guard, route);
  const flushing = setInterval(() => void guard.uses.flush(), USES_INTERVAL_MS).unref();
  const closeConnections = watchConnections(app.server, timeouts.requestTimeout);
  app.addHook('preClose', async () => {
    closeConnections();
    // Otherwise open streams would keep the server from closing.
    deps.livePage?.close();
    deps.panel?.live.close();
  });
  app.addHook('onClose', async () => {
    clearInterval(flushing);
    await guard.uses.flush();
  });
  return app;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

function readRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

// Requests can be refused from the first hook on. Fastify's own body parsing comes later, and would check the media
// type before the credentials.
function addHooks(app: FastifyInstance, deps: HookDeps): void {
  app.decorateRequest('context');
  app.addHook('onRequest', (request, reply, next) => {
    const { head } = beginRequest(deps, request, reply);
    // Otherwise a client that keeps a connection busy could keep the server from closing indefinitely.
    if (deps.isStopping()) reply.header('connection', 'close');
    const malformed = checkHead(request.raw, head);
    // It is unclear where a malformed request ends, so nothing after it is read.
    if (malformed !== undefined) reply.header('connection', 'close');
    const refusal = malformed ?? (request.is404 ? refuse('REQ_005') : undefined);
    if (refusal === undefined) next();
    else sendAnswer(request, reply, refused(refusal));
  });
  app.addHook('onResponse', (request, reply, next) => {
    endRequest(deps, request, reply);
    next();
  });
  app.setErrorHandler((error, request, reply) => {
    sendAnswer(request, reply, answerFailure(error, { requestId: request.id, log: deps.log }));
  });
}

function answeredBefore(): never {
  throw new Error('the guard answers before the handler');
}

function addRoute(app: FastifyInstance, guard: GuardDeps, route: Route): void {
  const { method, url } = route;
  if (route.access === 'panel') {
    const { panel, entry } = route;
    app.route<PanelRequestShape>({
      method,
      url,
      exposeHeadRoute: false,
      onRequest: (request, reply) => void servePanel(panel, entry, { request, reply }),
      handler: answeredBefore,
    });
    return;
  }
  if (route.access === 'integrator') {
    const { handler } = route;
    app.route<GuardedRoute>({
      method,
      url,
      onRequest: (request, reply) => void serveIntegrator(guard, handler, { request, reply }),
      handler: answeredBefore,
    });
    return;
  }
  app.route({
    method,
    url,
    handler: async (request, reply) => {
      const given = route.handler(request, reply);
      if (!isReply(given, reply)) sendAnswer(request, reply, await given);
      return reply;
    },
  });
}

function isReply(given: ReturnType<PublicHandler>, reply: FastifyReply): given is FastifyReply {
  return given === reply;
}
