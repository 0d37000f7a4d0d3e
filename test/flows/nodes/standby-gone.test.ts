// The only standby is gone, so every commit waits. Clients get 503 in time, then at once; the sessions that wait on the
// server are few and stay few; and everything goes on when the standby is back.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildReadiness } from '../../../src/readiness-wiring.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { insertPlacedOrders } from '../../../src/store/orders/writes.ts';
import { CommitProbe, PROBE_TIMEOUT_MS } from '../../../src/store/upkeep/commit-probe.ts';
import { clearAway } from '../../processes/embedded.ts';
import { MAIN, serveSettings } from '../../processes/serve.ts';
import { serveFrom } from '../../../harness/nodes/served-node.ts';
import { startReplicatedServer, type ReplicatedServer } from '../../servers/replicated-server.ts';
import { openBrowser, signInAs } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const DEADLINE_MS = 1_000;
/** For a busy machine. */
const SLACK_MS = 1_500;
const POSTERS = 20;
const WRITE = `select pg_logical_emit_message(true, 'test', '')`;

let server: ReplicatedServer;
let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let lastOrder = 0;

beforeAll(async () => {
  server = await startReplicatedServer();
  receiver = await startReceiver();
  const config = { requestDeadlineMs: DEADLINE_MS };
  service = await startService({ databaseUrl: server.url, roles: ['api', 'deliver'], config });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true });
});
afterEach(() => server.bringStandbyBack());
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

interface Outcome {
  status: number;
  retryAfter: string | null;
  tookMs: number;
}

async function post(orderId = `order-${(lastOrder += 1)}`): Promise<Outcome> {
  const startedMs = performance.now();
  const answer = await service.post(restaurant, { orderId });
  await answer.text();
  const tookMs = performance.now() - startedMs;
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), tookMs };
}

const countConnections = async (): Promise<number> =>
  (await server.query(`select from pg_stat_activity where backend_type = 'client backend'`)).length;

test('orders get 503 within the deadline and then at once; reads go on; waiting sessions do not pile up', async () => {
  await Promise.all(Array.from({ length: POSTERS }, () => post()));
  await expect.poll(() => service.app.engine.idle().then(() => true)).toBe(true);
  const connections = await countConnections();
  await server.loseStandby();
  const first = await Promise.all(Array.from({ length: POSTERS }, () => post()));
  expect(new Set(first.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(['503 5']));
  expect(Math.max(...first.map(({ tookMs }) => tookMs))).toBeLessThan(DEADLINE_MS + SLACK_MS);
  // More than the number of connections, and each would wait for the deadline if it were let in.
  const later: Outcome[] = [];
  for (let round = 1; round <= 10; round += 1) {
    later.push(...(await Promise.all(Array.from({ length: POSTERS }, () => post()))));
    expect((await service.get(restaurant, 'order/order-1')).status).toBe(200);
  }
  expect(new Set(later.map(({ status }) => status))).toEqual(new Set([503]));
  const times = later.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(DEADLINE_MS / 2);
  expect(await server.countWaiting()).toBeLessThan(10);
  expect(await countConnections()).toBeLessThan(connections + 10);

  await server.bringStandbyBack();
  await expect.poll(async () => (await post('back')).status, { timeout: 2_000 }).toBeLessThan(300);
  await receiver.waitFor(() => receiver.requests.some(({ body }) => body.toString().includes('"back"')), 5_000);
  await expect.poll(() => server.countWaiting()).toBe(0);
}, 60_000);

test('signing in gets 503 and leaves few sessions behind; signed-in users read on, also with an old session', async () => {
  const staff = await signInAs(service, 'staff', { restaurant });
  await server.query(`update sessions set updated_at = now() - interval '2 days'`);
  await server.loseStandby();
  const signIns = [];
  for (let round = 1; round <= 5; round += 1) {
    const { status, headers } = await openBrowser(service.address).signIn(staff.login);
    signIns.push(`${status} ${headers.get('retry-after')}`);
    expect((await staff.get('/api/orders')).status).toBe(200);
  }
  expect(new Set(signIns)).toEqual(new Set(['503 5']));
  // One, or both connections of that pool if the check of the first was slow; never one for each try.
  expect(await server.countWaiting('waybill-sign-in')).toBeLessThanOrEqual(2);
  await server.bringStandbyBack();
  await expect.poll(async () => (await openBrowser(service.address).signIn(staff.login)).status).toBe(200);
});

test('a probe whose wait is canceled is no evidence that commits succeed', async () => {
  await server.loseStandby();
  const probe = new CommitProbe(server.url);
  onTestFinished(() => probe.close());
  await expect(server.endWaitsDuring('cancel', probe.run())).rejects.toThrow('not on the standby');
  await server.bringStandbyBack();
  await probe.run();
});

test('a node that starts does not wait for its first commit as long as a probe does', async () => {
  await server.loseStandby();
  const { startProbing, probe } = buildReadiness({
    ...service.app,
    databaseUrl: server.url,
    insert: insertPlacedOrders,
  });
  onTestFinished(() => probe.close());
  const startedMs = performance.now();
  await startProbing();
  expect(performance.now() - startedMs).toBeLessThan(PROBE_TIMEOUT_MS / 2);
});

test('a node that restarts meanwhile reads, and is ready when the standby is back', { timeout: 90_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-standby-gone-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const settings = {
    ...serveSettings({ databaseUrl: server.url, folder }),
    WAYBILL_MASTER_KEY: service.masterKey.toString('base64'),
    WAYBILL_ROLES: 'api',
  };
  await (await serveFrom(MAIN, settings)).stop();
  await server.loseStandby();
  const node = await serveFrom(MAIN, settings);
  onTestFinished(() => node.stop());
  const headers = { 'x-api-key': restaurant.apiKey };
  const readStatus = async (url: string): Promise<number> => (await fetch(`${node.address}${url}`, { headers })).status;
  expect(await readStatus('/webhook/third-party/order/unknown')).toBe(404);
  expect(await readStatus('/readyz')).toBe(503);
  await server.bringStandbyBack();
  await expect.poll(() => readStatus('/readyz')).toBe(200);
  expect(node.errors).toEqual([]);
});

test('a pool keeps what waits for the standby, refuses further writes, reads on, and recovers', async () => {
  const db = openDatabase({ url: server.url, name: 'kept', maxConnections: 3, answerTimeoutMs: 500 });
  onTestFinished(() => db.close());
  await db.query('select 1');
  await server.loseStandby();
  for (let write = 1; write <= 20; write += 1)
    await expect(db.query(WRITE)).rejects.toThrow(/timeout|wait for the standby/);
  await expect(db.transaction((tx) => tx.query(WRITE))).rejects.toThrow('wait for the standby');
  expect(await server.countWaiting('kept')).toBe(1);
  expect(await db.query<{ one: number }>('select 1 as one')).toEqual([{ one: 1 }]);
  await server.bringStandbyBack();
  await expect
    .poll(() =>
      db
        .transaction((tx) => tx.query('select from orders for update'))
        .then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
});

test('as many commits that wait as there are connections leave one for reads', async () => {
  const db = openDatabase({ url: server.url, name: 'crowded', maxConnections: 3, answerTimeoutMs: 500 });
  onTestFinished(() => db.close());
  await server.loseStandby();
  const writes = await Promise.allSettled(Array.from({ length: 6 }, () => db.query(WRITE)));
  expect(new Set(writes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  for (let round = 1; round <= 3; round += 1) {
    expect(await db.query<{ one: number }>('select 1 as one')).toEqual([{ one: 1 }]);
    await expect(db.query(WRITE)).rejects.toThrow('wait for the standby');
  }
  expect(await server.countWaiting('crowded')).toBeLessThanOrEqual(3);
});

test('a statement that waits for a lock does not make the pool refuse other writes', async () => {
  const db = openDatabase({ url: server.url, statementTimeoutMs: 60_000, answerTimeoutMs: 500 });
  onTestFinished(() => db.close());
  await server.query('begin');
  try {
    await server.query('select from restaurants where id = $1 for update', [restaurant.id]);
    const blocked = db.query('update restaurants set name = name where id = $1', [restaurant.id]);
    await expect(blocked).rejects.toThrow('timeout');
    expect(await db.query(WRITE)).toHaveLength(1);
  } finally {
    await server.query('rollback');
  }
});

test('control: a pool that replaces such connections leaves a waiting session behind with each', async () => {
  const pool = new Pool({ connectionString: server.url, application_name: 'control', max: 3, query_timeout: 200 });
  pool.on('error', () => undefined);
  await server.loseStandby();
  for (let write = 1; write <= 6; write += 1) {
    const client = await pool.connect();
    await expect(client.query(WRITE)).rejects.toThrow('timeout');
    client.release(true);
  }
  expect(await server.countWaiting('control')).toBe(6);
  await server.bringStandbyBack();
  await pool.end();
});

test('a connection whose answer is overdue for another reason is closed and replaced', async () => {
  const db = openDatabase({ url: server.url, maxConnections: 1, statementTimeoutMs: 60_000, answerTimeoutMs: 200 });
  onTestFinished(() => db.close());
  await expect(db.query('select pg_sleep(60)')).rejects.toThrow('timeout');
  await expect.poll(() => db.stats().total).toBe(0);
  expect(await db.query('select 1')).toHaveLength(1);
  await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)'`);
});
