import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { addCourier } from '../../../actions/couriers/add-courier.ts';
import { reportPosition } from '../../../actions/couriers/report-position.ts';
import { setCourierDuty } from '../../../actions/couriers/set-courier-duty.ts';
import { mapAnswer, type MapAnswer } from '../../../contract/panel/planning/map.ts';
import { POSITION_KEPT_MS } from '../../../domain/couriers/courier.ts';
import type { Place } from '../../../domain/geo.ts';
import type { Actor, Command } from '../../../domain/orders/order.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { savePosition } from '../../../store/couriers/positions.ts';
import { raiseAlarm } from '../../../store/planning/alarms.ts';
import { saveOrderLock, saveOrderPlans, type OrderPlan } from '../../../store/planning/plans.ts';

let service: TestService;
let fontana: TestRestaurant;
let atelier: TestRestaurant;
let owner: Browser;
let neighbor: Browser;
let operator: Browser;

const FONTANA = { latitude: 40.98, longitude: 29.02 };
const ATELIER = { latitude: 41.05, longitude: 28.97 };

beforeAll(async () => {
  service = await startService({ roles: ['api'] });
  fontana = await service.addRestaurant({ name: 'Fontana', autoApprove: true, preparationMinutes: 10, ...FONTANA });
  atelier = await service.addRestaurant({ name: 'Atelier', autoApprove: true, timeZone: 'Europe/Berlin', ...ATELIER });
  owner = await signInAs(service, 'owner', { restaurant: fontana });
  neighbor = await signInAs(service, 'staff', { restaurant: atelier });
  operator = await signInAs(service, 'operator');
});

afterAll(() => service.stop());

async function place(restaurant: TestRestaurant, content: object): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID(), ...content });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

const to = (latitude: number, longitude: number, line1 = 'Moda Caddesi 12') => ({
  dropoff: { address: { line1 }, location: { latitude, longitude } },
});

async function give(orderId: string, courierId: string, steps: ('accept' | 'prepare' | 'pick_up')[]): Promise<void> {
  const all: Command[] = [{ name: 'assign', courierId }, ...steps.map((name) => ({ name }))];
  for (const command of all) {
    const isCourier = command.name === 'accept' || command.name === 'pick_up';
    const actor = isCourier ? ({ role: 'courier', courierId } as const) : ({ role: 'restaurant' } as const);
    const result = await service.app.changer.change({ scope: 'everything', orderId, command, actor });
    expect({ command: command.name, kind: result.kind }).toEqual({ command: command.name, kind: 'changed' });
  }
}

async function plan(plans: (Partial<OrderPlan> & { orderId: string })[]): Promise<void> {
  const none = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
  await saveOrderPlans(
    service.app.db,
    plans.map((one) => ({ ...none, explanation: null, ...one })),
    service.app.clock.now(),
  );
}

async function look(browser: Browser, path = '/api/map'): Promise<MapAnswer> {
  const { status, body } = await browser.get(path);
  expect(status).toBe(200);
  const map = mapAnswer.parse(body);
  // Nothing beyond the contract: a position in a courier's list would reveal how many stops they have for others.
  expect(body).toEqual(map);
  return map;
}

const ANYWHERE = { latitude: null, longitude: null };

async function hire(name: string, restaurant: TestRestaurant, waitsAt: Place | null = null): Promise<string> {
  const profile = { name, phone: null, ...(waitsAt ?? ANYWHERE), restaurantId: restaurant.id };
  const added = await addCourier(service.app, { ...profile, onDuty: true, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

const orderOf = (map: MapAnswer, id: string) => map.orders.find((order) => order.id === id);
const courierOf = (map: MapAnswer, id: string) => map.couriers.find((courier) => courier.id === id);

test('a restaurant sees its orders and their couriers, and no trace of the couriers’ other orders', async () => {
  const shared = await service.addCourier('Ada of the pool');
  const mine = await place(fontana, to(40.981, 29.03));
  const carried = await place(fontana, to(40.99, 29.04));
  const foreign = await place(atelier, to(41.06, 28.98, 'Secret Street 9'));
  await give(mine, shared, ['accept']);
  await give(carried, shared, ['accept', 'prepare', 'pick_up']);
  await give(foreign, shared, ['accept']);
  await reportPosition(service.app, shared, { latitude: 41, longitude: 29 });
  const now = service.app.clock.now();
  await plan([
    { orderId: mine, courierId: shared, pickupPlace: 4, dropoffPlace: 5, dropoffAt: now + 9 * MINUTE_MS },
    { orderId: carried, courierId: shared, dropoffPlace: 1, dropoffAt: now + 3 * MINUTE_MS },
    { orderId: foreign, courierId: shared, pickupPlace: 0, dropoffPlace: 3, dropoffAt: now + 5 * MINUTE_MS },
  ]);

  const own = await look(owner);
  expect(own.restaurants).toEqual([{ id: fontana.id, name: 'Fontana', place: FONTANA, timeZone: 'Europe/Istanbul' }]);
  expect(own).toMatchObject({ total: 2 });
  expect(own.orders.map(({ id }) => id)).toEqual([mine, carried]);
  const stops = courierOf(own, shared)?.stops;
  expect(stops?.map(({ orderId, kind }) => [orderId, kind])).toEqual([
    [carried, 'dropoff'],
    [mine, 'pickup'],
    [mine, 'dropoff'],
  ]);
  expect(stops?.[1]).toMatchObject(FONTANA);
  const answer = JSON.stringify(own);
  for (const trace of [foreign, 'Secret Street', atelier.id, 'Atelier', '41.06']) expect(answer).not.toContain(trace);

  const other = await look(neighbor);
  expect(other.orders.map(({ id }) => id)).toEqual([foreign]);
  expect(courierOf(other, shared)?.stops.map(({ orderId }) => orderId)).toEqual([foreign, foreign]);

  const all = await look(operator, '/api/operator/map');
  expect(all.restaurants.map(({ name, timeZone }) => [name, timeZone])).toEqual([
    ['Atelier', 'Europe/Berlin'],
    ['Fontana', 'Europe/Istanbul'],
  ]);
  expect(courierOf(all, shared)?.stops.map(({ orderId, kind }) => [orderId, kind])).toEqual([
    [foreign, 'pickup'],
    [carried, 'dropoff'],
    [foreign, 'dropoff'],
    [mine, 'pickup'],
    [mine, 'dropoff'],
  ]);
});

test('the map shows a restaurant’s own couriers and pool couriers who accepted, and no others', async () => {
  const pool = await service.addCourier('Somebody of the pool');
  const ours = await hire('Ours', fontana);
  const theirs = await hire('Theirs', atelier);
  const asked = await place(fontana, to(40.97, 29.01));
  await give(asked, pool, []);
  for (const id of [pool, ours, theirs]) await reportPosition(service.app, id, { latitude: 40.5, longitude: 29.5 });

  const own = await look(owner);
  expect(courierOf(own, ours)).toMatchObject({ name: 'Ours', position: { latitude: 40.5 }, isDark: false, stops: [] });
  expect([courierOf(own, pool), courierOf(own, theirs)]).toEqual([undefined, undefined]);
  expect(orderOf(own, asked)?.courier).toEqual({ id: pool, name: 'Somebody of the pool', standing: 'offered' });
  expect(courierOf(await look(neighbor), ours)).toBeUndefined();
  const all = await look(operator, '/api/operator/map');
  for (const id of [pool, ours, theirs]) expect(courierOf(all, id)).toBeDefined();

  await service.app.changer.change({
    scope: 'everything',
    orderId: asked,
    command: { name: 'accept' },
    actor: { role: 'courier', courierId: pool },
  });
  expect(courierOf(await look(owner), pool)).toMatchObject({ position: { longitude: 29.5 } });
});

test('an off-duty courier is not shown, and an outdated position is hidden', async () => {
  const gone = await hire('Gone home', fontana);
  const silent = await hire('Silent', fontana);
  const longAgo = service.app.clock.now() - POSITION_KEPT_MS - 1_000;
  await savePosition(service.app.db, { courierId: silent, latitude: 40.5, longitude: 29.5, reportedAt: longAgo });
  expect(courierOf(await look(owner), gone)).toBeDefined();
  await setCourierDuty(service.app, { courierId: gone, scope: 'everything', onDuty: false, actor: { name: 'test' } });
  for (const map of [await look(owner), await look(operator, '/api/operator/map')]) {
    expect(courierOf(map, gone)).toBeUndefined();
    expect(courierOf(map, silent)).toMatchObject({ position: null, isDark: true });
  }
});

test('a courier without a report is shown at the usual waiting place, only on duty and never once silent', async () => {
  const waitsAt = { latitude: 40.97, longitude: 29.05 };
  const ours = await hire('Waiting', fontana, waitsAt);
  const theirs = await hire('Waiting elsewhere', atelier, waitsAt);
  const turn = (onDuty: boolean) =>
    setCourierDuty(service.app, { courierId: ours, scope: 'everything', onDuty, actor: { name: 'test' } });
  const seen = async () =>
    [await look(owner), await look(operator, '/api/operator/map')].map((map) => courierOf(map, ours));
  const unreported = { position: { ...waitsAt, reportedAt: null }, isDark: false };
  expect(await seen()).toMatchObject([unreported, unreported]);
  expect(courierOf(await look(owner), theirs)).toBeUndefined();
  await reportPosition(service.app, ours, { latitude: 40.5, longitude: 29.5 });
  const reported = { latitude: 40.5, longitude: 29.5, reportedAt: expect.any(String) };
  expect(await seen()).toMatchObject([{ position: reported }, { position: reported }]);
  await turn(false);
  expect(await seen()).toEqual([undefined, undefined]);
  await turn(true);
  expect(await seen()).toMatchObject([unreported, unreported]);
  const longAgo = service.app.clock.now() - POSITION_KEPT_MS - 1_000;
  await savePosition(service.app.db, { courierId: ours, latitude: 40.5, longitude: 29.5, reportedAt: longAgo });
  const silent = { position: null, isDark: true };
  expect(await seen()).toMatchObject([silent, silent]);
});

test('each order shows when it is due and the reason for its state, with names', async () => {
  const [best, second] = [await hire('Bo', fontana), await hire('Cem', fontana)];
  const third = await hire('Dia', fontana);
  const placed = await place(fontana, { ...to(40.975, 29.025), timing: { maxDeliveryMinutes: 45 } });
  const waiting = await place(fontana, {});
  const offerAt = new Date(service.app.clock.now()).toISOString();
  await plan([
    {
      orderId: placed,
      courierId: best,
      pickupPlace: 0,
      dropoffPlace: 1,
      explanation: {
        kind: 'placed',
        courierId: best,
        extraCost: 240,
        nextBest: { courierId: second, extraCost: 90 },
        offerAt,
      },
    },
    {
      orderId: waiting,
      explanation: {
        kind: 'waiting',
        reason: 'COSTS_TOO_MUCH',
        until: offerAt,
        cheapest: { courierId: third, extraCost: 9_000 },
      },
    },
  ]);
  const alarm = {
    orderId: waiting,
    kind: 'NO_COURIER_IN_TIME',
    courierId: null,
    detail: 'Nobody will be in time',
  } as const;
  await raiseAlarm(service.app.db, { ...alarm, raisedAt: service.app.clock.now() });

  const map = await look(owner);
  expect(orderOf(map, placed)).toMatchObject({
    courier: { id: best, name: 'Bo', standing: 'planned' },
    why: {
      kind: 'placed',
      courier: { name: 'Bo' },
      extraCost: 240,
      nextBest: { courier: { name: 'Cem' }, extraCost: 90 },
    },
  });
  expect(orderOf(map, waiting)).toMatchObject({
    dropoff: null,
    courier: null,
    why: {
      kind: 'waiting',
      reason: 'COSTS_TOO_MUCH',
      until: offerAt,
      cheapest: { courier: { name: 'Dia' }, extraCost: 9_000 },
    },
    alarms: [{ kind: 'NO_COURIER_IN_TIME', detail: 'Nobody will be in time' }],
  });
  const ageMs = (id: string) => Date.parse(orderOf(map, id)?.dueAt ?? '') - service.app.clock.now();
  // Ten minutes in the kitchen, plus what the order allows or the default half hour.
  expect(Math.round(ageMs(placed) / MINUTE_MS)).toBe(55);
  expect(Math.round(ageMs(waiting) / MINUTE_MS)).toBe(40);

  // A courier of another restaurant has no name here, even if an earlier plan mentions them.
  const theirs = await hire('Nobody of ours', atelier);
  const nextBest = { courierId: theirs, extraCost: 90 };
  await plan([
    {
      orderId: placed,
      courierId: best,
      explanation: { kind: 'placed', courierId: best, extraCost: 1, nextBest, offerAt },
    },
  ]);
  const nameSeenBy = async (browser: Browser, path?: string) => {
    const why = orderOf(await look(browser, path), placed)?.why;
    return why?.kind === 'placed' ? why.nextBest?.courier.name : undefined;
  };
  expect(await nameSeenBy(owner)).toBeNull();
  expect(await nameSeenBy(operator, '/api/operator/map')).toBe('Nobody of ours');

  // After an assignment by hand, the last plan is no longer the reason.
  await give(placed, second, []);
  expect(orderOf(await look(owner), placed)).toMatchObject({
    courier: { name: 'Cem', standing: 'offered' },
    why: { kind: 'offered', courier: { name: 'Cem' } },
  });
});

test('why a courier was chosen is shown while they have the order, and so is a choice by hand', async () => {
  const chosen = await service.addCourier('Eda');
  const theirs = await hire('Stranger', atelier);
  const order = await place(fontana, to(40.976, 29.026));
  const offerAt = new Date(service.app.clock.now()).toISOString();
  const nextBest = { courierId: theirs, extraCost: 90 };
  const placed = { kind: 'placed', courierId: chosen, extraCost: 240, nextBest, offerAt } as const;
  await plan([{ orderId: order, courierId: chosen, explanation: placed }]);
  const act = async (orderId: string, command: Command, actor: Actor): Promise<void> => {
    expect((await service.app.changer.change({ scope: 'everything', orderId, command, actor })).kind).toBe('changed');
  };
  const choiceSeenBy = async (browser: Browser, orderId: string) => {
    const path = browser === operator ? '/api/operator/map' : '/api/map';
    const why = orderOf(await look(browser, path), orderId)?.why;
    // The order's page shows the same.
    const page = browser === operator ? '/api/operator/planning/orders' : '/api/planning/orders';
    expect((await browser.get(`${page}/${orderId}`)).body).toMatchObject({ why });
    return why?.kind === 'offered' || why?.kind === 'accepted' ? [why.kind, why.choice] : why;
  };
  const exact = {
    by: 'planner',
    extraCost: 240,
    nextBest: { courier: { id: theirs, name: 'Stranger' }, extraCost: 90 },
  };
  const unknown = { courier: { id: null, name: null }, extraCost: null };

  await act(order, { name: 'route' }, { role: 'planner' });
  await act(order, { name: 'select', courierId: chosen }, { role: 'planner' });
  expect(await choiceSeenBy(operator, order)).toEqual(['offered', exact]);
  expect(await choiceSeenBy(owner, order)).toEqual(['offered', { by: 'planner', extraCost: null, nextBest: unknown }]);
  await act(order, { name: 'accept' }, { role: 'courier', courierId: chosen });
  await plan([{ orderId: order, courierId: chosen, explanation: { kind: 'accepted', courierId: chosen } }]);
  expect(await choiceSeenBy(operator, order)).toEqual(['accepted', exact]);
  expect(await choiceSeenBy(owner, order)).toEqual(['accepted', { by: 'planner', extraCost: 240, nextBest: unknown }]);

  const other = await service.addCourier('Fil');
  await act(order, { name: 'reoffer', courierId: other }, { role: 'operator' });
  expect(await choiceSeenBy(operator, order)).toEqual(['accepted', { by: 'hand' }]);
  // Also for the courier whom the plan would have chosen.
  const byHand = await place(fontana, to(40.977, 29.027));
  await plan([{ orderId: byHand, courierId: chosen, explanation: placed }]);
  await give(byHand, chosen, []);
  expect(await choiceSeenBy(owner, byHand)).toEqual(['offered', { by: 'hand' }]);
  // Without a plan no reason is shown.
  const unplanned = await place(fontana, to(40.978, 29.028));
  await act(unplanned, { name: 'route' }, { role: 'planner' });
  await act(unplanned, { name: 'select', courierId: chosen }, { role: 'planner' });
  expect(await choiceSeenBy(operator, unplanned)).toEqual(['offered', null]);
  // For a locked order, the lock is the reason.
  await saveOrderLock(service.app.db, unplanned, chosen);
  expect(await choiceSeenBy(operator, unplanned)).toEqual(['offered', { by: 'hand' }]);
});

test('finished orders are not on the map', async () => {
  const id = await place(atelier, to(41.055, 28.975));
  expect(orderOf(await look(neighbor), id)).toBeDefined();
  const cancellation = { reasonId: 'CUSTOMER_REQUEST', by: 'Restaurant', text: '' } as const;
  await service.app.changer.change({
    scope: 'everything',
    orderId: id,
    command: { name: 'cancel', cancellation },
    actor: { role: 'restaurant' },
  });
  expect(orderOf(await look(neighbor), id)).toBeUndefined();
});

test('without a configured map style the style URL is null', async () => {
  expect((await owner.get('/api/map-style')).body).toEqual({ styleUrl: null });
});
