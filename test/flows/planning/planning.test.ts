// An order's life with the planner running: who gets the offer when, and what happens if they do not answer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { setCourierDuty } from '../../../src/actions/couriers/set-courier-duty.ts';
import { OFFER_LIMIT_MS } from '../../../src/domain/couriers/courier.ts';
import type { Actor, Command } from '../../../src/domain/orders/order.ts';
import { createPlatform } from '../../../src/platform.ts';
import { savePosition } from '../../../src/store/couriers/positions.ts';
import { findOrderById, listOrderHistory } from '../../../src/store/orders/orders.ts';
import { listAlarms } from '../../../src/store/planning/alarms.ts';
import { listOrderPlans, type PlanExplanation } from '../../../src/store/planning/plans.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const clock = createSimulatedClock('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ platform: createPlatform(undefined, clock) });
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

// Each test has its own city, so that no courier of another test is near.
let cities = 0;
interface City {
  restaurant: TestRestaurant;
  latitude: number;
  longitude: number;
}

async function buildCity(
  settings: { preparationMinutes?: number; courierWaitLimitMinutes?: number } = {},
): Promise<City> {
  cities += 1;
  const place = { latitude: 10 + cities, longitude: 29 };
  const restaurant = await service.addRestaurant({
    receiver,
    autoApprove: true,
    preparationMinutes: 0,
    ...place,
    ...settings,
  });
  return { restaurant, ...place };
}

async function addCourierIn(city: City, name: string, kilometers: number): Promise<string> {
  const added = await addCourier(service.app, {
    name,
    phone: null,
    latitude: city.latitude + kilometers / 111,
    longitude: city.longitude,
    restaurantId: city.restaurant.id,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

async function place(city: City, orderId: string, more: object = {}): Promise<string> {
  const answer = await service.post(city.restaurant, {
    orderId,
    dropoff: { location: { latitude: city.latitude, longitude: city.longitude + 0.01 } },
    ...more,
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

function act(orderId: string, command: Command, actor: Actor) {
  return service.app.changer.change({ scope: 'everything', orderId, command, actor });
}

const stateOf = async (orderId: string) => (await findOrderById(service.app.db, orderId))?.state;
const courierOf = async (orderId: string) => (await findOrderById(service.app.db, orderId))?.courier?.id;
async function waitUntil(ask: () => Promise<unknown>, is: unknown): Promise<void> {
  await expect.poll(ask, { timeout: 15_000, interval: 50 }).toEqual(is);
}

async function explanationOf(orderId: string): Promise<PlanExplanation | null | undefined> {
  const [plan] = await listOrderPlans(service.app.db, [orderId]);
  return plan?.explanation;
}

async function alarmsOf({ restaurant }: City): Promise<[orderId: string, kind: string][]> {
  return (await listAlarms(service.app.db, restaurant.id)).map(({ orderId, kind }) => [orderId, kind]);
}

function statusesOf(orderId: string): string[] {
  return receiver.requests
    .map((request) => JSON.parse(request.body.toString()) as Record<string, string>)
    .filter((body) => body['orderId'] === orderId && body['event'] === 'order.status_changed')
    .map((body) => body['status'] ?? '');
}

test('approved orders are routed, offered to the nearest courier, and reach DELIVERED with a webhook for each step', async () => {
  const city = await buildCity();
  await addCourierIn(city, 'Far', 6);
  const near = await addCourierIn(city, 'Near', 0.5);
  const id = await place(city, 'whole-life');
  await waitUntil(() => courierOf(id), near);
  const courier: Actor = { role: 'courier', courierId: near };
  expect(await act(id, { name: 'accept' }, courier)).toMatchObject({ kind: 'changed' });
  expect(await act(id, { name: 'prepare' }, { role: 'restaurant' })).toMatchObject({ kind: 'changed' });
  expect(await act(id, { name: 'pick_up' }, courier)).toMatchObject({ kind: 'changed' });
  expect(await act(id, { name: 'deliver' }, courier)).toMatchObject({ kind: 'changed' });
  await receiver.waitFor(() => statusesOf('whole-life').length >= 7, 15_000);
  expect(statusesOf('whole-life')).toEqual([
    'VALIDATED',
    'ROUTED',
    'ASSIGNED',
    'ACCEPTED',
    'PREPARED',
    'ON_DELIVERY',
    'DELIVERED',
  ]);
});

test('an order with a long preparation is routed at once and offered only when its courier has to leave', async () => {
  const city = await buildCity({ preparationMinutes: 30 });
  const courierId = await addCourierIn(city, 'Patient', 1);
  const id = await place(city, 'two-stages');
  await waitUntil(() => stateOf(id), 'ROUTED');
  await waitUntil(async () => (await explanationOf(id))?.kind, 'placed');
  // The planner writes its plan after making the offers of that round.
  expect(await stateOf(id)).toBe('ROUTED');
  const explanation = await explanationOf(id);
  const offerAt = Date.parse(explanation?.kind === 'placed' ? explanation.offerAt : '');
  // A kilometer by bicycle takes 5 minutes, and the offer is sent 90 seconds before the courier has to leave.
  expect((offerAt - clock.now()) / MINUTE_MS).toBeGreaterThan(20);
  expect((offerAt - clock.now()) / MINUTE_MS).toBeLessThan(28);
  const [plan] = await listOrderPlans(service.app.db, [id]);
  expect(((plan?.pickupAt ?? 0) - clock.now()) / MINUTE_MS).toBeCloseTo(30, 0);
  expect(plan?.dropoffAt).toBeGreaterThan(plan?.pickupAt ?? 0);
  // The integrator gets the same times.
  const read = (await (await service.get(city.restaurant, 'order/two-stages')).json()) as {
    eta: { dropoffAt: string };
  };
  expect(Date.parse(read.eta.dropoffAt)).toBe(plan?.dropoffAt);
  clock.moveTo(offerAt + 1_000);
  await waitUntil(() => courierOf(id), courierId);
  expect(await stateOf(id)).toBe('ASSIGNED');
});

// Tills with a wrong clock and replayed old requests send such times.
test.each([
  ['was ready yesterday', { readyAt: '2026-02-28T12:00:00Z' }],
  ['was wanted last week', { dropoffWindow: { start: '2026-02-22T12:00:00Z', end: '2026-02-22T12:30:00Z' } }],
  ['was to be there a minute after it was ready years ago', { readyAt: '2000-01-01T00:00:00Z', maxDeliveryMinutes: 1 }],
])('an order that %s is routed and offered like any other', async (name, timing) => {
  const city = await buildCity();
  const courierId = await addCourierIn(city, 'Free', 1);
  const startedAt = clock.now();
  const id = await place(city, name, { timing });
  await waitUntil(() => courierOf(id), courierId);
  await receiver.waitFor(() => statusesOf(name).length >= 3, 15_000);
  expect(statusesOf(name)).toEqual(['VALIDATED', 'ROUTED', 'ASSIGNED']);
  const [plan] = await listOrderPlans(service.app.db, [id]);
  expect(plan?.dropoffAt).toBeGreaterThan(startedAt);
  expect(plan?.dropoffAt).toBeLessThan(startedAt + 30 * MINUTE_MS);
});

test('an unanswered offer moves on when it expires', async () => {
  const city = await buildCity();
  const first = await addCourierIn(city, 'Asleep', 0.5);
  const second = await addCourierIn(city, 'Awake', 2);
  const id = await place(city, 'unanswered');
  await waitUntil(() => courierOf(id), first);
  clock.moveBy(OFFER_LIMIT_MS);
  await waitUntil(() => courierOf(id), second);
  const late = await act(id, { name: 'accept' }, { role: 'courier', courierId: first });
  expect(late).toMatchObject({ kind: 'refused' });
  const history = await listOrderHistory(service.app.db, id);
  expect(history.find(({ kind }) => kind === 'offer_withdrawn')).toMatchObject({
    courierId: first,
    actor: 'planner',
    detail: 'No answer in time',
  });
});

test('food that is ready before a courier is found is planned without a transition and picked up after acceptance', async () => {
  const city = await buildCity();
  const id = await place(city, 'early');
  expect(await act(id, { name: 'prepare' }, { role: 'restaurant' })).toMatchObject({ state: 'PREPARED' });
  const courierId = await addCourierIn(city, 'Late', 1);
  await waitUntil(() => courierOf(id), courierId);
  const courier: Actor = { role: 'courier', courierId };
  expect(await act(id, { name: 'pick_up' }, courier)).toMatchObject({ kind: 'refused' });
  expect(await act(id, { name: 'accept' }, courier)).toMatchObject({ kind: 'changed', state: 'PREPARED' });
  expect(await act(id, { name: 'pick_up' }, courier)).toMatchObject({ state: 'ON_DELIVERY' });
  await act(id, { name: 'deliver' }, courier);
  await receiver.waitFor(() => statusesOf('early').length >= 4, 15_000);
  expect(statusesOf('early')).toEqual(['VALIDATED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED']);
});

test('lost contact with a courier withdraws offers, keeps accepted orders and raises an alarm', async () => {
  const city = await buildCity();
  const silent = await addCourierIn(city, 'Silent', 0.2);
  const accepted = await place(city, 'dark-accepted');
  await waitUntil(() => courierOf(accepted), silent);
  await act(accepted, { name: 'accept' }, { role: 'courier', courierId: silent });
  await savePosition(service.app.db, {
    courierId: silent,
    latitude: city.latitude,
    longitude: city.longitude,
    reportedAt: clock.now() - 3 * MINUTE_MS + 20_000,
  });
  const offered = await place(city, 'dark-offered');
  await waitUntil(() => courierOf(offered), silent);
  const other = await addCourierIn(city, 'Other', 5);
  clock.moveBy(30_000);
  await waitUntil(() => courierOf(offered), other);
  expect(await courierOf(accepted)).toBe(silent);
  await waitUntil(() => alarmsOf(city), [[accepted, 'COURIER_DARK']]);
  // After a new position report, everything is as before.
  await savePosition(service.app.db, {
    courierId: silent,
    latitude: city.latitude,
    longitude: city.longitude,
    reportedAt: clock.now(),
  });
  await waitUntil(() => alarmsOf(city), []);
});

test('a courier who goes off duty loses only their offers', async () => {
  const city = await buildCity();
  const leaving = await addCourierIn(city, 'Leaving', 0.2);
  const id = await place(city, 'off-duty');
  await waitUntil(() => courierOf(id), leaving);
  const staying = await addCourierIn(city, 'Staying', 3);
  await setCourierDuty(service.app, {
    courierId: leaving,
    scope: 'everything',
    onDuty: false,
    actor: { name: 'test' },
  });
  await waitUntil(() => courierOf(id), staying);
});

test('an order whose drop-off cannot be routed waits and says so', async () => {
  const city = await buildCity();
  await addCourierIn(city, 'Idle', 0.5);
  const id = await place(city, 'nowhere', { dropoff: { address: { line1: 'Somewhere' } } });
  const until = expect.any(String);
  await waitUntil(() => explanationOf(id), { kind: 'waiting', reason: 'NO_DROPOFF_LOCATION', until });
  await waitUntil(() => alarmsOf(city), [[id, 'PLACE_MISSING']]);
  expect(await stateOf(id)).toBe('VALIDATED');
});

test('without a courier an alarm is raised at once, and the System cancels after the restaurant’s limit', async () => {
  const city = await buildCity({ courierWaitLimitMinutes: 10 });
  const id = await place(city, 'nobody');
  const givenUpAt = expect.stringContaining(new Date(clock.now() + 10 * MINUTE_MS).toISOString().slice(0, -5));
  await waitUntil(() => alarmsOf(city), [[id, 'NO_COURIER_IN_TIME']]);
  expect(await explanationOf(id)).toEqual({ kind: 'waiting', reason: 'NOBODY_ON_DUTY', until: givenUpAt });
  clock.moveBy(10 * MINUTE_MS + 1_000);
  await waitUntil(() => stateOf(id), 'CANCELED');
  await waitUntil(() => alarmsOf(city), []);
  expect((await findOrderById(service.app.db, id))?.cancellation).toMatchObject({
    reasonId: 'COURIER_NOT_AVAILABLE',
    by: 'System',
  });
});

test('two orders of one restaurant to the same street share a trip', async () => {
  const city = await buildCity();
  const courierId = await addCourierIn(city, 'Bundler', 0.3);
  const [one, two] = await Promise.all([place(city, 'bundle-1'), place(city, 'bundle-2')]);
  await waitUntil(() => courierOf(one), courierId);
  await waitUntil(() => courierOf(two), courierId);
});
