// The server becomes a standby and is promoted again, or has no connections left: 503 with Retry-After, never a 500.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DatabaseUnavailable, openDatabase, toUnavailable } from '../../../src/store/database/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { clearAway, makeDataDir, query, start } from '../../processes/embedded.ts';
import { openBrowser, signInAs, type Browser, type PanelAnswer } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const MAX_CONNECTIONS = 30;

let dataDir: string;
let server: Awaited<ReturnType<typeof start>>;
let service: TestService;
let restaurant: TestRestaurant;
let staff: Browser;
let courier: Browser;

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await start(dataDir, undefined, MAX_CONNECTIONS);
  await migrate(server.url);
  service = await startService({ databaseUrl: server.url, roles: ['api'] });
  restaurant = await service.addRestaurant();
  staff = await signInAs(service, 'staff', { restaurant });
  courier = await signInAs(service, 'courier', { courier: await service.addCourier() });
});
afterAll(async () => {
  await service.stop();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

interface Outcome {
  status: number;
  retryAfter: string | null;
}

async function post(orderId: string): Promise<Outcome> {
  const answer = await service.post(restaurant, { orderId });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
}
const STRANGER = { email: 'nobody@example.com', password: 'not a password that anyone has' };
const PASSWORDS = { currentPassword: STRANGER.password, newPassword: 'another password that nobody has' };
const ACTS = [
  {
    id: '00000000-0000-7000-8000-000000000001',
    orderId: '00000000-0000-7000-8000-000000000002',
    kind: 'arrived',
    at: '2026-01-01T00:00:00Z',
  },
];
const UNAVAILABLE = { status: 503, retryAfter: '5' };

function writesOfPages(): Record<string, () => Promise<PanelAnswer>> {
  const order = '/api/orders/00000000-0000-7000-8000-000000000000';
  return {
    'change an order': () => staff.send('POST', `${order}/commands`, { command: 'approve' }),
    'sign in': () => openBrowser(service.address).signIn(STRANGER),
    'change a password': () => staff.send('POST', '/api/session/password', PASSWORDS),
    'sign out': () => staff.send('DELETE', '/api/session'),
    'report a position': () => courier.send('POST', '/api/courier/position', { latitude: 52.5, longitude: 13.4 }),
    'report an act': () => courier.send('POST', '/api/courier/acts', { acts: ACTS }),
    'go off duty': () => courier.send('POST', '/api/courier/duty', { onDuty: false }),
  };
}

test('while the server is a standby, orders get 503 and reads work; after its promotion, orders are taken within 2 s', async () => {
  expect((await post('before')).status).toBe(201);
  await query(
    server.url,
    `update sessions set updated_at = now() - interval '2 days', expires_at = now() + interval '1 day'`,
  );
  await server.stop();
  expect(await post('away')).toEqual(UNAVAILABLE);
  await writeFile(path.join(dataDir, 'postgres', 'standby.signal'), '');
  server = await start(dataDir, undefined, MAX_CONNECTIONS);
  expect(await query(server.url, 'select pg_is_in_recovery()')).toEqual([true]);
  for (let tries = 1; tries <= 3; tries += 1) expect(await post('standby')).toEqual(UNAVAILABLE);
  // Its rate limit is in an unlogged table, which a standby cannot read.
  expect((await service.get(restaurant, 'order/before')).status).toBe(200);
  // A repeat is found, but who knows whether the next primary has it?
  expect(await post('before')).toEqual(UNAVAILABLE);
  const db = openDatabase({ url: server.url });
  await expect(db.query('select from rate_windows')).rejects.toBeInstanceOf(DatabaseUnavailable);
  await db.close();
  const seen = [];
  for (const [request, send] of Object.entries(writesOfPages())) {
    const { status, headers } = await send();
    seen.push({ request, status, retryAfter: headers.get('retry-after') });
  }
  expect(seen).toEqual(Object.keys(writesOfPages()).map((request) => ({ request, ...UNAVAILABLE })));
  // A session is extended once a day; one that cannot be extended now is still good.
  expect((await staff.get('/api/orders')).status).toBe(200);
  await query(server.url, 'select pg_promote()');
  await expect.poll(async () => (await post('standby')).status, { timeout: 2_000 }).toBe(201);
  expect((await post('before')).status).toBe(200);
}, 60_000);

test('without a free connection, orders get 503, and are taken as soon as one is free', async () => {
  const clients: Client[] = [];
  let failure: unknown;
  await query(server.url, `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`);
  while (failure === undefined) {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    failure = await client.connect().then(
      () => void clients.push(client),
      (error: unknown) => error,
    );
  }
  expect(failure).toMatchObject({ code: '53300' });
  expect(toUnavailable(failure)).toBeInstanceOf(DatabaseUnavailable);
  const seen = await Promise.all(Array.from({ length: 20 }, (_, index) => post(`crowded-${index}`)));
  expect(seen.filter(({ status }) => status !== 201).every((outcome) => outcome.status === 503)).toBe(true);
  for (const client of clients) await client.end();
  await expect.poll(async () => (await post('roomy')).status, { timeout: 2_000 }).toBe(201);
});

test('numbers that a promotion hands out again are replaced, and each order is answered 201', async () => {
  for (let index = 0; index < 30; index += 1) await post(`earlier-${index}`);
  await query(server.url, `select setval('order_numbers', 100001)`);
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => (await post(`numbered-${index}`)).status),
  );
  expect(new Set(answers)).toEqual(new Set([201]));
});

test('a number that another node used first is replaced', async () => {
  // Fetched ahead by this node, and used by another one.
  const [last = 0] = await query(server.url, 'select max(order_number)::int from orders');
  await query(
    server.url,
    `update orders set order_number = ${Number(last)} + 1 where order_number = (select min(order_number) from orders)`,
  );
  for (let index = 0; index < 5; index += 1) expect((await post(`late-${index}`)).status).toBe(201);
});
