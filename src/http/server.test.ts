import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';
import { createRequestAdmission } from '../actions/restaurants/admit-request.ts';
import { openApiDocument } from '../contract/integrator/openapi.ts';
import { createLog } from '../runtime/log.ts';
import type { Readiness } from '../actions/upkeep/commit-readiness.ts';
import { createPlatform } from '../platform.ts';
import { DatabaseUnavailable, openDatabase, type Database } from '../store/database/database.ts';
import { createCredentialCache } from './integrator/credential-cache.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createServer, listRoutes, type ServerDeps } from './server.ts';

interface LogLine {
  event: string;
  [key: string]: unknown;
}

const lines: LogLine[] = [];
let service: TestService;
let restaurant: TestRestaurant;
let insertFailure: Error | undefined;

beforeAll(async () => {
  const { insertPlacedOrders } = await import('../store/orders/writes.ts');
  service = await startService({
    platform: createPlatform(createLog((line) => void lines.push(JSON.parse(line) as LogLine))),
    parts: {
      insertPlaced: (...given) =>
        insertFailure === undefined ? insertPlacedOrders(...given) : Promise.reject(insertFailure),
    },
  });
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

/** A server of the same app, with the databases replaced as requested. */
function serverDeps(
  change: { db?: Database; guardDb?: Database; isStopping?: boolean; readiness?: Readiness } = {},
): ServerDeps {
  const { app } = service;
  const guard = { ...app, db: change.guardDb ?? app.db };
  return {
    ...app,
    db: change.db ?? app.db,
    environment: 'live',
    credentials: createCredentialCache(guard),
    admission: createRequestAdmission(guard),
    metricsAccess: { token: null },
    trustedProxies: [],
    metrics: createMetrics({
      collect: () => Promise.reject(new Error('gone')),
      clock: app.clock,
      poolStats: () => app.pools.stats(),
    }),
    ...(change.readiness && { readiness: { state: () => change.readiness ?? { isReady: true, isDoubtful: false } } }),
    isStopping: () => change.isStopping ?? false,
  };
}

function openGoneDatabase(): Database {
  return openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nothing' });
}

test('every route in the table requires credentials unless it is marked public', async () => {
  const routes = listRoutes(serverDeps());
  expect(routes.filter(({ access }) => access === 'integrator').length).toBeGreaterThanOrEqual(4);
  for (const { method, url, access } of routes) {
    for (const verb of method === 'GET' ? (['GET', 'HEAD'] as const) : (['POST'] as const)) {
      const answer = await service.app.server.inject({ method: verb, url: url.replace(':orderId', 'A1') });
      expect([verb, url, answer.statusCode]).toEqual([verb, url, access === 'public' ? 200 : 401]);
      expect(answer.headers['x-request-id']).toBeDefined();
    }
  }
});

test('every path in the OpenAPI document has a route', () => {
  const routes = new Set(listRoutes(serverDeps()).map(({ method, url }) => `${method} ${url}`));
  const document = openApiDocument() as { paths: Record<string, object> };
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace('{orderId}', ':orderId')}`),
  );
  expect(documented.length).toBeGreaterThanOrEqual(4);
  expect(documented.filter((route) => !routes.has(route))).toEqual([]);
});

test('503 SRV_001: without the database nothing is accepted, and Retry-After is set', async () => {
  const gone = openGoneDatabase();
  for (const change of [{ guardDb: gone }, { db: gone }]) {
    const server = createServer(serverDeps(change));
    const headers = { 'x-api-key': restaurant.apiKey };
    const answer = await server.inject({ url: '/webhook/third-party/events', headers });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(answer.json()).toMatchObject({ error: 'Temporarily unavailable', code: 'SRV_001' });
    expect(answer.body).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres/i);
    await server.close();
  }
  await gone.close();
});

test('503 SRV_001: an order whose commit failed is not acknowledged and can be sent again', async () => {
  insertFailure = new DatabaseUnavailable('the server said something internal');
  const failed = await service.post(restaurant, { orderId: 'again' });
  insertFailure = undefined;
  expect([failed.status, await failed.json()]).toMatchObject([503, { code: 'SRV_001' }]);
  expect((await service.post(restaurant, { orderId: 'again' })).status).toBe(201);
});

test('500 SRV_002: an internal error shows no detail to the caller and is fully logged', async () => {
  insertFailure = new Error('relation "secret_table" does not exist');
  const answer = await service.post(restaurant, { orderId: 'bug' });
  insertFailure = undefined;
  const requestId = answer.headers.get('x-request-id');
  expect(answer.status).toBe(500);
  expect(await answer.json()).toEqual({
    error: 'Internal error',
    message: 'Something went wrong on our side. Retrying the request is safe',
    code: 'SRV_002',
    requestId,
  });
  const logged = lines.find((line) => line.event === 'http.failed' && line['requestId'] === requestId);
  expect(JSON.stringify(logged)).toContain('secret_table');
});

test('each request writes one log line, without its body, its key or its customer', async () => {
  const body = { orderId: 'logged', customer: { name: 'Ayşe Yılmaz' }, notes: { courier: 'the blue gate' } };
  const answer = await service.post(restaurant, body);
  const requestId = answer.headers.get('x-request-id');
  const ofRequest = () => lines.filter((line) => line['requestId'] === requestId);
  await expect.poll(() => ofRequest().length).toBe(1);
  expect(ofRequest()[0]).toMatchObject({
    event: 'http.request',
    method: 'POST',
    route: '/webhook/third-party/order',
    status: 201,
    durationMs: expect.any(Number),
    restaurantId: restaurant.id,
    orderId: 'logged',
    bytes: expect.any(Number),
  });
  await service.get(restaurant, 'order/%20secret%0a?token=1');
  await fetch(`${service.address}/%ff`);
  const undecodable = (line: LogLine): boolean => line['route'] === 'none' && line['code'] === 'REQ_001';
  await expect.poll(() => lines.filter(undecodable)).toMatchObject([{ status: 400 }]);
  const whole = JSON.stringify(lines);
  expect(whole).toContain('logged');
  for (const secret of ['Ayşe', 'blue gate', restaurant.apiKey, 'token']) expect(whole).not.toContain(secret);
});

test('healthz: always alive; readyz: only while commits succeed and the service is not stopping', async () => {
  const gone = openGoneDatabase();
  const cases = [
    [serverDeps(), 200, 'ready'],
    [serverDeps({ readiness: { isReady: true, isDoubtful: true } }), 200, 'ready'],
    [serverDeps({ readiness: { isReady: true, isDoubtful: true }, db: gone }), 503, 'database unavailable'],
    [serverDeps({ readiness: { isReady: false, reason: 'No commit' } }), 503, 'database unavailable'],
    [serverDeps({ isStopping: true }), 503, 'stopping'],
  ] as const;
  for (const [deps, status, word] of cases) {
    const server = createServer(deps);
    const ready = await server.inject('/readyz');
    const reason = status === 200 ? {} : { reason: expect.any(String) };
    expect([ready.statusCode, ready.json()]).toEqual([status, { status: word, ...reason }]);
    expect(ready.headers['retry-after']).toBe(status === 200 ? undefined : '1');
    const alive = await server.inject('/healthz');
    expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'alive' }]);
    await server.close();
  }
  await gone.close();
});

test.for([
  { which: 'that has sent nothing', sent: '', limitMs: 60_000 },
  { which: 'whose request does not arrive in time', sent: 'POST / HTTP/1.1\r\nHost: waybill\r\n', limitMs: 300 },
])('a stop does not wait for a connection $which', { timeout: 10_000 }, async ({ sent, limitMs }) => {
  const timeouts = { headersTimeout: limitMs, requestTimeout: limitMs, connectionsCheckingInterval: 60_000 };
  const server = createServer({ ...serverDeps(), timeouts });
  const socket = connect(Number(new URL(await server.listen()).port), '127.0.0.1').resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve));
  await server.close();
});

test('metrics: current counts while the database answers, and no stale ones when it does not', async () => {
  const own = await startService();
  onTestFinished(() => own.stop());
  await own.post(await own.addRestaurant(), { orderId: 'counted' });
  const text = await (await fetch(`${own.address}/metrics`)).text();
  expect(text).toMatch(/^waybill_database_up 1$/m);
  expect(text).toMatch(/^waybill_orders\{state="NEW"\} [1-9]/m);
  expect(text).toMatch(/^waybill_audit_differences\{kind="event_without_delivery"\} 0$/m);
  expect(text).toMatch(
    /^waybill_http_request_seconds_count\{route="\/webhook\/third-party\/order",status="201"\} [1-9]/m,
  );
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  const server = createServer(serverDeps());
  const blind = await server.inject('/metrics');
  expect(blind.body).toMatch(/^waybill_database_up 0$/m);
  expect(blind.body).not.toMatch(/^waybill_(orders|deliveries|failing_endpoints|audit_\w+|mail\w*|support_cases)[ {]/m);
  await server.close();
});

test('a key’s last use is written on shutdown, not during the request', async () => {
  const own = await startService();
  const caller = await own.addRestaurant();
  await own.post(caller, { orderId: 'A1' });
  const url = own.databaseUrl;
  const lastUse = async () => {
    const db = openDatabase({ url });
    const [row] = await db.query<{ lastUsedAt: number | null }>('select last_used_at from api_keys');
    await db.close();
    return row?.lastUsedAt;
  };
  expect(await lastUse()).toBeNull();
  await own.app.server.close();
  expect(await lastUse()).toEqual(expect.any(Number));
  await own.stop();
});
