import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';
import { timelineAnswer } from '../../contract/panel/orders/timeline.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { createPlatform } from '../../platform.ts';
import { findOrderById, listOrderHistory } from '../../store/orders/orders.ts';
import { saveOrderPlans, type PlanExplanation } from '../../store/planning/plans.ts';
import { expireOrders } from './expire-orders.ts';

const clock = createSimulatedClock('2026-03-01T12:00:00Z');
const LIMIT_MINUTES = 10;

let service: TestService;
let restaurant: TestRestaurant;
let courierId: string;

// No planner runs: the test writes the last plan itself.
beforeAll(async () => {
  service = await startService({ roles: ['api'], platform: createPlatform(undefined, clock) });
  restaurant = await service.addRestaurant({ courierWaitLimitMinutes: LIMIT_MINUTES, approvalLimitMinutes: 5 });
  courierId = await service.addCourier('Ada');
});
afterAll(() => service.stop());

async function place(): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function placeApproved(explanation: PlanExplanation): Promise<string> {
  const orderId = await place();
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  });
  const nowhere = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
  await saveOrderPlans(service.app.db, [{ orderId, ...nowhere, explanation }], clock.now());
  return orderId;
}

/** The service's own worker may cancel some of them first. */
async function expire(...orderIds: string[]): Promise<void> {
  clock.moveBy(LIMIT_MINUTES * MINUTE_MS + 1_000);
  const areAllCanceled = async (): Promise<boolean> => {
    await expireOrders(service.app);
    const orders = await Promise.all(orderIds.map((id) => findOrderById(service.app.db, id)));
    return orders.every((order) => order?.state === 'CANCELED');
  };
  await expect.poll(areAllCanceled).toBe(true);
}

const notesOf = async (orderId: string) =>
  (await listOrderHistory(service.app.db, orderId)).filter(({ kind }) => kind === 'courier_not_found');

test('the history of an expired order says why no courier was found, without naming a courier', async () => {
  const cheapest = { courierId, extraCost: 9_000 };
  const orderId = await placeApproved({ kind: 'waiting', reason: 'COSTS_TOO_MUCH', until: null, cheapest });
  const withoutLocation = await placeApproved({ kind: 'waiting', reason: 'NO_DROPOFF_LOCATION', until: null });
  await expire(orderId, withoutLocation);
  expect((await findOrderById(service.app.db, orderId))?.cancellation?.reasonId).toBe('COURIER_NOT_AVAILABLE');
  const note = { actor: 'system', courierId: null, detail: 'With any courier, other orders would be too late.' };
  expect(await notesOf(orderId)).toMatchObject([note]);
  // Without the advice on how to fix it, which is useless once the order is canceled.
  expect(await notesOf(withoutLocation)).toMatchObject([{ detail: 'The drop-off has no coordinates.' }]);
  const owner = await signInAs(service, 'owner', { restaurant });
  const { entries } = timelineAnswer.parse((await owner.get(`/api/orders/${orderId}/timeline`)).body);
  const { actor, detail } = note;
  expect(entries).toContainEqual(
    expect.objectContaining({ kind: 'note', note: 'courier_not_found', actor, courier: null, detail }),
  );
});

test('no missing-courier note is added when a courier was offered or planned, or without approval', async () => {
  const asked = await placeApproved({ kind: 'waiting', reason: 'NO_ROOM', until: null });
  const assign = { name: 'assign', courierId } as const;
  await service.app.changer.change({
    scope: 'everything',
    orderId: asked,
    command: assign,
    actor: { role: 'restaurant' },
  });
  const planned = await placeApproved({
    kind: 'placed',
    courierId,
    extraCost: 1,
    nextBest: null,
    offerAt: new Date(clock.now()).toISOString(),
  });
  const unapproved = await place();
  await expire(asked, planned, unapproved);
  for (const orderId of [asked, planned, unapproved]) expect(await notesOf(orderId)).toEqual([]);
});
