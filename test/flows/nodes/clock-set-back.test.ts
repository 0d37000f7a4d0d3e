// The machine's clock is set back by an hour: due deliveries do not wait until the clock catches up, and retries do not
// wait longer than their retry delay.
import { afterEach, expect, test } from 'vitest';
import { createDueTimeCheck } from '../../../src/actions/webhooks/bring-forward-due-times.ts';
import { createPlatform } from '../../../src/platform.ts';
import type { Database, Queryable } from '../../../src/store/database/database.ts';
import { bringForwardDeliveries } from '../../../src/store/webhooks/due-times.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startReceiver, type Answer, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type ServiceOptions, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock, type SimulatedClock } from '../../../harness/clocks/simulated.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-03-01T12:00:00Z');

let database: TestDatabase;
let receiver: Receiver;
let services: TestService[];

async function open(respond: () => Answer = () => 200): Promise<void> {
  services = [];
  database = await createTestDatabase();
  receiver = await startReceiver({ onRequest: respond });
}

afterEach(async () => {
  for (const service of services) await service.stop();
  await receiver.close();
  await database.drop();
});

async function startNode(roles: NonNullable<ServiceOptions['roles']>, at: number) {
  const clock: SimulatedClock = createSimulatedClock(new Date(at).toISOString());
  const platform = createPlatform(undefined, clock);
  const service = await startService({ databaseUrl: database.url, platform, roles });
  services.push(service);
  return { service, clock };
}

async function placeOrder(service: TestService): Promise<void> {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  expect((await service.post(restaurant, { orderId: 'before-the-step' })).status).toBe(201);
}

async function readDueAt({ app }: TestService): Promise<number | undefined> {
  const [row] = await app.db.query<{ dueAt: number }>('select due_at from deliveries');
  return row?.dueAt;
}

test('a webhook committed by a clock an hour ahead is sent as soon as that clock is corrected', async () => {
  await open();
  const sending = await startNode(['deliver'], NOON - HOUR);
  const taking = await startNode(['api'], NOON);
  await placeOrder(taking.service);
  expect(await sending.service.app.engine.claim()).toBe(0);
  taking.clock.moveBy(-HOUR);
  await receiver.waitFor((requests) => requests.length === 1);
});

test('a clock step is detected long after startup, and so are rows committed later with the old time', async () => {
  await open();
  const { service } = await startNode(['api'], NOON);
  await placeOrder(service);
  let [now, elapsedMs] = [NOON, 0];
  const look = createDueTimeCheck({ ...service.app, clock: { now: () => now, monotonicMs: () => elapsedMs } });
  await look();
  elapsedMs += HOUR;
  await look();
  expect(await readDueAt(service)).toBe(NOON);
  now -= HOUR;
  await look();
  expect(await readDueAt(service)).toBe(NOON - HOUR);
  await service.app.db.query('update deliveries set due_at = $1', [new Date(NOON)]);
  elapsedMs += 2_000;
  await look();
  expect(await readDueAt(service)).toBe(NOON - HOUR);
});

test('a retry leased under the old time keeps its place on the retry schedule', async () => {
  await open();
  const { service } = await startNode(['api'], NOON);
  await placeOrder(service);
  const dueAt = NOON - HOUR + 60_000;
  await service.app.db.query('update deliveries set attempts = 1, failures = 1, leased_by = 1, due_at = $1', [
    new Date(dueAt),
  ]);
  for (const waitsMs of [null, [60_000]]) {
    await bringForwardDeliveries(service.app.db, { readNow: () => NOON - HOUR, waitsMs, limit: 10 });
    expect(await readDueAt(service)).toBe(dueAt);
  }
});

test('a statement that a frozen server executes late moves no delivery forward', async () => {
  await open();
  const { service } = await startNode(['api'], NOON);
  await placeOrder(service);
  const { db } = service.app;
  const bringForward = (serverSaid: string) => {
    const query =
      (tx: Queryable): Queryable['query'] =>
      (statement, values) =>
        typeof statement === 'object' && statement.name === 'read_server_clock'
          ? tx.query(`select (clock_timestamp() + $1::interval)::text as at`, [serverSaid])
          : tx.query(statement, values);
    const late: Database = { ...db, transaction: (work) => db.transaction((tx) => work({ query: query(tx) })) };
    return bringForwardDeliveries(late, { readNow: () => NOON - HOUR, waitsMs: null, limit: 10 });
  };
  expect(await bringForward('-11 seconds')).toBe(0);
  expect(await bringForward('1 hour')).toBe(0);
  expect(await bringForward('-1 second')).toBe(1);
});

test('a webhook is also sent when the clock was set back while no node was running', async () => {
  await open();
  const { service } = await startNode(['api'], NOON);
  await placeOrder(service);
  await services.pop()?.stop();
  await startNode(['deliver'], NOON - HOUR);
  await receiver.waitFor((requests) => requests.length === 1);
});

test('a retry is sent neither an hour late nor before its wait is over', async () => {
  await open(() => 500);
  const { service, clock } = await startNode(['api', 'deliver'], NOON);
  await placeOrder(service);
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  expect(await readDueAt(service)).toBe(NOON + MINUTE);
  let elapsedMs = 0;
  const look = createDueTimeCheck({ ...service.app, clock: { now: clock.now, monotonicMs: () => elapsedMs } });
  await look();
  clock.moveBy(-HOUR);
  await look();
  expect(await readDueAt(service), 'a claim that read the clock before may be under way').toBe(NOON + MINUTE);
  elapsedMs += MINUTE / 2;
  clock.moveBy(MINUTE / 2);
  await look();
  const dueAt = (await readDueAt(service)) ?? 0;
  expect(dueAt).toBeGreaterThanOrEqual(clock.now() + MINUTE);
  expect(dueAt).toBeLessThanOrEqual(clock.now() + 1.25 * MINUTE);
  clock.moveTo(dueAt - 1);
  expect(await service.app.engine.claim()).toBe(0);
  clock.moveTo(dueAt);
  service.app.engine.wake();
  await receiver.waitFor((requests) => requests.length === 2);
});

test('a delivery claimed by a clock that is then set back is not sent and is released soon', async () => {
  await open(() => 500);
  const { service, clock } = await startNode(['api', 'deliver'], NOON);
  const { db, engine } = service.app;
  await placeOrder(service);
  await receiver.waitFor((requests) => requests.length === 1);
  await engine.idle();
  const transaction = db.transaction.bind(db);
  db.transaction = async (work) => {
    const result = await transaction(work);
    if (Array.isArray(result) && result.length > 0) clock.moveBy(-HOUR);
    return result;
  };
  clock.moveBy(MINUTE);
  engine.wake();
  const isLeased = async (): Promise<boolean> =>
    (await db.query('select from deliveries where leased_by is not null')).length > 0;
  await expect.poll(isLeased, { timeout: 10_000 }).toBe(true);
  await engine.idle();
  await engine.sweep();
  await engine.sweep();
  expect(await isLeased()).toBe(false);
  expect(receiver.requests).toHaveLength(1);
});
