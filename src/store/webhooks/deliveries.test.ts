import { afterEach, beforeEach, expect, test } from 'vitest';
import { attemptRecord } from '../../../test/scenes/attempt.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import { newOrder } from '../../domain/orders/placing.ts';
import { createPlatform } from '../../platform.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { recordAttempts, type AttemptRecord } from './attempts.ts';
import { claimDueDeliveries } from './claim.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { holdDeliveries, releaseDeliveries, releaseForgottenHeld, releaseHeld, type Delivery } from './deliveries.ts';
import { listEventsAfter } from '../orders/events.ts';
import { registerNode, releaseDeadNodes, retireNode } from '../upkeep/nodes.ts';
import { insertPlacedOrders, takeOrderNumbers } from '../orders/writes.ts';
import type { NewEvent } from '../orders/write-columns.ts';
import { insertRestaurant } from '../restaurants/restaurants.ts';
import { openSession } from '../database/dedicated-connection.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const { newId } = createPlatform();
let testDatabase: TestDatabase;
let db: Database;
let restaurantId: string;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
  restaurantId = await addRestaurant();
});

async function addRestaurant(): Promise<string> {
  const id = newId();
  await insertRestaurant(db, {
    id,
    providerRestaurantId: `resto-${id}`,
    name: 'Resto',
    timeZone: 'UTC',
    latitude: null,
    longitude: null,
    contactEmail: null,
    phone: null,
    address: null,
    integrationEnabled: true,
    autoApprove: false,
    rateLimitPerMinute: 300,
    preparationMinutes: 15,
    courierWaitLimitMinutes: 60,
    approvalLimitMinutes: null,
    openingHours: null,
    deliveryMetadata: false,
    createdAt: NOW,
  });
  await db.query(`update endpoints set url = 'https://receiver.example/' || kind`);
  return id;
}

afterEach(async () => {
  await db.close();
  await testDatabase.drop();
});

/** An order with this many status events, none attempted; returns the ids of the events. */
async function placeWithEvents(
  count: number,
  lease: { nodeId: string | null; restaurantId?: string } = { nodeId: null },
): Promise<string[]> {
  const owner = lease.restaurantId ?? restaurantId;
  const orderId = newId();
  const [orderNumber = ''] = await takeOrderNumbers(db, 1);
  const states: OrderState[] = ['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED'];
  const events: NewEvent[] = Array.from({ length: count }, (_, index) => ({
    id: newId(),
    restaurantId: owner,
    orderId,
    actor: 'test',
    type: 'order.status_changed',
    endpoint: 'status',
    from: states[index] ?? 'NEW',
    to: states[index + 1] ?? 'NEW',
    version: index + 1,
    at: NOW,
    body: `{"version":${index + 1}}`,
    wantsLease: lease.nodeId !== null,
  }));
  await insertPlacedOrders(db, {
    orders: [
      {
        order: { ...newOrder(orderId, null, NOW), version: count },
        restaurantId: owner,
        providerOrderId: `order-${orderId}`,
        orderNumber,
        facts: '{}',
        content: Buffer.from('{}'),
        warnings: '[]',
        issues: '[]',
        lookAt: null,
        createdAt: NOW,
      },
    ],
    events,
    now: NOW,
    nodeId: lease.nodeId,
  });
  return events.map((event) => event.id);
}

function claim(
  nodeId: string,
  options: { limit?: number; now?: number; rooms?: Map<string, number>; roomOfOthers?: number } = {},
): Promise<Delivery[]> {
  const { limit = 100, now = NOW, rooms = new Map(), ...others } = options;
  return db.transaction((tx) => claimDueDeliveries(tx, { nodeId, now, limit, rooms, ...others }));
}

function result(delivery: Delivery, set: Partial<AttemptRecord>): AttemptRecord {
  const { eventId, restaurantId, endpoint, attempts } = delivery;
  return attemptRecord({ eventId, restaurantId, endpoint, number: attempts + 1, startedAt: NOW, endedAt: NOW, ...set });
}

const failed = { delivered: false, failures: 1, nextAttemptAt: NOW + 60_000, status: 500 };

test('two nodes never claim the same delivery, or two of the same order', async () => {
  await Promise.all(Array.from({ length: 20 }, () => placeWithEvents(3)));
  const claims = await Promise.all(['1', '2', '3', '4'].map((nodeId) => claim(nodeId, { limit: 25 })));
  const ids = claims.flat().map((delivery) => delivery.eventId);
  expect(new Set(ids).size).toBe(ids.length);
  const ordersOf = claims.map((claimed) => new Set(claimed.map((delivery) => delivery.orderId)));
  for (const [index, orders] of ordersOf.entries()) {
    for (const others of ordersOf.slice(index + 1)) expect(orders.isDisjointFrom(others)).toBe(true);
  }
});

test('an unknown endpoint gets at most the default number of deliveries, with any backlog', async () => {
  await Promise.all(Array.from({ length: 8 }, () => placeWithEvents(1)));
  expect(await claim('1', { roomOfOthers: 2 })).toHaveLength(2);
  expect(await claim('1', { roomOfOthers: 2, limit: 5 })).toHaveLength(2);
  expect(await claim('1', { roomOfOthers: 2, rooms: new Map([[`${restaurantId}/status`, 3]]) })).toHaveLength(3);
});

test('a first attempt never overtakes the first attempt of an earlier event of the same order', async () => {
  const [first, second] = await placeWithEvents(2);
  const [taken, ...rest] = await claim('1', { limit: 1 });
  expect(rest).toEqual([]);
  expect(taken?.eventId).toBe(first);
  // In progress at node 1, so node 2 must not claim the second one.
  expect(await claim('2')).toEqual([]);
  await recordAttempts(db, '1', [result(taken as Delivery, failed)]);
  // The first waits for its retry and does not block the second.
  expect((await claim('2')).map((delivery) => delivery.eventId)).toEqual([second]);
});

test('a held first attempt also blocks the first attempts behind it', async () => {
  const [first] = await placeWithEvents(2);
  await db.query('update deliveries set due_at = null where event_id = $1', [first]);
  expect(await claim('1')).toEqual([]);
});

test('while one node is claiming, another skips the same orders and takes the next', async () => {
  await placeWithEvents(2);
  const [elsewhere] = await placeWithEvents(1);
  const others = await db.transaction(async (tx) => {
    expect(await claimDueDeliveries(tx, { nodeId: '1', now: NOW, limit: 1, rooms: new Map() })).toHaveLength(1);
    return claim('2');
  });
  expect(others.map((delivery) => delivery.eventId)).toEqual([elsewhere]);
});

test('nothing is claimed before it is due', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await recordAttempts(db, '1', [result(delivery as Delivery, failed)]);
  expect(await claim('1', { now: NOW + 59_999 })).toEqual([]);
  expect(await claim('1', { now: NOW + 60_000 })).toMatchObject([{ attempts: 1, failures: 1 }]);
});

test('a result counts only for the node that holds the lease', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  expect((await recordAttempts(db, '2', [result(delivery as Delivery, {})])).eventIds).toEqual(new Set());
  expect(await db.query('select * from attempts')).toEqual([]);
  const counted = await recordAttempts(db, '1', [result(delivery as Delivery, {})]);
  expect(counted).toEqual({ eventIds: new Set([delivery?.eventId]), recovering: new Set() });
  expect(await db.query('select * from deliveries')).toEqual([]);
  expect(await db.query('select outcome, number from attempts')).toEqual([{ outcome: 'delivered', number: 1 }]);
});

test('a success is marked as recovery when the endpoint is recorded as failing', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await db.query(`update endpoints set failing_since = now() where restaurant_id = $1`, [restaurantId]);
  const { recovering } = await recordAttempts(db, '1', [result(delivery as Delivery, {})]);
  expect(recovering).toEqual(new Set([`${restaurantId}/status`]));
});

test('a delivery is leased at insert to the committing node, and no other node claims that order', async () => {
  await placeWithEvents(2, { nodeId: '7' });
  expect(await db.query('select distinct leased_by from deliveries')).toEqual([{ leasedBy: '7' }]);
  expect(await claim('8')).toEqual([]);
});

test('leases of a dead node are released, including one from a commit after its death', async () => {
  const session = await openSession({ url: testDatabase.url, channels: [], onNotification: () => undefined });
  const nodeId = await registerNode(session);
  await placeWithEvents(1, { nodeId });
  await session.close();
  // Without a connection, it may still have an attempt in progress that it started before.
  await db.query(`update nodes set beat_at = now() - interval '7 seconds'`);
  expect(await releaseDeadNodes(db, NOW)).toMatchObject({ nodes: 0, deliveries: 0 });
  await db.query(`update nodes set beat_at = now() - interval '11 seconds'`);
  expect(await releaseDeadNodes(db, NOW)).toMatchObject({ nodes: 1, deliveries: 1 });
  await placeWithEvents(1, { nodeId });
  expect(await releaseDeadNodes(db, NOW)).toMatchObject({ nodes: 0, deliveries: 1 });
});

const FAILED = { delivered: false, failures: 1, nextAttemptAt: NOW + 60_000, status: 500 };

async function listQueue(): Promise<object[]> {
  return db.query<object>(
    `select attempts, failures, leased_by is not null as leased,
       (extract(epoch from due_at) * 1000)::float8 - $1::float8 as due_in_ms
     from deliveries`,
    [NOW],
  );
}

test('a failure after a lost lease counts if the delivery was not reclaimed, and waits for its retry', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await retireNode(db, '1');
  const late = [result(delivery as Delivery, FAILED)];
  expect((await recordAttempts(db, '1', late)).eventIds.size).toBe(1);
  expect(await listQueue()).toEqual([{ attempts: 1, failures: 1, leased: false, dueInMs: 60_000 }]);
  expect((await recordAttempts(db, '1', late)).eventIds.size, 'once').toBe(0);
  expect(await db.query('select from attempts')).toHaveLength(1);
});

test('a failure after a lost lease changes nothing once another node has claimed the delivery', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await retireNode(db, '1');
  await claim('2');
  expect((await recordAttempts(db, '1', [result(delivery as Delivery, FAILED)])).eventIds.size).toBe(0);
  expect(await listQueue()).toEqual([{ attempts: 0, failures: 0, leased: true, dueInMs: 0 }]);
});

test('a failure that is recorded while its delivery is held waits for its retry, also when the endpoint reopens', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await retireNode(db, '1');
  const [taken] = await claim('2');
  await holdDeliveries(db, '2', [taken?.eventId ?? '']);
  await recordAttempts(db, '1', [result(delivery as Delivery, FAILED)]);
  await releaseHeld(db, { restaurantId, kinds: ['status', 'cancel'], now: NOW });
  expect(await listQueue()).toEqual([{ attempts: 1, failures: 1, leased: false, dueInMs: 60_000 }]);
});

test('a claim that waits for a failure being recorded does not lease the delivery before its retry', async () => {
  await placeWithEvents(1);
  const [delivery] = await claim('1');
  await retireNode(db, '1');
  let claimed: Promise<Delivery[]> | undefined;
  await db.transaction(async (tx) => {
    await recordAttempts(tx, '1', [result(delivery as Delivery, FAILED)]);
    // It sees the delivery as due, and waits for the row.
    claimed = claim('2');
    await expect.poll(() => countWaiting()).toBe(1);
  });
  expect(await claimed).toEqual([]);
  expect(await listQueue()).toEqual([{ attempts: 1, failures: 1, leased: false, dueInMs: 60_000 }]);
});

/** Sessions that wait for a row that another transaction has changed. */
async function countWaiting(): Promise<number> {
  const rows = await db.query(`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'transactionid'`);
  return rows.length;
}

test('a dead node’s delivery waits for its retry if the endpoint is failing, else it is due at once', async () => {
  await placeWithEvents(1, { nodeId: '998' });
  await releaseDeadNodes(db, NOW);
  expect(await listQueue()).toEqual([{ attempts: 0, failures: 0, leased: false, dueInMs: 0 }]);
  await db.query('update endpoints set failing_since = now()');
  for (const [attempts, failures, waitMinutes] of [
    [0, 0, 1],
    [0, 1, 1],
    [1, 1, 5],
    [9, 9, 24 * 60],
  ] as const) {
    await db.query('update deliveries set leased_by = 999, attempts = $1, failures = $2', [attempts, failures]);
    await db.query('update deliveries set due_at = $1', [new Date(NOW)]);
    expect(await releaseDeadNodes(db, NOW)).toMatchObject({ deliveries: 1 });
    const lost = { attempts, failures: attempts === 0 ? 1 : failures + 1 };
    expect(await listQueue()).toEqual([{ ...lost, leased: false, dueInMs: waitMinutes * 60_000 }]);
  }
});

test('a node frozen for too long is dead although its connection is open', async () => {
  const session = await openSession({ url: testDatabase.url, channels: [], onNotification: () => undefined });
  const nodeId = await registerNode(session);
  await db.query(`update nodes set beat_at = now() - interval '11 seconds'`);
  expect(await releaseDeadNodes(db, NOW)).toMatchObject({ nodes: 1 });
  await retireNode(db, nodeId);
  await session.close();
});

test('deliveries to an endpoint without a URL are held, and released in event order', async () => {
  await db.query('update endpoints set url = null');
  const ids = await placeWithEvents(3);
  expect(await claim('1')).toEqual([]);
  const scope = { restaurantId, kinds: ['status'] as const, now: NOW };
  expect(await releaseHeld(db, scope)).toBe(0);
  await db.query(`update endpoints set url = 'https://receiver.example/'`);
  expect(await releaseHeld(db, scope)).toBe(3);
  expect((await claim('1', { limit: 1 })).map((delivery) => delivery.eventId)).toEqual(ids.slice(0, 1));
});

test('a delivery held in a race with the reopening of its endpoint is released by the sweep', async () => {
  const [eventId = ''] = await placeWithEvents(1, { nodeId: '1' });
  await holdDeliveries(db, '1', [eventId]);
  expect(await claim('1')).toEqual([]);
  expect(await releaseForgottenHeld(db, NOW)).toBe(1);
  expect(await claim('1')).toMatchObject([{ eventId }]);
});

test('an endpoint at capacity is skipped', async () => {
  await placeWithEvents(1);
  expect(await claim('1', { rooms: new Map([[`${restaurantId}/status`, 0]]) })).toEqual([]);
  expect(await claim('1', { rooms: new Map([[`${restaurantId}/cancel`, 0]]) })).toHaveLength(1);
});

test('an endpoint never gets more than its capacity, whether or not all due deliveries fit the claim', async () => {
  const other = await addRestaurant();
  for (let count = 0; count < 6; count += 1) {
    await placeWithEvents(1);
    await placeWithEvents(1, { nodeId: null, restaurantId: other });
  }
  for (const limit of [100, 10]) {
    const claimed = await claim('1', { limit, rooms: new Map([[`${restaurantId}/status`, 2]]) });
    const countOf = (id: string): number => claimed.filter((delivery) => delivery.restaurantId === id).length;
    expect([countOf(restaurantId), countOf(other)]).toEqual([2, limit === 100 ? 6 : 5]);
    await releaseDeliveries(
      db,
      '1',
      claimed.map((delivery) => delivery.eventId),
    );
  }
});

test('a backlog for one endpoint does not hide due deliveries for another', async () => {
  const mine = (await Promise.all(Array.from({ length: 60 }, () => placeWithEvents(1)))).flat();
  const [theirs = ''] = await placeWithEvents(1, { nodeId: null, restaurantId: await addRestaurant() });
  await db.query(`update deliveries set due_at = due_at - interval '1 hour' where event_id = any($1::uuid[])`, [mine]);
  const isFull = { rooms: new Map([[`${restaurantId}/status`, 0]]), limit: 20 };
  expect(await claim('1', isFull)).toMatchObject([{ eventId: theirs }]);
  await releaseDeliveries(db, '1', [theirs]);
  // With capacity for both, each gets its share, although the first endpoint's have been due for longer.
  const claimed = await claim('1', { limit: 20 });
  expect(claimed.map((delivery) => delivery.eventId)).toContain(theirs);
  expect(claimed.length).toBeLessThanOrEqual(20);
});

test('retries claim the newest state of an order first; first attempts keep their order', async () => {
  await placeWithEvents(5);
  await db.query('update deliveries set attempts = 1 where version <= 3');
  const claimed = await claim('1', { limit: 4 });
  expect(new Set(claimed.map((delivery) => delivery.version))).toEqual(new Set([4, 5, 3, 2]));
});

test('events of a restaurant are numbered without gaps, in commit order', async () => {
  await Promise.all(Array.from({ length: 15 }, () => placeWithEvents(3)));
  const events = await listEventsAfter(db, restaurantId, { afterSequence: 0, limit: 100 });
  expect(events.map((event) => event.sequence)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
});
