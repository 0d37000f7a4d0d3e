// Operator actions on couriers and plans, on a database without a planner.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { refuseValue } from '../../domain/refusals.ts';
import type { Actor, Command } from '../../domain/orders/order.ts';
import { createPlatform } from '../../platform.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import { clearOldPlaces, listPositions, savePosition } from '../../store/couriers/positions.ts';
import { listCouriersAtWork } from '../../store/planning/couriers.ts';
import { listLiveOrders, listOrderFacts } from '../../store/planning/orders.ts';
import { listOrderHistory } from '../../store/orders/orders.ts';
import { raiseAlarm } from '../../store/planning/alarms.ts';
import { claimAreas, listHeldAreas, listPlannedAreas, releaseAreas } from '../../store/planning/areas.ts';
import {
  deleteFinishedPlans,
  listOrderPlans,
  recordPlan,
  saveOrderPlans,
  type OrderPlan,
} from '../../store/planning/plans.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';
import { addCourier } from '../couriers/add-courier.ts';
import { findCourierEntry } from '../../store/couriers/courier-list.ts';
import { addShift } from '../couriers/add-shift.ts';
import { changeCourier } from '../couriers/change-courier.ts';
import { lockOrder } from './lock-order.ts';
import { moveOrder } from './move-order.ts';
import { removeShift } from '../couriers/remove-shift.ts';
import { requestReplan } from './request-replan.ts';
import { setCourierDuty } from '../couriers/set-courier-duty.ts';
import { sniffPhotoType } from '../couriers/set-courier-photo.ts';

const clock = createSimulatedClock('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService({ roles: ['api'], platform: createPlatform(undefined, clock) });
  restaurant = await service.addRestaurant({ autoApprove: true });
});

afterAll(() => service.stop());

async function newCourier(name: string): Promise<string> {
  const place = { phone: null, latitude: 41, longitude: 29, restaurantId: null, onDuty: true };
  const added = await addCourier(service.app, { name, ...place, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

async function newOrder(content: object = {}): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID(), ...content });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

const find = async (courierId: string) =>
  (await listCouriersAtWork(service.app.db, clock.now())).find(({ id }) => id === courierId);

test('a courier is changed field by field, and an invalid change is refused', async () => {
  const id = await newCourier('Ada');
  const change = (profile: object) =>
    changeCourier(service.app, { courierId: id, scope: 'everything', profile, actor: { name: 'test' } });
  expect(await change({ vehicle: 'CAR', capacity: 12 })).toMatchObject({ kind: 'changed' });
  expect(await findCourier(service.app.db, id)).toMatchObject({ name: 'Ada', vehicle: 'CAR', capacity: 12 });
  expect(await change({ capacity: 0 })).toEqual({
    kind: 'refused',
    refusal: refuseValue({ field: 'capacity', message: 'Must be a whole number of bags from 1 to 99' }),
  });
  expect(await change({ latitude: null })).toMatchObject({ kind: 'refused' });
  const whose = { courierId: id, scope: 'everything', actor: { name: 'test' } } as const;
  const own = { ...whose, profile: {}, restaurantId: restaurant.id };
  expect(await changeCourier(service.app, own)).toMatchObject({ courier: { restaurantId: restaurant.id } });
});

test('shifts never overlap, and a courier’s shift end includes adjoining shifts', async () => {
  const courier = await newCourier('Bo');
  const from = clock.now() - HOUR_MS;
  const add = (startsAt: number, endsAt: number) =>
    addShift(service.app, { courierId: courier, scope: 'everything', startsAt, endsAt, actor: { name: 'test' } });
  expect((await find(courier))?.shiftEndsAt).toBeNull();
  const added = await add(from, from + 4 * HOUR_MS);
  expect(added.kind).toBe('added');
  expect((await find(courier))?.shiftEndsAt).toBe(from + 4 * HOUR_MS);
  expect(await add(from + 3 * HOUR_MS, from + 5 * HOUR_MS)).toMatchObject({
    refusal: { code: 'COURIER_004', facts: { name: 'Bo' } },
  });
  expect(await add(from + 4 * HOUR_MS, from + 5 * HOUR_MS)).toMatchObject({ kind: 'added' });
  expect((await find(courier))?.shiftEndsAt).toBe(from + 5 * HOUR_MS);
  // A courier who stays on duty after their shift gets no more orders, and the operator sees why.
  const later = clock.now() + 24 * HOUR_MS;
  expect(await findCourierEntry(service.app.db, courier, later)).toMatchObject({ shiftEndsAt: from + 5 * HOUR_MS });
  expect(await add(from + HOUR_MS, from)).toMatchObject({ kind: 'refused' });
  const shiftId = added.kind === 'added' ? added.shift.id : '';
  const whose = (courierId: string, id: string) =>
    ({ courierId, scope: 'everything', shiftId: id, actor: { name: 'test' } }) as const;
  expect(await removeShift(service.app, whose(await newCourier('Other'), shiftId))).toMatchObject({ kind: 'refused' });
  expect(await removeShift(service.app, whose(courier, shiftId))).toEqual({ kind: 'removed' });
  expect((await find(courier))?.shiftEndsAt).toBeNull();
});

test('a courier’s location expires after minutes; the last report time is cleared only by going off duty', async () => {
  const courier = await newCourier('Cem');
  const { db } = service.app;
  await savePosition(db, { courierId: courier, latitude: 41, longitude: 29, reportedAt: clock.now() });
  const isKnown = async () =>
    (await listPositions(db, { restaurantId: null, now: clock.now() })).some(({ courierId }) => courierId === courier);
  expect(await isKnown()).toBe(true);
  clock.moveBy(5 * 60_000);
  // A report without a location counts as contact, but the stored location still ages.
  expect(await savePosition(db, { courierId: courier, reportedAt: clock.now() })).toBe(true);
  expect(await find(courier)).toMatchObject({ place: { latitude: 41 }, reportedAt: clock.now() });
  clock.moveBy(5 * 60_000 + 1);
  await clearOldPlaces(db, clock.now());
  expect(await isKnown()).toBe(false);
  expect(await find(courier)).toMatchObject({ place: null, reportedAt: clock.now() - 5 * 60_000 - 1 });
  await setCourierDuty(service.app, {
    courierId: courier,
    scope: 'everything',
    onDuty: false,
    actor: { name: 'test' },
  });
  await setCourierDuty(service.app, { courierId: courier, scope: 'everything', onDuty: true, actor: { name: 'test' } });
  expect(await find(courier)).toMatchObject({ reportedAt: null });
});

test('an order is locked to a courier and unlocked, and the lock survives the next plan', async () => {
  const { db } = service.app;
  const courierId = await newCourier('Deniz');
  const orderId = await newOrder();
  expect(await lockOrder(service.app, { scope: 'everything', orderId, courierId, actor: { name: 'test' } })).toEqual({
    kind: 'changed',
  });
  const plan: OrderPlan = {
    orderId,
    courierId,
    pickupPlace: 0,
    dropoffPlace: 1,
    pickupAt: clock.now(),
    dropoffAt: clock.now(),
    explanation: { kind: 'waiting', reason: 'NO_ROOM', until: null },
  };
  await saveOrderPlans(db, [plan], clock.now());
  await saveOrderPlans(db, [{ ...plan, dropoffPlace: 2, explanation: null }], clock.now());
  expect(await listOrderPlans(db, [orderId])).toMatchObject([{ lockedTo: courierId, explanation: plan.explanation }]);
  const [live] = await listLiveOrders(db, [orderId], clock.now());
  expect(live).toMatchObject({ lockedTo: courierId, planned: { courierId, pickupPlace: 0, dropoffPlace: 2 } });
  await lockOrder(service.app, { scope: 'everything', orderId, courierId: null, actor: { name: 'test' } });
  expect(await listOrderPlans(db, [orderId])).toMatchObject([{ lockedTo: null }]);
  const nobody = { scope: 'everything' as const, orderId, courierId: randomUUID(), actor: { name: 'test' } };
  expect(await lockOrder(service.app, nobody)).toMatchObject({ refusal: { code: 'COURIER_001' } });
  expect(await lockOrder(service.app, { ...nobody, orderId: randomUUID() })).toMatchObject({
    refusal: { code: 'ORDER_002' },
  });
});

test('the operator reassigns an order in every state before pickup, even when accepted', async () => {
  const [first, second, third] = [await newCourier('E'), await newCourier('F'), await newCourier('G')];
  const orderId = await newOrder();
  const move = (courierId: string) =>
    moveOrder(service.app, { scope: 'everything', orderId, courierId, actor: { name: 'test' } });
  expect(await move(first)).toMatchObject({ kind: 'changed', state: 'ASSIGNED' });
  expect(await move(second)).toMatchObject({ kind: 'changed', state: 'ASSIGNED' });
  const accept = { name: 'accept' } as const;
  await service.app.changer.change({
    scope: 'everything',
    orderId,
    command: accept,
    actor: { role: 'courier', courierId: second },
  });
  expect(await move(third)).toMatchObject({ kind: 'changed', state: 'ACCEPTED' });
  const history = await listOrderHistory(service.app.db, orderId);
  expect(history.at(-1)).toMatchObject({ kind: 'courier_replaced', courierId: third, actor: 'operator' });
  await setCourierDuty(service.app, { courierId: first, scope: 'everything', onDuty: false, actor: { name: 'test' } });
  expect(await move(first)).toMatchObject({ refusal: { code: 'COURIER_003', facts: { name: 'E' } } });
});

test('a command based on outdated state changes nothing', async () => {
  const courierId = await newCourier('H');
  const orderId = await newOrder();
  const command = { name: 'assign', courierId } as const;
  const actor = { role: 'operator' } as const;
  const seen = { state: 'ROUTED', courierId: null } as const;
  expect(await service.app.changer.change({ scope: 'everything', orderId, command, actor, seen })).toEqual({
    kind: 'unchanged',
    state: 'VALIDATED',
  });
  const right = { state: 'VALIDATED', courierId: null } as const;
  expect(await service.app.changer.change({ scope: 'everything', orderId, command, actor, seen: right })).toMatchObject(
    { kind: 'changed' },
  );
});

test('an area has one planner at a time, and another can claim it after a release', async () => {
  const { db } = service.app;
  const [area, one, other] = [randomUUID(), randomUUID(), randomUUID()];
  expect(await claimAreas(db, one, [area])).toEqual([{ id: area, isReplanWanted: false }]);
  expect(await claimAreas(db, other, [area])).toEqual([]);
  await requestReplan(service.app, { actor: { name: 'test' } });
  expect(await claimAreas(db, one, [area])).toEqual([{ id: area, isReplanWanted: true }]);
  expect(await listHeldAreas(db, one, [area])).toEqual([{ id: area, isReplanWanted: true }]);
  expect(await listHeldAreas(db, other, [area])).toEqual([]);
  await releaseAreas(db, one);
  expect(await listHeldAreas(db, one, [area])).toEqual([]);
  expect(await claimAreas(db, other, [area])).toHaveLength(1);
});

test('planners are notified of order changes by others, not of their own', async () => {
  const [orderId, courierId] = [await newOrder(), await newCourier('Joan')];
  const { databaseUrl, masterKey } = service;
  const planning = await startService({
    databaseUrl,
    masterKey,
    roles: [],
    platform: createPlatform(undefined, clock),
  });
  const queries = vi.spyOn(planning.app.db, 'query');
  const countNotices = () =>
    queries.mock.calls.filter(([statement]) => typeof statement !== 'string' && statement.name === 'notify_planners')
      .length;
  const change = (command: Command, actor: Actor) =>
    planning.app.changer.change({ scope: 'everything', orderId, command, actor });
  expect(await change({ name: 'route' }, { role: 'planner' })).toMatchObject({ kind: 'changed' });
  expect(countNotices()).toBe(0);
  const selected = await change({ name: 'select', courierId }, { role: 'operator' });
  expect(selected).toMatchObject({ kind: 'changed' });
  expect(countNotices()).toBe(1);
  await planning.stop();
});

test('a plan records what changed and fulfills only replan requests made before it started', async () => {
  const { db } = service.app;
  const [area, planner, orderId, courierId] = [randomUUID(), randomUUID(), await newOrder(), await newCourier('Eve')];
  await claimAreas(db, planner, [area]);
  await requestReplan(service.app, { actor: { name: 'test' } });
  const place = { courierId, pickupPlace: 0, dropoffPlace: 1, pickupAt: clock.now(), dropoffAt: clock.now() };
  const news: OrderPlan[] = [{ orderId, ...place, explanation: { kind: 'accepted', courierId } }];
  const summary = {
    orders: 1,
    waiting: 0,
    couriers: 1,
    cost: 3,
    durationMs: 2,
    rounds: 1,
    travelTimes: 'estimate',
    bridgedShare: 0,
  };
  // This plan was started before the replan was requested.
  await recordPlan(db, area, { news: [], summary, at: clock.now(), isWished: false });
  expect(await listHeldAreas(db, planner, [area])).toEqual([{ id: area, isReplanWanted: true }]);
  await recordPlan(db, area, { news, summary, at: clock.now(), isWished: true });
  expect(await listOrderPlans(db, [orderId])).toMatchObject([{ orderId, courierId, plannedAt: clock.now() }]);
  const planned = (await listPlannedAreas(db)).find(({ id }) => id === area);
  expect(planned).toMatchObject({ plannedAt: clock.now(), summary });
  expect(await listHeldAreas(db, planner, [area])).toEqual([{ id: area, isReplanWanted: false }]);
  await recordPlan(db, area, { news: [], summary: { ...summary, rounds: 7 }, at: clock.now(), isWished: false });
  expect((await listPlannedAreas(db)).find(({ id }) => id === area)).toMatchObject({ summary: { rounds: 7 } });
});

test('plans and alarms are deleted only for finished orders, among the given ids or all', async () => {
  const { db } = service.app;
  const orderIds = [await newOrder(), await newOrder(), await newOrder()];
  const [live = '', named = '', other = ''] = orderIds;
  const place = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
  await saveOrderPlans(
    db,
    orderIds.map((orderId) => ({ orderId, ...place, explanation: null })),
    clock.now(),
  );
  const alarm = { kind: 'PROBLEM_REPORTED', courierId: null, detail: 'A test', raisedAt: clock.now() } as const;
  for (const orderId of orderIds) await raiseAlarm(db, { orderId, ...alarm });
  const cancellation = { reasonId: 'OTHER', by: 'Restaurant', text: 'Test' } as const;
  for (const orderId of [named, other]) {
    await service.app.changer.change({
      scope: 'everything',
      orderId,
      command: { name: 'cancel', cancellation },
      actor: { role: 'operator' },
    });
  }
  const listLeft = async () => {
    const alarms = await db.query<{ orderId: string }>(
      'select order_id from planning_alarms where order_id = any($1::uuid[]) order by order_id',
      [orderIds],
    );
    const plans = await listOrderPlans(db, orderIds);
    return { plans: plans.map(({ orderId }) => orderId).toSorted(), alarms: alarms.map(({ orderId }) => orderId) };
  };
  await deleteFinishedPlans(db, [live, named]);
  const left = [live, other].toSorted();
  expect(await listLeft()).toEqual({ plans: left, alarms: left });
  await deleteFinishedPlans(db, null);
  expect(await listLeft()).toEqual({ plans: [live], alarms: [live] });
});

test('order facts are read from the submitted content', async () => {
  const orderId = await newOrder({
    pickup: { location: { latitude: 41.1, longitude: 29.1 } },
    dropoff: { location: { latitude: 0, longitude: 0 } },
    timing: { prepMinutes: 7, maxDeliveryMinutes: 20 },
    package: { count: 3 },
    requirements: { vehicle: ['CAR'], canCombine: false },
  });
  expect((await listOrderFacts(service.app.db, [orderId])).values).toEqual([
    {
      id: orderId,
      approvedAt: expect.any(Number),
      wantedAt: null,
      pickup: { latitude: 41.1, longitude: 29.1 },
      dropoff: null,
      prepMinutes: 7,
      readyAt: null,
      windowStart: null,
      windowEnd: null,
      maxDeliveryMinutes: 20,
      bags: 3,
      vehicles: ['CAR'],
      canCombine: false,
    },
  ]);
});

test('a photo type is recognized by its first bytes', () => {
  expect(sniffPhotoType(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe('image/jpeg');
  expect(sniffPhotoType(Buffer.from('RIFF0000WEBPVP8 '))).toBe('image/webp');
  expect(sniffPhotoType(Buffer.from('RIFF0000WAVE'))).toBeUndefined();
  expect(sniffPhotoType(Buffer.from('<html>'))).toBeUndefined();
  expect(sniffPhotoType(Buffer.alloc(0))).toBeUndefined();
});
