// The operator overrides the planner: a locked order keeps its courier, a moved order is offered to its new courier.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { lockOrder } from '../../../src/actions/planning/lock-order.ts';
import { moveOrder } from '../../../src/actions/planning/move-order.ts';
import { requestReplan } from '../../../src/actions/planning/request-replan.ts';
import { createPlatform } from '../../../src/platform.ts';
import { listAuditEntries } from '../../../src/store/people/audit-log.ts';
import { findOrderById, listOrderHistory } from '../../../src/store/orders/orders.ts';
import { listPlannedAreas } from '../../../src/store/planning/areas.ts';
import { listOrderPlans } from '../../../src/store/planning/plans.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const KITCHEN = { latitude: 12, longitude: 29 };
const PREPARATION_MINUTES = 30;
const clock = createSimulatedClock('2026-03-01T12:00:00Z');

let service: TestService;
let restaurant: TestRestaurant;
let near: string;
let far: string;

beforeAll(async () => {
  service = await startService({ platform: createPlatform(undefined, clock) });
  restaurant = await service.addRestaurant({
    autoApprove: true,
    preparationMinutes: PREPARATION_MINUTES,
    ...KITCHEN,
  });
  near = await hire('Near', 0.3);
  far = await hire('Far', 4);
});

afterAll(() => service.stop());

async function hire(name: string, kilometers: number): Promise<string> {
  const added = await addCourier(service.app, {
    name,
    phone: null,
    latitude: KITCHEN.latitude + kilometers / 111,
    longitude: KITCHEN.longitude,
    restaurantId: restaurant.id,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

async function place(orderId: string): Promise<string> {
  const dropoff = { location: { ...KITCHEN, longitude: KITCHEN.longitude + 0.01 } };
  const answer = await service.post(restaurant, { orderId, dropoff });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function plannedFor(orderId: string): Promise<string | null | undefined> {
  const [plan] = await listOrderPlans(service.app.db, [orderId]);
  return plan?.courierId;
}

const courierOf = async (orderId: string) => (await findOrderById(service.app.db, orderId))?.courier?.id;

async function waitUntil(ask: () => Promise<unknown>, is: unknown): Promise<void> {
  await expect.poll(ask, { timeout: 20_000, interval: 50 }).toEqual(is);
}

/** Requests a plan and waits for it. */
async function replan(): Promise<void> {
  const lastPlan = async () => (await listPlannedAreas(service.app.db))[0]?.plannedAt ?? 0;
  clock.moveBy(1_000);
  const askedAt = clock.now();
  await requestReplan(service.app, { actor: { name: 'operator' } });
  await expect.poll(lastPlan, { timeout: 20_000, interval: 50 }).toBeGreaterThanOrEqual(askedAt);
}

test('a lock survives every new plan until the order is offered, and is in the audit log', async () => {
  const id = await place('locked');
  await waitUntil(() => plannedFor(id), near);
  await lockOrder(service.app, { scope: 'everything', orderId: id, courierId: far, actor: { name: 'operator' } });
  await waitUntil(() => plannedFor(id), far);
  for (let round = 0; round < 3; round++) {
    await replan();
    expect(await plannedFor(id)).toBe(far);
  }
  clock.moveBy(PREPARATION_MINUTES * 60_000);
  await waitUntil(() => courierOf(id), far);
  const actions = (await listAuditEntries(service.app.db, null, 4)).map(({ action }) => action);
  expect(actions).toEqual(['plan.requested', 'plan.requested', 'plan.requested', 'order.locked']);
});

test('an unlocked order goes back to the best courier', async () => {
  const id = await place('unlocked');
  await waitUntil(() => plannedFor(id), near);
  await lockOrder(service.app, { scope: 'everything', orderId: id, courierId: far, actor: { name: 'operator' } });
  await waitUntil(() => plannedFor(id), far);
  await lockOrder(service.app, { scope: 'everything', orderId: id, courierId: null, actor: { name: 'operator' } });
  // A busy machine may not find it in time for the first plan, so the clock advances and further plans follow.
  const plannedLater = () => {
    clock.moveBy(1_000);
    return plannedFor(id);
  };
  await waitUntil(plannedLater, near);
});

test('an order cannot be locked or moved to another restaurant’s courier', async () => {
  const id = await place('strangers');
  const elsewhere = await service.addRestaurant();
  const stranger = await service.addCourier('Stranger');
  await service.app.db.query('update couriers set restaurant_id = $1 where id = $2', [elsewhere.id, stranger]);
  const request = { orderId: id, scope: 'everything', courierId: stranger, actor: { name: 'operator' } } as const;
  const refusal = { kind: 'refused', refusal: { code: 'COURIER_002', facts: { name: 'Stranger' } } };
  expect(await lockOrder(service.app, request)).toEqual(refusal);
  expect(await moveOrder(service.app, request)).toEqual(refusal);
});

test('a move offers the order to the chosen courier at once, overriding the plan, and moves the lock', async () => {
  const id = await place('moved');
  await waitUntil(() => plannedFor(id), near);
  await lockOrder(service.app, { scope: 'everything', orderId: id, courierId: near, actor: { name: 'operator' } });
  expect(
    await moveOrder(service.app, { scope: 'everything', orderId: id, courierId: far, actor: { name: 'operator' } }),
  ).toMatchObject({
    kind: 'changed',
    state: 'ASSIGNED',
  });
  expect(await courierOf(id)).toBe(far);
  await replan();
  expect(await courierOf(id)).toBe(far);
  const [plan] = await listOrderPlans(service.app.db, [id]);
  expect(plan).toMatchObject({ courierId: far, lockedTo: far });
  const history = await listOrderHistory(service.app.db, id);
  expect(history.map(({ kind, courierId, actor }) => [kind, courierId, actor])).toEqual([
    ['courier_offered', far, 'operator'],
  ]);
  const accepted = await service.app.changer.change({
    scope: 'everything',
    orderId: id,
    command: { name: 'accept' },
    actor: { role: 'courier', courierId: far },
  });
  expect(accepted).toMatchObject({ kind: 'changed', state: 'ACCEPTED' });
});
