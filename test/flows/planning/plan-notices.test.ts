// How planners learn of changes: by notification, and by their own periodic checks.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import type { Command } from '../../../src/domain/orders/order.ts';
import { Planner } from '../../../src/planning/planner.ts';
import { listOrderPlans } from '../../../src/store/planning/plans.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const PLACE = { latitude: 41, longitude: 29 };
const LOOK_MS = 5_000;

let planning: TestService;
/** Takes orders but does not plan. */
let apiNode: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  planning = await startService();
  const { databaseUrl, masterKey } = planning;
  apiNode = await startService({ databaseUrl, masterKey, roles: ['api'] });
  restaurant = await planning.addRestaurant({ autoApprove: true, preparationMinutes: 60, ...PLACE });
  const { id: restaurantId } = restaurant;
  await addCourier(planning.app, {
    name: 'Ada',
    phone: null,
    ...PLACE,
    restaurantId,
    onDuty: true,
    actor: { name: 'test' },
  });
});

afterAll(async () => {
  await apiNode.stop();
  await planning.stop();
});

async function place(orderId: string, at = restaurant): Promise<string> {
  const answer = await apiNode.post(at, { orderId, dropoff: { location: { ...PLACE, longitude: 29.01 } } });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

/** The order has a place in a plan, or waits with a reason. */
const isPlanned = async (orderId: string) => (await listOrderPlans(apiNode.app.db, [orderId])).length > 0;

async function waitUntilPlanned(orderId: string): Promise<void> {
  await expect.poll(() => isPlanned(orderId), { timeout: 15_000, interval: 10 }).toBe(true);
}

const nameOf = (statement: string | { name?: string }) => (typeof statement === 'string' ? '' : statement.name);

test('a full scan runs every five seconds, however many orders are notified', async () => {
  await waitUntilPlanned(await place('first'));
  const queries = vi.spyOn(planning.app.pools.planner, 'query');
  const count = (wanted: string) => queries.mock.calls.filter(([statement]) => nameOf(statement) === wanted).length;
  const startedMs = performance.now();
  for (let number = 1; number <= 24; number += 1) await waitUntilPlanned(await place(`noticed-${number}`));
  const looks = Math.ceil((performance.now() - startedMs) / LOOK_MS);
  expect(count('record_plan')).toBeGreaterThanOrEqual(24);
  expect(count('list_live_revisions')).toBeLessThanOrEqual(looks + 1);
  expect(count('list_couriers_at_work')).toBeLessThanOrEqual(looks + 1);
  queries.mockRestore();
}, 60_000);

/** Wakes the running planner in the middle of each of its rounds, so that it is never idle. */
async function keepPlannerAwake(): Promise<void> {
  const woken = vi.spyOn(Planner.prototype, 'wake');
  await waitUntilPlanned(await place('waking'));
  await expect.poll(() => woken.mock.contexts).not.toEqual([]);
  const planner = woken.mock.contexts.find((one) => one instanceof Planner);
  woken.mockRestore();
  const { planner: db } = planning.app.pools;
  const { query } = db;
  let rounds = 0;
  const looking = vi.spyOn(db, 'query').mockImplementation((statement, values) => {
    if (nameOf(statement) === 'list_held_areas') {
      rounds += 1;
      planner?.wake([]);
    }
    return query.call(db, statement, values);
  });
  onTestFinished(() => looking.mockRestore());
  // The first round may have been due anyway; the second one was caused by the wake-up.
  await expect.poll(() => rounds, { interval: 10 }).toBeGreaterThan(1);
}

test('an order whose notification is lost is planned by the next full scan, even under constant notifications', async () => {
  await keepPlannerAwake();
  const { query } = apiNode.app.db;
  const losing = vi.spyOn(apiNode.app.db, 'query').mockImplementation((statement, values) => {
    if (nameOf(statement) === 'notify_planners') return Promise.reject(new Error('lost'));
    return query.call(apiNode.app.db, statement, values);
  });
  onTestFinished(() => losing.mockRestore());
  await waitUntilPlanned(await place('lost'));
  const wasNotified = () => losing.mock.calls.some(([statement]) => nameOf(statement) === 'notify_planners');
  await expect.poll(wasNotified).toBe(true);
}, 60_000);

const CANCEL: Command = { name: 'cancel', cancellation: { reasonId: 'OTHER', by: 'Restaurant', text: 'Test' } };

async function act(orderId: string, command: Command): Promise<void> {
  const changed = await apiNode.app.changer.change({
    scope: 'everything',
    orderId,
    command,
    actor: { role: 'restaurant' },
  });
  expect(changed.kind).toBe('changed');
}

test('the plan of a finished order is removed shortly afterward', async () => {
  const orderId = await place('over');
  await waitUntilPlanned(orderId);
  await act(orderId, CANCEL);
  await expect.poll(() => isPlanned(orderId), { timeout: 15_000 }).toBe(false);
});

test('a plan that is recorded after its order was canceled is removed shortly afterward', async () => {
  const manual = await planning.addRestaurant({ preparationMinutes: 60, ...PLACE });
  const orderId = await place('canceled-while-planned', manual);
  const { planner: db } = planning.app.pools;
  const { query } = db;
  const removed = Promise.withResolvers<undefined>();
  const recorded = Promise.withResolvers<undefined>();
  let isCanceled = false;
  const spy = vi.spyOn(db, 'query').mockImplementation(async (statement, values) => {
    const isItsPlan = nameOf(statement) === 'record_plan' && JSON.stringify(values).includes(orderId);
    if (isItsPlan) {
      await act(orderId, CANCEL);
      isCanceled = true;
      await removed.promise;
    }
    const rows = await query.call(db, statement, values);
    if (isCanceled && String(nameOf(statement)).startsWith('delete_finished_')) removed.resolve(undefined);
    if (isItsPlan) recorded.resolve(undefined);
    return rows;
  });
  onTestFinished(() => spy.mockRestore());
  await act(orderId, { name: 'approve' });
  await recorded.promise;
  await expect.poll(() => isPlanned(orderId), { timeout: 15_000 }).toBe(false);
});
