// The audit on a real history: it finds nothing in a correct one, and counts each kind of difference planted by hand.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startReceiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';
import type { Command } from '../../domain/orders/order.ts';
import { HOUR_MS, type Instant } from '../../domain/time.ts';
import { createLog } from '../../runtime/log.ts';
import { createPlatform } from '../../platform.ts';
import { openDatabase, type Database, type Queryable } from '../../store/database/database.ts';
import { readUpkeepGauges } from '../../store/upkeep/upkeep-gauges.ts';
import { createSetAside } from './set-aside.ts';
import { auditHistory, type AuditDeps } from './audit-history.ts';
import { discardDelivery } from '../webhooks/discard-delivery.ts';

const clock = createSimulatedClock('2026-03-01T09:00:00Z');
/** No pause between rounds. */
const SIZES = { intervalMs: 0, orders: 1_000, events: 1_000 };
const PATIENCE = { timeout: 20_000 };
let history: TestDatabase;
let database: TestDatabase;
let db: Database;
let logged: { event: string; kind: string; subject: string }[];

/** Orders delivered, canceled, new, discarded and waiting for a retry, an hour apart, of two restaurants. */
beforeAll(async () => {
  history = await createTestDatabase();
  let status = 200;
  const receiver = await startReceiver({ onRequest: () => status });
  const platform = createPlatform(undefined, clock);
  const service = await startService({ databaseUrl: history.url, platform });
  const courierId = await service.addCourier();
  const first = await service.addRestaurant({ receiver, autoApprove: true });
  const second = await service.addRestaurant({ receiver });
  for (let count = 0; count < 4; count += 1) {
    await live(service, first, { orderId: `delivered-${count}`, courierId, path: TO_DELIVERED });
  }
  await live(service, second, { orderId: 'canceled', courierId, path: ['approve', 'cancel'] });
  await live(service, second, { orderId: 'new', courierId, path: [] });
  status = 500;
  await live(service, second, { orderId: 'waiting', courierId, path: ['approve'] });
  await live(service, second, { orderId: 'discarded', courierId, path: ['approve'] });
  const failing = () =>
    service.app.db.query<{ id: string; failures: number }>(
      `select d.event_id as id, d.failures from deliveries d join orders o on o.id = d.order_id
     where d.leased_by is null order by o.provider_order_id`,
    );
  // The hour that passed before the last order made the other delivery's retry due.
  const failures = async () => (await failing()).map((row) => row.failures).join();
  await vi.waitUntil(async () => (await failures()) === '1,2', PATIENCE);
  const [discarded] = await failing();
  await discardDelivery(service.app, { eventId: discarded?.id ?? '', scope: 'everything', actor: { name: 'test' } });
  await service.stop();
  await receiver.close();
});

afterAll(() => history.drop());

beforeEach(async () => {
  logged = [];
  database = await createTestDatabase(history);
  db = openDatabase({ url: database.url });
  // Discard what the service's own worker has already audited.
  await db.query('delete from audit_progress');
  await db.query('delete from audit_differences');
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const TO_DELIVERED = ['assign', 'accept', 'prepare', 'pick_up', 'deliver'] as const;
type Step = (typeof TO_DELIVERED)[number] | 'approve' | 'cancel';

async function live(
  service: TestService,
  restaurant: TestRestaurant,
  life: { orderId: string; courierId: string; path: readonly Step[] },
): Promise<void> {
  const { courierId } = life;
  clock.moveBy(HOUR_MS);
  const answer = await service.post(restaurant, { orderId: life.orderId });
  expect(answer.status).toBe(201);
  const { serviceOrderId: orderId } = (await answer.json()) as { serviceOrderId: string };
  for (const step of life.path) {
    clock.moveBy(1_000);
    const isCouriers = ['accept', 'pick_up', 'deliver'].includes(step);
    const actor = isCouriers ? ({ role: 'courier', courierId } as const) : ({ role: 'restaurant' } as const);
    expect(
      await service.app.changer.change({ scope: 'everything', orderId, command: commandOf(step, courierId), actor }),
    ).toMatchObject({
      kind: 'changed',
    });
  }
  // The System must not act on the order in the meantime.
  await service.app.db.query('update orders set deadline_at = null');
  // Attempts end within their order's hour, so every failed delivery is due again when the next order is placed.
  const untried = () => service.app.db.query('select from deliveries where failures = 0');
  await vi.waitUntil(async () => (await untried()).length === 0, PATIENCE);
}

function commandOf(step: Step, courierId: string): Command {
  if (step === 'assign') return { name: 'assign', courierId };
  if (step !== 'cancel') return { name: step };
  return { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'No more' } };
}

function depsOf(queryable: Database = db): AuditDeps {
  const log = createLog((line) => void logged.push(JSON.parse(line)));
  return { db: queryable, clock, log, setAside: createSetAside({ db: queryable, clock, log }) };
}

async function countDifferences(): Promise<Record<string, number>> {
  const { differences } = await readUpkeepGauges(db, clock.now());
  return Object.fromEntries(differences.map(({ kind, count }) => [kind, count]));
}

/** Ids sort by time: one that sorts before all others would be the oldest event. */
const LATER_ID = `('ff' || substr(gen_random_uuid()::text, 3))::uuid`;
const orderOf = (id: string) => `(select id from orders where provider_order_id = '${id}')`;

test('a valid history has no differences', async () => {
  const [counts] = await db.query<{ orders: number; events: number; attempts: number }>(
    `select (select count(*) from orders)::int as orders, (select count(*) from events)::int as events,
       (select count(*) from attempts)::int as attempts`,
  );
  // One attempt per event, one retry, and the discard.
  expect(counts).toEqual({ orders: 8, events: 29, attempts: 31 });
  expect(await auditHistory(depsOf(), SIZES)).toBe('done');
  expect(await countDifferences()).toEqual({});
  expect(logged).toEqual([]);
  const { auditPass } = await readUpkeepGauges(db, clock.now() + 5_000);
  expect(auditPass).toEqual({ durationSeconds: 0, ageSeconds: 5 });
});

const PLANTS: [what: string, plant: string[], found: Record<string, number>][] = [
  [
    'a version without its event',
    [`update orders set version = version + 1 where provider_order_id = 'delivered-2'`],
    { order_versions: 1 },
  ],
  [
    'an event that is there twice',
    [
      `insert into events select ${LATER_ID}, restaurant_id, (select max(sequence) + 1 from events e
         where e.restaurant_id = events.restaurant_id), order_id, version, type, from_state, to_state, actor,
         occurred_at + interval '1 s', body
       from events where order_id = ${orderOf('delivered-2')} and version = 6`,
      'update event_counters c set last_sequence = (select max(sequence) from events e where e.restaurant_id = c.restaurant_id)',
    ],
    { order_versions: 1, event_without_delivery: 1 },
  ],
  [
    'an order that is not where its last event says',
    [`update orders set state = 'PREPARED' where provider_order_id = 'delivered-2'`],
    { order_path: 1 },
  ],
  [
    'a transition that the lifecycle does not have',
    [
      `update events set to_state = 'DELIVERED' where order_id = ${orderOf('waiting')}`,
      `update orders set state = 'DELIVERED' where provider_order_id = 'waiting'`,
    ],
    { illegal_transition: 1 },
  ],
  [
    'a canceled order without its cancel event',
    [
      `delete from attempts where event_id in (select id from events where type = 'order.canceled')`,
      `update events set sequence = sequence - 1 where sequence > (select sequence from events where
         type = 'order.canceled') and restaurant_id = (select restaurant_id from orders where id = ${orderOf('canceled')})`,
      `update event_counters set last_sequence = last_sequence - 1
       where restaurant_id = (select restaurant_id from orders where id = ${orderOf('canceled')})`,
      `delete from events where type = 'order.canceled'`,
    ],
    { cancel_events: 1 },
  ],
  [
    'two events of one order at the same time',
    [
      `update events e set occurred_at = (select b.occurred_at from events b where b.order_id = e.order_id
         and b.version = 2) where order_id = ${orderOf('delivered-2')} and version = 3`,
    ],
    { event_times: 1 },
  ],
  [
    'a delivered event whose delivery nobody recorded',
    [
      `delete from attempts where event_id = (select id from events where order_id = ${orderOf('delivered-2')}
         and version = 4)`,
    ],
    { event_without_delivery: 1 },
  ],
  [
    'an event that lost its place in the queue',
    [`delete from deliveries where order_id = ${orderOf('waiting')}`],
    { event_without_delivery: 1 },
  ],
  [
    'events of an order that does not exist',
    [`delete from orders where provider_order_id = 'delivered-2'`],
    { event_without_order: 6 },
  ],
  [
    'a hole in the middle of a sequence',
    [
      `update events set sequence = sequence + 1 where sequence >= 9
         and restaurant_id = (select restaurant_id from orders where id = ${orderOf('delivered-2')})`,
      `update event_counters set last_sequence = last_sequence + 1
         where restaurant_id = (select restaurant_id from orders where id = ${orderOf('delivered-2')})`,
    ],
    { sequence_gap: 1 },
  ],
  [
    'a hole at the end of a sequence',
    [`update event_counters set last_sequence = last_sequence + 1 where last_sequence > 10`],
    { sequence_gap: 1 },
  ],
  [
    'an attempt for an event that does not exist',
    [
      `insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at)
       select overlay(gen_random_uuid()::text placing left(id::text, 13) from 1)::uuid, restaurant_id, 'status', 1,
         'delivered', occurred_at, occurred_at
       from events where order_id = ${orderOf('delivered-3')} and version = 1`,
    ],
    { attempt_without_event: 1 },
  ],
];

test.each(PLANTS)('%s is counted, logged once, and never repaired automatically', async (_, plant, found) => {
  for (const statement of plant) await db.query(statement);
  await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual(found);
  const total = Object.values(found).reduce((sum, count) => sum + count);
  expect(logged.filter(({ event }) => event === 'audit.difference')).toHaveLength(total);
  for (let round = 0; round < 3; round += 1) await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual(found);
  expect(logged).toHaveLength(total);
});

test('a difference that was fixed is cleared by the next full pass', async () => {
  await db.query(`update orders set version = version + 1 where provider_order_id = 'delivered-2'`);
  await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual({ order_versions: 1 });
  await db.query(`update orders set version = version - 1 where provider_order_id = 'delivered-2'`);
  await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual({});
});

test.each([1, 2, 7, 29])('in parts of %i rows the audit finds the same differences, on any node', async (rows) => {
  for (const statement of [PLANTS[0], PLANTS[9], PLANTS[11]].flatMap((entry) => entry?.[1] ?? [])) {
    await db.query(statement);
  }
  const countPasses = async () =>
    (await db.query(`select from audit_progress where last_pass_ended_at is not null`)).length;
  let rounds = 0;
  while ((await countPasses()) === 0) {
    const node = openDatabase({ url: database.url });
    await auditHistory(depsOf(node), { ...SIZES, orders: rows, events: rows });
    await node.close();
    rounds += 1;
    expect(rounds).toBeLessThan(60);
  }
  expect(rounds).toBeGreaterThanOrEqual(Math.ceil(31 / rows));
  expect(await countDifferences()).toEqual({ order_versions: 1, sequence_gap: 1, attempt_without_event: 1 });
});

test('one of several nodes runs the round, and none runs the next one early', async () => {
  const sizes = { ...SIZES, intervalMs: 15_000 };
  const results = await Promise.all(Array.from({ length: 5 }, () => auditHistory(depsOf(), sizes)));
  expect(results.filter((result) => result === 'done')).toHaveLength(1);
  clock.moveBy(14_999);
  expect(await auditHistory(depsOf(), sizes)).toBe('not_mine');
  clock.moveBy(1);
  expect(await auditHistory(depsOf(), sizes)).toBe('done');
  // A clock that is set back must not stall the audit until it has caught up.
  clock.moveBy(-HOUR_MS);
  expect(await auditHistory(depsOf(), sizes)).toBe('done');
  clock.moveBy(HOUR_MS);
});

test('the newest rows are checked in every round, at any position of the scan', async () => {
  const sizes = { ...SIZES, orders: 1, events: 1 };
  await auditHistory(depsOf(), sizes);
  await db.query(`delete from deliveries where order_id = ${orderOf('waiting')}`);
  await auditHistory(depsOf(), sizes);
  expect(await countDifferences()).toEqual({ event_without_delivery: 1 });
});

test('history deleted for its age is not a difference', async () => {
  const [edge] = await db.query<{ at: Instant }>(
    `select created_at as at from orders where provider_order_id = 'delivered-2'`,
  );
  const cut = new Date((edge?.at ?? 0) - 1_000).toISOString();
  await db.query('delete from events where occurred_at < $1', [cut]);
  await db.query('delete from attempts where started_at < $1', [cut]);
  // The cutoff lies within this order's life, and another node's slower clock dated a later event before it as well.
  await db.query(`delete from events where order_id = ${orderOf('delivered-2')} and version in (1, 3)`);
  await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual({});
  // Orders well within retention are still audited.
  await db.query(`update orders set version = version + 1 where provider_order_id = 'canceled'`);
  await auditHistory(depsOf(), SIZES);
  expect(await countDifferences()).toEqual({ order_versions: 1 });
});

test('a round takes a small constant number of statements for a history of any length', async () => {
  let statements = 0;
  const counting: Database = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (statement, values) => {
            statements += 1;
            return tx.query(statement, values);
          },
        } satisfies Queryable),
      ),
  };
  await auditHistory(depsOf(counting), SIZES);
  const whole = statements;
  await db.query(
    `insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at)
     select id, restaurant_id, 'status', n, 'failed', occurred_at, occurred_at from events, generate_series(1, 500) n`,
  );
  statements = 0;
  await auditHistory(depsOf(counting), SIZES);
  expect(whole).toBeLessThanOrEqual(10);
  expect(statements).toBeLessThanOrEqual(whole);
});
