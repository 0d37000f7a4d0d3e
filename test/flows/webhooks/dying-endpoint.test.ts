// Endpoints that fail with a large backlog: the work done for them stays small, so other endpoints are not affected.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOrderChanger } from '../../../src/actions/orders/change-order.ts';
import type { App } from '../../../src/app.ts';
import { silentLog } from '../../../src/platform.ts';
import { claimDueDeliveries } from '../../../src/store/webhooks/claim.ts';
import { updateOrders } from '../../../src/store/orders/writes.ts';
import { DeliveryEngine } from '../../../src/webhooks/queue/engine.ts';
import { Leases } from '../../../src/webhooks/queue/leases.ts';
import { AttemptRecorder } from '../../../src/webhooks/queue/result-recorder.ts';
import { TargetCache } from '../../../src/webhooks/client/targets.ts';
import { startReceiver, type Answer, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const WAITING = 20;
const ROOM_AT_FIRST = 64;
const PATIENCE = { timeout: 20_000 };

let service: TestService;
let receiver: Receiver;
let deps: App;
let engine: DeliveryEngine;
let statements: string[];
let respond: () => Answer | Promise<Answer>;
let wakes = 0;

class WatchedEngine extends DeliveryEngine {
  override wake(): void {
    wakes += 1;
    super.wake();
  }
}

beforeEach(async () => {
  // Takes orders but does not send webhooks.
  service = await startService({ roles: ['api'] });
  respond = () => 503;
  receiver = await startReceiver({ onRequest: () => respond() });
  statements = [];
  const { app } = service;
  const query: typeof app.db.query = (statement, values) => {
    statements.push(typeof statement === 'string' ? statement : (statement.name ?? ''));
    return app.db.query(statement, values);
  };
  deps = { ...app, log: silentLog, db: { ...app.db, query } };
  engine = new WatchedEngine({
    ...deps,
    presence: { nodeId: () => '1' },
    targets: new TargetCache(deps),
    recorder: new AttemptRecorder(deps),
  });
});

afterEach(async () => {
  await engine.drop();
  await service.stop();
  await receiver.close();
});

/** Orders of one restaurant, each with one due webhook. */
async function addWaiting(count: number): Promise<string[]> {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const place = async (index: number): Promise<string> => {
    const answer = await service.post(restaurant, { orderId: `dying-${index}` });
    const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
    return serviceOrderId;
  };
  return Promise.all(Array.from({ length: count }, (_, index) => place(index)));
}

/** Claims once, and waits until every claimed delivery was attempted or released. */
async function claimOnce(): Promise<number> {
  const claimed = await engine.claim();
  await engine.idle();
  await expect.poll(countLeased, PATIENCE).toBe(0);
  return claimed;
}

async function countLeased(): Promise<number> {
  const rows = await service.app.db.query('select 1 from deliveries where leased_by is not null');
  return rows.length;
}

const countGivenBack = (): number => statements.filter((name) => name === 'release_deliveries').length;

test('claims for a dead endpoint are limited to what is sent, and no lease has to be returned', async () => {
  await addWaiting(WAITING);
  expect(await claimOnce()).toBe(2);
  expect(receiver.requests).toHaveLength(2);
  while (receiver.requests.length < WAITING) expect(await claimOnce()).toBe(1);
  expect(receiver.requests).toHaveLength(WAITING);
  expect(countGivenBack()).toBe(0);
});

test('the leases of many endpoints that die at once are returned by one statement at a time', async () => {
  await addWaiting(WAITING);
  const { db, clock } = deps;
  const claim = { nodeId: '1', now: clock.now(), limit: 100, rooms: new Map<string, number>() };
  const claimed = await db.transaction((tx) => claimDueDeliveries(tx, claim));
  expect(claimed).toHaveLength(WAITING);
  const leases = new Leases({ ...deps, isHeld: () => false });
  for (const delivery of claimed) leases.giveBack([delivery]);
  await expect.poll(countLeased, PATIENCE).toBe(0);
  expect(countGivenBack()).toBe(2);
});

test('the sweep skips leases that are being returned: a new claim would lose its lease', async () => {
  await addWaiting(WAITING);
  const { db, clock } = deps;
  const claim = { nodeId: '1', now: clock.now(), limit: 100, rooms: new Map<string, number>() };
  const claimed = await db.transaction((tx) => claimDueDeliveries(tx, claim));
  const late = Promise.withResolvers<void>();
  const query: typeof db.query = async (statement, values) => {
    if (typeof statement === 'object' && statement.name === 'release_deliveries') await late.promise;
    return db.query(statement, values);
  };
  const leases = new Leases({ ...deps, db: { ...db, query }, isHeld: () => false });
  leases.giveBack(claimed);
  expect([await leases.sweep('1'), await leases.sweep('1')]).toEqual([0, 0]);
  late.resolve();
  await expect.poll(countLeased, PATIENCE).toBe(0);
});

test('one failure among successes does not leave the rest waiting for the next poll', async () => {
  await addWaiting(WAITING);
  respond = () => (receiver.requests.length === 1 ? 503 : 200);
  wakes = 0;
  await claimOnce();
  expect(wakes).toBeGreaterThan(0);
});

test('a recovered endpoint gets its whole backlog without another poll', async () => {
  await addWaiting(WAITING);
  await claimOnce();
  respond = () => 200;
  const isOver = new AbortController();
  const running = engine.run(isOver.signal);
  await receiver.waitFor((requests) => requests.length === WAITING);
  isOver.abort();
  await running;
  const claims = statements.filter((name) => name === 'list_due_deliveries').length;
  expect(claims).toBeLessThan(WAITING / 2);
});

test('a claim that was limited by capacity is followed by the next one as soon as capacity is free', async () => {
  await addWaiting(150);
  await claimOnce();
  const before = receiver.requests.length;
  const answer = Promise.withResolvers<Answer>();
  respond = () => (receiver.requests.length === before + 1 ? 200 : answer.promise);
  expect(await engine.claim()).toBe(1);
  await engine.idle();
  // The endpoint works again, so a claim takes as much of the backlog as may be sent at once.
  expect(await engine.claim()).toBe(2);
  wakes = 0;
  answer.resolve(200);
  await engine.idle();
  expect(wakes).toBeGreaterThan(0);
});

async function prepare(orderId = ''): Promise<void> {
  const changer = createOrderChanger({ ...deps, outbox: engine, update: updateOrders });
  const changed = await changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });
  expect(changed).toMatchObject({ kind: 'changed' });
}

test('deliveries for a failing endpoint notify no node; those for other endpoints do', async () => {
  const orderIds = await addWaiting(WAITING);
  await claimOnce();
  const known = await deps.db.query<{ orderId: string }>('select order_id from deliveries where attempts > 0');
  await prepare(orderIds.find((id) => known.every((row) => row.orderId !== id)));
  expect(statements).not.toContain('notify_due');
  await prepare((await addWaiting(1))[0]);
  expect(statements).toContain('notify_due');
});

test('deliveries for an endpoint at capacity notify no node, because freed capacity triggers the next claim', async () => {
  const answer = Promise.withResolvers<Answer>();
  respond = () => answer.promise;
  const [orderId] = await addWaiting(ROOM_AT_FIRST + 1);
  const { db, clock } = deps;
  const claim = { nodeId: '1', now: clock.now(), limit: 100, rooms: new Map<string, number>() };
  engine.accept(await db.transaction((tx) => claimDueDeliveries(tx, claim)));
  expect(engine.stats().inMemory).toBeGreaterThanOrEqual(ROOM_AT_FIRST);
  await prepare(orderId);
  expect(statements).not.toContain('notify_due');
  await prepare((await addWaiting(1))[0]);
  expect(statements).toContain('notify_due');
  answer.resolve(200);
});

test.each([
  ['one webhook after the other while others get theirs', { hasCompany: true, atOnce: 1 }],
  ['all that it may at once while it is alone', { hasCompany: false, atOnce: 2 }],
])('a recovering endpoint gets %s', async (_, { hasCompany, atOnce }) => {
  respond = () => 200;
  await addWaiting(1);
  const { db, clock } = deps;
  const claim = { nodeId: '1', now: clock.now(), limit: 100, rooms: new Map<string, number>() };
  const fresh = await db.transaction((tx) => claimDueDeliveries(tx, claim));
  await addWaiting(WAITING);
  // Freezes the clock, so that a slow machine does not change how recent the other traffic is.
  const frozen = vi.spyOn(clock, 'monotonicMs').mockReturnValue(clock.monotonicMs());
  if (hasCompany) engine.accept(fresh);
  await engine.idle();
  expect(await engine.claim()).toBe(2);
  expect(engine.stats().inFlight).toBe(atOnce);
  frozen.mockRestore();
  await receiver.waitFor((requests) => requests.length === (hasCompany ? 3 : 2));
});
