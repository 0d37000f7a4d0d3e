// `/readyz` while the database answers but orders cannot be committed. Each test shows that `select 1` still succeeds:
// with that alone, a node stayed in service through an outage of 41 seconds.
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { clearAway, makeDataDir, start } from '../../processes/embedded.ts';

let server: Awaited<ReturnType<typeof start>>;
let service: TestService;
let restaurant: TestRestaurant;
let other: Client;

beforeAll(async () => {
  server = await start(await makeDataDir());
  await migrate(server.url);
  service = await startService({ databaseUrl: server.url });
  restaurant = await service.addRestaurant({ autoApprove: true });
}, 60_000);

afterEach(() => other.end());

afterAll(async () => {
  await service.stop();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

async function connect(): Promise<Client> {
  other = new Client({ connectionString: server.url });
  await other.connect();
  return other;
}

async function readReady(): Promise<{ status: number; reason?: string }> {
  const answer = await fetch(`${service.address}/readyz`);
  return { ...((await answer.json()) as { reason?: string }), status: answer.status };
}

async function expectReady(): Promise<void> {
  await expect.poll(async () => (await readReady()).status, { timeout: 15_000 }).toBe(200);
}

async function expectUnready(reason: RegExp): Promise<void> {
  await expect.poll(async () => (await readReady()).status, { timeout: 15_000 }).toBe(503);
  expect((await readReady()).reason).toMatch(reason);
  expect(await service.app.db.query('select 1 as one')).toEqual([{ one: 1 }]);
}

test('commits that wait for a synchronous standby: not ready, one probe at a time, ready again afterward', async () => {
  const client = await connect();
  await expectReady();
  const reload = async (names: string): Promise<void> => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`);
    await client.query('select pg_reload_conf()');
  };
  // Changing the setting needs no commit of its own.
  await reload('nobody');
  await expectUnready(/^No commit has succeeded for \d+ s$/);
  const probes = await client.query(
    `select from pg_stat_activity where application_name = 'waybill-commit-probe' and state <> 'idle'`,
  );
  expect(probes.rowCount).toBe(1);
  await reload('');
  await expectReady();
});

test('a lock that every order waits for: not ready, even without orders', async () => {
  const client = await connect();
  await expectReady();
  await client.query('begin; lock table orders in access exclusive mode');
  await expectUnready(/^No commit has succeeded for \d+ s$/);
  await client.query('rollback');
  await expectReady();
});

test('an order that waits for a lock that probes do not need: not ready until it ends', async () => {
  const client = await connect();
  await expectReady();
  await client.query('begin');
  await client.query('select from event_counters where restaurant_id = $1 for update', [restaurant.id]);
  const waiting = service.post(restaurant, { orderId: 'waiting' });
  await expectUnready(/^Orders have waited for a commit for \d+ s$/);
  await client.query('rollback');
  expect([200, 201]).toContain((await waiting).status);
  await expectReady();
});

test('control: a lock on a table that intake does not write leaves the node ready', async () => {
  const client = await connect();
  await expectReady();
  await client.query('begin; lock table mail_outbox in access exclusive mode');
  const until = performance.now() + 4_000;
  const statuses = new Set<number>();
  while (performance.now() < until) statuses.add((await readReady()).status);
  await client.query('rollback');
  expect(statuses).toEqual(new Set([200]));
});
