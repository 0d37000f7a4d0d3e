// Accepted times that lie far from now: yesterday, next week, another century.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, RESTAURANT } from '../../../test/planning/area-updates.ts';
import { courierOf, KITCHEN, MINUTE_MS, NOW, orderOf } from '../../../test/planning/plan-request.ts';
import { describeArea, listAlarms, type AreaSnapshot } from '../areas/round.ts';
import type { PlanEffort, PlannedOrder, PlanRequest } from '../areas/plan-request.ts';
import { solve } from './solve.ts';
import { TravelTimeCache } from '../travel/travel-time-cache.ts';

const tools = {
  travelTimes: new TravelTimeCache({ monotonicMs: () => 0, provider: null }),
  monotonicMs: () => 0,
  yieldPoint: () => undefined,
};
const EFFORT: PlanEffort = { isThorough: false, explainsAll: true, inTurn: { first: 0, count: 0 } };
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEARBY = { ...KITCHEN, latitude: 41.03 };

function plan(request: Omit<PlanRequest, 'now'>): PlannedOrder[] {
  return solve({ now: NOW, ...request }, EFFORT, tools).orders;
}

test('an order that a courier can deliver now is planned for any times from year 1 to year 9999', () => {
  const [first, last] = [new Date(0).setUTCFullYear(1), new Date(0).setUTCFullYear(9999)];
  const anyTime = fc.oneof(
    fc.integer({ min: first, max: last }),
    fc.integer({ min: NOW - 2 * DAY_MS, max: NOW + 2 * DAY_MS }),
  );
  const past = anyTime.map((at) => Math.min(at, NOW + 90 * MINUTE_MS));
  const times = fc.record({ readyAt: past, dueAt: anyTime, dropoffFrom: fc.option(past) });
  fc.assert(
    fc.property(times, (order) => {
      const [planned] = plan({ orders: [orderOf('o', order)], couriers: [courierOf('c', { place: NEARBY })] });
      expect(planned).toMatchObject({ courierId: 'c', reason: { kind: 'placed' } });
      const wait = (planned?.dropoffAt ?? Infinity) - Math.max(NOW, order.readyAt, order.dropoffFrom ?? NOW);
      expect(wait).toBeLessThan(45 * MINUTE_MS);
    }),
    {
      examples: [
        [{ readyAt: NOW, dueAt: first, dropoffFrom: first }],
        [{ readyAt: first, dueAt: last, dropoffFrom: null }],
      ],
    },
  );
});

test('a courier whose accepted order is ready only tomorrow delivers other orders first', () => {
  const held = orderOf('tomorrow', {
    readyAt: NOW + DAY_MS,
    dueAt: NOW + DAY_MS + 30 * MINUTE_MS,
    heldBy: 'c',
    planned: { courierId: 'c', pickupPlace: 0, dropoffPlace: 1 },
  });
  const [tomorrow, soon] = plan({ orders: [held, orderOf('now')], couriers: [courierOf('c')] });
  expect(soon).toMatchObject({ courierId: 'c', pickupPlace: 0, dropoffPlace: 1 });
  expect(tomorrow).toMatchObject({ courierId: 'c', pickupPlace: 2, pickupAt: held.readyAt });
});

test('a courier on the way to food that is ready soon is not diverted', () => {
  const held = orderOf('soon', {
    pickup: NEARBY,
    readyAt: NOW + 25 * MINUTE_MS,
    dueAt: NOW + 2 * DAY_MS,
    heldBy: 'c',
    planned: { courierId: 'c', pickupPlace: 0, dropoffPlace: 1 },
  });
  expect(plan({ orders: [held, orderOf('now')], couriers: [courierOf('c')] })[0]).toMatchObject({ pickupPlace: 0 });
});

test('the alarm of an order wanted last week gives its lateness in days', () => {
  const wanted = NOW - 7 * DAY_MS;
  const known = knownOrderOf('o', { facts: { wantedAt: wanted, windowStart: wanted, windowEnd: wanted + MINUTE_MS } });
  const area: AreaSnapshot = {
    now: NOW,
    orders: [known],
    byId: new Map([['o', known]]),
    restaurants: new Map([[RESTAURANT.id, RESTAURANT]]),
    couriers: [courierAtWorkOf('ada')],
    onDuty: new Set(['ada']),
  };
  const problem = describeArea(area);
  expect(listAlarms(area, problem, plan(problem.request))).toEqual([
    { orderId: 'o', kind: 'NO_COURIER_IN_TIME', courierId: 'ada', detail: 'It will be 7 days late.' },
  ]);
});
