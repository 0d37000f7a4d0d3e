import { expect, test } from 'vitest';
import { courierAtWorkOf, knownOrderOf, questionOf, RESTAURANT } from '../../../test/planning/area-updates.ts';
import { KITCHEN, MINUTE_MS, NOW } from '../../../test/planning/plan-request.ts';
import { AreaPlanner } from './area-state.ts';
import type { AreaQuestion } from './updates.ts';
import type { KnownOrder } from './describe-order.ts';
import type { PlanRequest } from './plan-request.ts';
import { solve } from '../threads/solve.ts';
import { TravelTimeCache } from '../travel/travel-time-cache.ts';

// A clock that advances on every read, so that searches end.
let ms = 0;
const monotonicMs = () => (ms += 20);
const tools = {
  travelTimes: new TravelTimeCache({ monotonicMs, provider: null }),
  monotonicMs,
  yieldPoint: () => undefined,
};

const ROWS = 20;
const STEP_DEGREES = 0.01;

/** Kitchens on a grid of 1.1 km, each with a customer a few hundred meters to the east; no offer is due soon. */
function orderAt(
  id: string,
  { row, column }: { row: number; column: number },
  more: Parameters<typeof knownOrderOf>[1] = {},
) {
  const pickup = {
    latitude: KITCHEN.latitude + row * STEP_DEGREES,
    longitude: KITCHEN.longitude + column * STEP_DEGREES,
  };
  const dropoff = { ...pickup, longitude: pickup.longitude + STEP_DEGREES / 3 };
  return knownOrderOf(id, { ...more, facts: { prepMinutes: 60, pickup, dropoff, ...more.facts } });
}

const courierAt = (id: string, row: number, column: number) =>
  courierAtWorkOf(id, {
    place: { latitude: KITCHEN.latitude + row * STEP_DEGREES, longitude: KITCHEN.longitude + column * STEP_DEGREES },
  });

/** 200 orders and 100 couriers, all planned; the planner's own writes are fed back to it. */
function openCity() {
  const planner = new AreaPlanner([RESTAURANT]);
  const requests: PlanRequest[] = [];
  const ask = (question: Partial<AreaQuestion>) => {
    const answer = planner.answer(questionOf(question), (request, effort) => {
      requests.push(request);
      return solve(request, effort, tools);
    });
    if (answer.kind !== 'planned') throw new Error(`the answer is ${answer.kind}`);
    return answer;
  };
  const places = Array.from({ length: 200 }, (_, index) => ({ row: index % ROWS, column: Math.floor(index / ROWS) }));
  const orders = places.map((place, index) => orderAt(`o${index}`, place));
  const here = places
    .filter((_, index) => index % 2 === 0)
    .map(({ row, column }) => courierAt(`c${row}-${column}`, row, column));
  const { plans, summary } = ask({ orders, couriers: { here, elsewhere: [] } });
  expect(summary.waiting).toBe(0);
  const planned = plans.map(({ orderId, courierId, pickupPlace, dropoffPlace }): KnownOrder => {
    const known = orders.find(({ order }) => order.id === orderId);
    if (known === undefined || courierId === null || dropoffPlace === null) throw new Error('an order has no place');
    return { ...known, order: { ...known.order, planned: { courierId, pickupPlace, dropoffPlace } } };
  });
  const idsOf = (request: PlanRequest | undefined) => request?.orders.map(({ id }) => id) ?? [];
  return { ask, requests, planned, here, idsOf };
}

test('in a large area a new order is planned with nearby couriers, and all other plans stay unchanged', () => {
  const { ask, requests, planned, idsOf } = openCity();
  const near = { row: 3, column: 3 };
  const answer = ask({ now: NOW + 500, orders: [...planned, orderAt('new', near)] });
  expect(requests).toHaveLength(2);
  expect(idsOf(requests[1])).toContain('new');
  expect(idsOf(requests[1]).length).toBeLessThan(100);
  expect(answer.summary.orders).toBe(200);
  const touched = new Set(requests[1]?.couriers.map(({ id }) => id));
  expect(answer.plans.find(({ orderId }) => orderId === 'new')).toMatchObject({ explanation: { kind: 'placed' } });
  for (const { courierId } of answer.plans) expect(touched).toContain(courierId);
  const whole = openCity();
  const again = whole.ask({ now: NOW + 500, orders: [...whole.planned, orderAt('new', near)], isReplanWanted: true });
  const arrival = (plans: typeof answer.plans) => plans.find(({ orderId }) => orderId === 'new')?.dropoffAt ?? Infinity;
  expect(idsOf(whole.requests[1])).toHaveLength(201);
  expect(arrival(answer.plans)).toBeLessThanOrEqual(arrival(again.plans) + MINUTE_MS);
});

test('an order that ends is replanned with its courier alone', () => {
  const { ask, requests, planned, idsOf } = openCity();
  const [first] = planned;
  const courierId = first?.order.planned?.courierId;
  ask({ now: NOW + 500, orders: planned, gone: [first?.order.id ?? ''] });
  expect(requests[1]?.couriers.map(({ id }) => id)).toEqual([courierId]);
  expect(idsOf(requests[1])).not.toContain(first?.order.id);
});

test('an order that no nearby courier can take is planned with all couriers', () => {
  const { ask, requests, planned, here } = openCity();
  const alone = 'c18-8';
  const refusedBy = here.map(({ id }) => id).filter((id) => id !== alone);
  const answer = ask({ now: NOW + 500, orders: [...planned, orderAt('new', { row: 0, column: 0 }, { refusedBy })] });
  expect(requests.slice(1).map(({ orders }) => orders.length < 100)).toEqual([true, false]);
  expect(answer.plans.find(({ orderId }) => orderId === 'new')).toMatchObject({ courierId: alone });
});

test('a whole area is replanned when its plan is old, when couriers change and when many orders change', () => {
  const isWholeAfter = (question: Partial<AreaQuestion>) => {
    const { ask, requests, planned } = openCity();
    ask({ orders: [...planned, orderAt('new', { row: 3, column: 3 })], ...question });
    return (requests.at(-1)?.orders.length ?? 0) > 200;
  };
  const { here } = openCity();
  const { ask, requests, planned } = openCity();
  ask({ now: NOW + 10_000, orders: planned });
  expect(requests.at(-1)?.orders).toHaveLength(200);
  expect(isWholeAfter({ now: NOW + 10_999 })).toBe(false);
  expect(isWholeAfter({ now: NOW + 11_000 })).toBe(true);
  const moved = here.map((courier) => ({ ...courier, place: KITCHEN }));
  expect(isWholeAfter({ now: NOW + 3_999, couriers: { here: moved, elsewhere: [] } })).toBe(false);
  expect(isWholeAfter({ now: NOW + 6_000, couriers: { here: moved, elsewhere: [] } })).toBe(true);
  expect(isWholeAfter({ now: NOW + 500, couriers: { here: here.slice(1), elsewhere: [] } })).toBe(true);
  const many = Array.from({ length: 9 }, (_, index) => orderAt(`new${index}`, { row: index, column: 3 }));
  expect(isWholeAfter({ now: NOW + 500, orders: many })).toBe(true);
});

test('a partial plan leaves alarms outside its part unchanged', () => {
  const { ask, planned } = openCity();
  const late = (id: string, row: number) =>
    orderAt(id, { row, column: 3 }, { facts: { prepMinutes: 0, wantedAt: NOW, windowEnd: NOW - 60 * MINUTE_MS } });
  const first = ask({ now: NOW + 500, orders: [...planned, late('late', 3)] });
  expect(first.alarms?.raised.map(({ orderId }) => orderId)).toEqual(['late']);
  const second = ask({ now: NOW + 1_000, orders: [late('later', 18)] });
  expect(second.alarms?.raised.map(({ orderId }) => orderId)).toEqual(['later']);
  expect(second.alarms?.orderIds).not.toContain('late');
  expect(second.alarms?.orderIds).toContain('later');
});
