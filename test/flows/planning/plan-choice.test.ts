// Why a courier was chosen, from the offer to the delivery, with the planner running and after its restart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import type { Actor } from '../../../src/domain/orders/order.ts';
import { createPlatform } from '../../../src/platform.ts';
import { findOrderById } from '../../../src/store/orders/orders.ts';
import { listOrderPlans } from '../../../src/store/planning/plans.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const KITCHEN = { latitude: 12, longitude: 29 };
const clock = createSimulatedClock('2026-03-01T12:00:00Z');

let database: TestDatabase;
let service: TestService;
let restaurant: TestRestaurant;
let near: string;
let far: string;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startNode();
  restaurant = await service.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...KITCHEN });
  near = await hire('Near', 0.3);
  far = await hire('Far', 4);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

function startNode(): Promise<TestService> {
  return startService({ databaseUrl: database.url, platform: createPlatform(undefined, clock) });
}

async function hire(name: string, kilometers: number): Promise<string> {
  const latitude = KITCHEN.latitude + kilometers / 111;
  const profile = { name, phone: null, restaurantId: restaurant.id, onDuty: true };
  const added = await addCourier(service.app, { ...profile, ...KITCHEN, latitude, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

async function planOf(orderId: string) {
  const [plan] = await listOrderPlans(service.app.db, [orderId]);
  return plan;
}

async function waitUntil(ask: () => Promise<unknown>, is: unknown): Promise<void> {
  await expect.poll(ask, { timeout: 20_000, interval: 50 }).toEqual(is);
}

test('an accepted order still shows why this courier and who was next best after the planner restarts', async () => {
  const dropoff = { location: { ...KITCHEN, longitude: KITCHEN.longitude + 0.01 } };
  const answer = await service.post(restaurant, { orderId: 'chosen', dropoff });
  const orderId = ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
  const courier: Actor = { role: 'courier', courierId: near };
  await waitUntil(async () => (await findOrderById(service.app.db, orderId))?.courier?.id, near);
  const choice = { extraCost: expect.any(Number), nextBest: { courierId: far, extraCost: expect.any(Number) } };
  await waitUntil(async () => (await planOf(orderId))?.explanation, {
    kind: 'offered',
    courierId: near,
    until: expect.any(String),
    choice,
  });
  await service.app.changer.change({ scope: 'everything', orderId, command: { name: 'accept' }, actor: courier });
  await waitUntil(async () => (await planOf(orderId))?.explanation, { kind: 'accepted', courierId: near, choice });
  const explanation = (await planOf(orderId))?.explanation;

  await service.stop();
  clock.moveBy(60_000);
  const restartedAt = clock.now();
  service = await startNode();
  // A planner's first plan covers every order.
  await expect
    .poll(async () => (await planOf(orderId))?.plannedAt, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(restartedAt);
  expect((await planOf(orderId))?.explanation).toEqual(explanation);
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });
  await service.app.changer.change({ scope: 'everything', orderId, command: { name: 'pick_up' }, actor: courier });
  const picksUpNoMore = async () => (await planOf(orderId))?.pickupAt;
  await waitUntil(picksUpNoMore, null);
  expect((await planOf(orderId))?.explanation).toEqual(explanation);
});
