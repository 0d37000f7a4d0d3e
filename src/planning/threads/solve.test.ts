import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courierOf, KITCHEN, MINUTE_MS, NOW, orderOf } from '../../../test/planning/plan-request.ts';
import { findFaults } from '../../domain/planning/plan-check.ts';
import { UNREACHABLE } from '../../domain/planning/search/problem.ts';
import { VEHICLES } from '../../domain/couriers/courier.ts';
import { buildProblem, listLocations } from './build-problem.ts';
import type { CourierToPlan, OrderToPlan, PlanEffort, PlannedOrder, PlanRequest } from '../areas/plan-request.ts';
import { solve } from './solve.ts';
import { TravelTimeCache, type Rides } from '../travel/travel-time-cache.ts';

const tools = {
  travelTimes: new TravelTimeCache({ monotonicMs: () => 0, provider: null }),
  monotonicMs: () => 0,
  yieldPoint: () => undefined,
};

const EFFORT: PlanEffort = { isThorough: false, explainsAll: true, inTurn: { first: 0, count: 0 } };

const FAR = { latitude: 41.03, longitude: 29 };

function planOne(order: OrderToPlan, couriers: CourierToPlan[]): PlannedOrder | undefined {
  return solve({ now: NOW, orders: [order], couriers }, EFFORT, tools).orders[0];
}

test('the nearest courier gets the order, with the extra cost of the next best', () => {
  const planned = planOne(orderOf('o'), [courierOf('far', { place: FAR }), courierOf('near')]);
  expect(planned).toMatchObject({ courierId: 'near', pickupPlace: 0, dropoffPlace: 1 });
  expect(planned?.reason).toMatchObject({ kind: 'placed', courierId: 'near', nextBest: { courierId: 'far' } });
  expect(planned?.dropoffAt).toBeGreaterThan(planned?.pickupAt ?? 0);
});

test('a courier never gets an order that they may not carry', () => {
  const couriers = [courierOf('near'), courierOf('far', { place: FAR, vehicle: 'CAR' })];
  expect(planOne(orderOf('o', { refusedBy: ['near'] }), couriers)?.courierId).toBe('far');
  expect(planOne(orderOf('o', { lockedTo: 'far' }), couriers)?.courierId).toBe('far');
  expect(planOne(orderOf('o', { vehicles: ['CAR'] }), couriers)?.courierId).toBe('far');
  expect(planOne(orderOf('o', { bags: 3 }), [courierOf('near', { capacity: 2 }), courierOf('far')])?.courierId).toBe(
    'far',
  );
  const strangers = [courierOf('near', { restaurantId: 'another' })];
  expect(planOne(orderOf('o'), strangers)?.reason).toEqual({ kind: 'waiting', reason: 'NOBODY_ALLOWED' });
  expect(planOne(orderOf('o'), [])?.reason).toEqual({ kind: 'waiting', reason: 'NOBODY_ON_DUTY' });
});

test('a courier who refused an order locked to them is not asked again at once, and no other courier is', () => {
  const couriers = [courierOf('near'), courierOf('far', { place: FAR })];
  const refused = planOne(orderOf('o', { lockedTo: 'far', refusedBy: ['far'] }), couriers);
  expect(refused?.reason).toEqual({ kind: 'waiting', reason: 'NOBODY_ALLOWED' });
});

test('a courier who takes no more orders keeps theirs and gets none, not even one locked to them', () => {
  const silent = courierOf('near', { takesMore: false });
  const couriers = [silent, courierOf('far', { place: FAR })];
  expect(planOne(orderOf('o', { heldBy: 'near' }), couriers)?.courierId).toBe('near');
  expect(planOne(orderOf('o'), couriers)?.courierId).toBe('far');
  expect(planOne(orderOf('o', { lockedTo: 'near' }), couriers)?.reason).toEqual({
    kind: 'waiting',
    reason: 'NOBODY_ALLOWED',
  });
  expect(planOne(orderOf('o'), [silent])?.reason).toEqual({ kind: 'waiting', reason: 'NOBODY_ON_DUTY' });
});

test('of two equally near couriers, the one farther from the other kitchens goes', () => {
  const south = { ...KITCHEN, latitude: KITCHEN.latitude - 0.005 };
  const north = { ...KITCHEN, latitude: KITCHEN.latitude + 0.005 };
  const busyNorth = Array.from({ length: 4 }, (_, index) =>
    orderOf(`held${index}`, { pickup: { ...KITCHEN, latitude: 41.01 }, heldBy: 'holder' }),
  );
  const couriers = [
    courierOf('holder', { place: FAR, capacity: 9 }),
    courierOf('north', { place: north }),
    courierOf('south', { place: south }),
  ];
  const chosen = (orders: OrderToPlan[]) => {
    const plan = solve({ now: NOW, orders, couriers }, EFFORT, tools);
    return plan.orders.find(({ orderId }) => orderId === 'o');
  };
  expect(chosen([orderOf('o', { dropoff: KITCHEN }), ...busyNorth])).toMatchObject({
    courierId: 'south',
    reason: { nextBest: { courierId: 'north' } },
  });
});

test('no order of a busy kitchen waits or is very late while a courier farther away is idle', () => {
  const couriers = Array.from({ length: 60 }, (_, index) =>
    courierOf(`c${index}`, { place: { ...KITCHEN, longitude: KITCHEN.longitude + index / 5_000 } }),
  );
  const orders = Array.from({ length: 120 }, (_, index) => {
    const angle = (index / 120) * 2 * Math.PI;
    const dropoff = { latitude: 41 + Math.sin(angle) / 100, longitude: 29 + Math.cos(angle) / 75 };
    return orderOf(`o${index}`, { dropoff });
  });
  const { orders: planned, summary } = solve({ now: NOW, orders, couriers }, EFFORT, tools);
  expect(summary.waiting).toBe(0);
  const late = planned.filter(({ dropoffAt }) => (dropoffAt ?? Infinity) > NOW + 60 * MINUTE_MS);
  expect(late).toEqual([]);
  expect(new Set(planned.map(({ courierId }) => courierId)).size).toBeGreaterThan(40);
});

test('every order is explained in turn, although nothing changes', () => {
  const couriers = Array.from({ length: 25 }, (_, index) => courierOf(`c${index}`, { place: FAR }));
  const orders = Array.from({ length: 25 }, (_, index) =>
    orderOf(`o${index}`, { planned: { courierId: `c${index}`, pickupPlace: 0, dropoffPlace: 1 } }),
  );
  const request = { now: NOW, orders, couriers };
  const explainedFrom = (first: number) => {
    const effort = { isThorough: false, explainsAll: false, inTurn: { first, count: 10 } };
    const { orders: planned } = solve(request, effort, tools);
    return planned.flatMap(({ orderId, reason }) => (reason === undefined ? [] : [orderId]));
  };
  const explained = [0, 10, 20].flatMap(explainedFrom);
  expect(new Set(explained).size).toBe(25);
  expect(explained.length).toBeLessThan(3 * 25);
});

test('an order that cannot be delivered within a day waits, and the best available courier is named', () => {
  const distant = orderOf('o', { dropoff: { latitude: 43, longitude: 29 } });
  expect(planOne(distant, [courierOf('far', { place: FAR }), courierOf('near')])?.reason).toMatchObject({
    kind: 'waiting',
    reason: 'COSTS_TOO_MUCH',
    cheapest: { courierId: 'near' },
  });
});

test('each vehicle has its own travel times', () => {
  const couriers = [courierOf('slow', { place: FAR }), courierOf('fast', { place: FAR, vehicle: 'CAR' })];
  expect(planOne(orderOf('o'), couriers)?.courierId).toBe('fast');
});

test('no pickup is planned after the end of a shift', () => {
  const order = orderOf('o', { readyAt: NOW + 20 * MINUTE_MS });
  const ending = courierOf('ending', { shiftEndsAt: NOW + 10 * MINUTE_MS });
  expect(planOne(order, [ending])?.reason).toEqual({ kind: 'waiting', reason: 'SHIFTS_END' });
  expect(planOne(order, [ending, courierOf('far', { place: FAR })])?.courierId).toBe('far');
});

test('an accepted order stays with its courier, and one on board is only dropped off', () => {
  const couriers = [courierOf('near'), courierOf('far', { place: FAR })];
  expect(planOne(orderOf('o', { heldBy: 'far', refusedBy: ['far'] }), couriers)?.courierId).toBe('far');
  const carried = planOne(orderOf('o', { heldBy: 'far', isCarried: true }), couriers);
  expect(carried).toMatchObject({ courierId: 'far', pickupAt: null, leaveAt: null, dropoffPlace: 0 });
});

test('a change to an announced plan must gain more than it costs', () => {
  const slightlyFar = { latitude: 41.0005, longitude: 29 };
  const couriers = [courierOf('near'), courierOf('announced', { place: slightlyFar })];
  expect(planOne(orderOf('o'), couriers)?.courierId).toBe('near');
  expect(planOne(orderOf('o', { announcedTo: 'announced' }), couriers)?.courierId).toBe('announced');
});

test('an order that must travel alone does, and other orders share a trip', () => {
  const together = [orderOf('one'), orderOf('two')];
  const shared = solve({ now: NOW, orders: together, couriers: [courierOf('c')] }, EFFORT, tools).orders;
  expect(shared.map(({ pickupPlace }) => pickupPlace).toSorted()).toEqual([0, 1]);
  const apart = [orderOf('one', { canCombine: false }), orderOf('two')];
  const alone = solve({ now: NOW, orders: apart, couriers: [courierOf('c')] }, EFFORT, tools).orders;
  expect(alone.map(({ pickupPlace }) => pickupPlace).toSorted()).toEqual([0, 2]);
});

test('an order that must travel alone goes to the nearest courier, regardless of spare capacity', () => {
  const couriers = [courierOf('near', { capacity: 2 }), courierOf('far', { place: FAR, capacity: 99 })];
  expect(planOne(orderOf('o', { canCombine: false }), couriers)?.courierId).toBe('near');
});

test('an accepted order without a known way is planned without times', () => {
  const orders = ['one', 'two', 'three', 'four'].map((id) => orderOf(id, { heldBy: 'c' }));
  const locationCount = 2 * orders.length + 1;
  const noWay: Rides = {
    seconds: new Int32Array(VEHICLES.length * locationCount ** 2).fill(UNREACHABLE),
    locationCount,
    slots: Int32Array.from({ length: locationCount }, (_, index) => index),
    source: 'estimate',
    bridgedShare: 0,
  };
  const lost = { ...tools, travelTimes: { lookUp: () => noWay } };
  const answer = solve({ now: NOW, orders, couriers: [courierOf('c')] }, EFFORT, lost).orders;
  expect(answer).toHaveLength(4);
  for (const order of answer) expect(order).toMatchObject({ courierId: 'c', pickupAt: null, dropoffAt: null });
});

test('a courier may leave just in time to arrive when the food is ready', () => {
  const readyAt = NOW + 30 * MINUTE_MS;
  const planned = planOne(orderOf('o', { readyAt }), [courierOf('c', { place: FAR })]);
  const ride = readyAt - (planned?.leaveAt ?? 0);
  // 3.3 km by bicycle and a minute to park.
  expect(ride / MINUTE_MS).toBeGreaterThan(15);
  expect(ride / MINUTE_MS).toBeLessThan(22);
  expect(planned?.pickupAt).toBe(readyAt);
});

const near = fc.record({
  latitude: fc.double({ min: 41, max: 41.05, noNaN: true }),
  longitude: fc.double({ min: 29, max: 29.05, noNaN: true }),
});

const requests: fc.Arbitrary<PlanRequest> = fc
  .record({
    kitchens: fc.array(near, { minLength: 1, maxLength: 3 }),
    orders: fc.array(
      fc.record({
        dropoff: near,
        kitchen: fc.nat(2),
        minutes: fc.integer({ min: -20, max: 60 }),
        bags: fc.integer({ min: 1, max: 5 }),
        holder: fc.integer({ min: -3, max: 3 }),
        isCarried: fc.boolean(),
        place: fc.option(fc.nat(8)),
      }),
      { maxLength: 8 },
    ),
    riders: fc.array(
      fc.record({ place: near, vehicle: fc.constantFrom(...VEHICLES), capacity: fc.integer({ min: 1, max: 6 }) }),
      { maxLength: 4 },
    ),
  })
  .map(({ kitchens, orders, riders }) => ({
    now: NOW,
    couriers: riders.map((rider, index) => courierOf(`c${index}`, rider)),
    orders: orders.map((order, index) => {
      const heldBy = order.holder >= 0 && order.holder < riders.length ? `c${order.holder}` : null;
      const courierId = heldBy ?? 'c0';
      return orderOf(`o${index}`, {
        pickup: kitchens[order.kitchen % kitchens.length] ?? KITCHEN,
        dropoff: order.dropoff,
        readyAt: NOW + order.minutes * MINUTE_MS,
        bags: order.bags,
        heldBy,
        // Rules from after the acceptance no longer count.
        refusedBy: heldBy === null ? [] : [heldBy],
        isCarried: heldBy !== null && order.isCarried,
        planned:
          order.place === null
            ? null
            : { courierId, pickupPlace: order.place * 10 + index, dropoffPlace: order.place * 10 + index + 5 },
      });
    }),
  }));

test('for any request, the plan keeps every rule and every order has a place or a reason', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const { orders } = solve(request, EFFORT, tools);
      const locations = listLocations(request);
      const vehicles = [...new Set(request.couriers.map(({ vehicle }) => vehicle))].toSorted();
      const rides = tools.travelTimes.lookUp(locations.places, vehicles);
      const problem = buildProblem(request, locations, { rides });
      const routes = request.couriers.map(({ id }) =>
        orders
          .flatMap((order, index) => [
            { order, stop: 2 * index, place: order.pickupPlace, at: order.pickupAt },
            { order, stop: 2 * index + 1, place: order.dropoffPlace, at: order.dropoffAt },
          ])
          .filter(({ order, place }) => order.courierId === id && place !== null)
          .toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
          .map(({ stop, at }) => ({ stop, time: Math.round(((at ?? 0) - NOW) / 1_000) })),
      );
      const waiting = orders.flatMap(({ courierId }, index) => (courierId === null ? [index] : []));
      expect(findFaults(problem, { routes, waiting })).toEqual([]);
      for (const index of waiting) expect(orders[index]?.reason?.kind).toBe('waiting');
    }),
  );
});
