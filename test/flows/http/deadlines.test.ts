// One deadline for everything that a request waits for in the service. Waiting for the client, or for other servers, does
// not count.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveApi } from '../../../src/contract/panel/live.ts';
import { sessionApi } from '../../../src/contract/panel/people/session.ts';
import { openRoute, type PanelRoute } from '../../../src/http/panel/route.ts';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import { insertPlacedOrders } from '../../../src/store/orders/writes.ts';
import { openBrowser, signInAs } from '../../../harness/service/panel-client.ts';
import { startReceiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const DEADLINE_MS = 300;

let service: TestService;
let restaurant: TestRestaurant;
const stuck = { isStuck: false, release: Promise.withResolvers<undefined>() };
const lateStream = Readable.from(['too late']);

const STUCK_ROUTES: PanelRoute[] = [
  {
    ...openRoute(sessionApi.read, { handler: () => new Promise(() => undefined) }),
    url: '/api/stuck',
  },
  {
    ...openRoute(liveApi.open, {
      handler: async () => {
        await stuck.release.promise;
        return { kind: 'stream', stream: lateStream, headers: {} };
      },
    }),
    url: '/api/stuck-stream',
  },
];

beforeAll(async () => {
  service = await startService({
    roles: ['api'],
    config: { requestDeadlineMs: DEADLINE_MS },
    parts: {
      routes: [...PANEL_ROUTES, ...STUCK_ROUTES],
      // Not the database's limits, but only the deadline ends it.
      insertPlaced: (...given) => (stuck.isStuck ? new Promise(() => undefined) : insertPlacedOrders(...given)),
    },
  });
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

test('an order that is stuck gets 503 with Retry-After, and the next one is placed', async () => {
  stuck.isStuck = true;
  const answer = await service.post(restaurant, { orderId: 'stuck' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  stuck.isStuck = false;
  expect((await service.post(restaurant, { orderId: 'next' })).status).toBe(201);
});

test('a page that is stuck gets 503 with Retry-After, and a stream that opens later is closed', async () => {
  const browser = openBrowser(service.address);
  for (const path of ['/api/stuck', '/api/stuck-stream']) {
    const { status, headers } = await browser.get(path);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  }
  expect(lateStream.destroyed).toBe(false);
  stuck.release.resolve(undefined);
  await expect.poll(() => lateStream.destroyed).toBe(true);
});

test('the time in which a body arrives does not count', async () => {
  const headers = { 'x-api-key': restaurant.apiKey, 'content-type': 'application/json' };
  const sent = request(`${service.address}/webhook/third-party/order`, { method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const body = JSON.stringify({ orderId: 'slow body', restaurantId: restaurant.restaurantId });
  sent.write(body.slice(0, 10));
  const startedMs = performance.now();
  await expect.poll(() => performance.now() - startedMs).toBeGreaterThan(2 * DEADLINE_MS);
  sent.end(body.slice(10));
  const [answer] = await answered;
  answer.resume();
  expect(answer.statusCode).toBe(201);
});

/** Checking a password may take longer than this test's deadline, so another node does it. */
async function signInPatiently(): Promise<Map<string, string>> {
  const { databaseUrl, masterKey } = service;
  const other = await startService({ databaseUrl, masterKey, roles: ['api'] });
  const { cookies } = await signInAs(other, 'owner', { restaurant });
  await other.stop();
  return cookies;
}

test('the time that another server takes does not count', async () => {
  const receiver = await startReceiver({ onRequest: () => ({ status: 200, delayMs: 2 * DEADLINE_MS }) });
  const owner = openBrowser(service.address);
  for (const [name, value] of await signInPatiently()) owner.cookies.set(name, value);
  const check = { url: receiver.url('/status'), endpoint: 'status', signedWith: 'active' };
  const { status, body } = await owner.send('POST', '/api/integration/webhook-check', check);
  await receiver.close();
  expect([status, body.test.ok]).toEqual([200, true]);
});
