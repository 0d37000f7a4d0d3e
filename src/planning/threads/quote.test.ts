// Couriers' quotes for one more order: the planner's own price, and the figures shown with it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courierOf, MINUTE_MS, NOW, orderOf } from '../../../test/planning/plan-request.ts';
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { planRoutes } from '../../domain/planning/plan.ts';
import { buildProblem, listLocations } from './build-problem.ts';
import type { CourierToPlan, OrderToPlan, PlanRequest } from '../areas/plan-request.ts';
import { quote, solve } from './solve.ts';
import { TravelTimeCache } from '../travel/travel-time-cache.ts';

const travelTimes = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
const tools = { travelTimes, monotonicMs: () => 0, yieldPoint: () => undefined };

function quoteFor(order: OrderToPlan, couriers: CourierToPlan[], others: OrderToPlan[] = []) {
  return quote({ now: NOW, orderId: order.id, orders: [...others, order], couriers }, tools);
}

/** As the service stores it: each order with its place in the last plan. */
function keepPlan(request: PlanRequest): OrderToPlan[] {
  const { orders } = solve(request, { isThorough: false, explainsAll: true, inTurn: { first: 0, count: 0 } }, tools);
  return request.orders.flatMap((order, index) => {
    const { courierId = null, pickupPlace = null, dropoffPlace = null } = orders[index] ?? {};
    if (courierId === null || dropoffPlace === null) return [];
    return [{ ...order, announcedTo: courierId, planned: { courierId, pickupPlace, dropoffPlace } }];
  });
}

/** The cost of the plan that keeps the orders in place and inserts new ones where they cost least. */
function costOfPlan(request: PlanRequest): number {
  const locations = listLocations(request);
  const vehicles: Vehicle[] = ['BICYCLE', 'CAR'];
  const rides = travelTimes.lookUp(locations.places, vehicles);
  const problem = buildProblem(request, locations, { rides });
  return planRoutes(problem, { seed: 1, maxRounds: 0 }).insertionCost;
}

const places = fc.record({
  latitude: fc.double({ min: 40.98, max: 41.02, noNaN: true }),
  longitude: fc.double({ min: 28.98, max: 29.02, noNaN: true }),
});
const towns = fc.record({
  couriers: fc.array(fc.record({ place: places, vehicle: fc.constantFrom<Vehicle[]>('BICYCLE', 'CAR') }), {
    minLength: 1,
    maxLength: 5,
  }),
  orders: fc.array(fc.record({ dropoff: places, ready: fc.integer({ min: 0, max: 40 }) }), {
    minLength: 1,
    // Even all of them on one route have fewer stops than the longest allowed route.
    maxLength: 6,
  }),
});

test('a courier’s quote equals the planner’s cost when the order is locked to them', () => {
  fc.assert(
    fc.property(towns, (town) => {
      const couriers = town.couriers.map((courier, index) => courierOf(`c${index}`, courier));
      const [wanted = orderOf('o'), ...others] = town.orders.map(({ dropoff, ready }, index) =>
        orderOf(`o${index}`, { dropoff, readyAt: NOW + ready * MINUTE_MS, dueAt: NOW + (ready + 25) * MINUTE_MS }),
      );
      const kept = keepPlan({ now: NOW, orders: others, couriers });
      const without = costOfPlan({ now: NOW, orders: kept, couriers });
      const quotes = quoteFor(wanted, couriers, kept);
      for (const { courierId, extraCost, misfit } of quotes) {
        if (misfit !== null) continue;
        const locked = costOfPlan({ now: NOW, orders: [...kept, { ...wanted, lockedTo: courierId }], couriers });
        expect(Math.abs(locked - without - extraCost)).toBeLessThan(1);
      }
      expect(quotes.length).toBe(couriers.length);
      expect(quotes.some(({ misfit }) => misfit === null)).toBe(true);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('an idle courier rides to the pickup and on to the drop-off; the detour is that ride', () => {
  const [near, far] = quoteFor(orderOf('o'), [
    courierOf('near'),
    courierOf('far', { place: { latitude: 41.02, longitude: 29 } }),
  ]);
  expect(near).toMatchObject({ courierId: 'near', misfit: null, pushesBackSeconds: 0 });
  expect(far?.detourSeconds).toBeGreaterThan((near?.detourSeconds ?? 0) + 300);
  expect(near?.dropoffAt).toBeGreaterThan((near?.pickupAt ?? 0) + (near?.detourSeconds ?? 0) * 1_000);
});

test('a courier already going that way is nearly free, and a delay of another customer is reported', () => {
  const other = orderOf('other', { heldBy: 'busy', dropoff: { latitude: 41.01, longitude: 29 } });
  const away = orderOf('away', { heldBy: 'far', dropoff: { latitude: 40.97, longitude: 29 } });
  const couriers = [courierOf('busy'), courierOf('far')];
  const others = keepPlan({ now: NOW, orders: [other, away], couriers });
  const dropoff = { latitude: 41.0101, longitude: 29 };
  const [busy, far] = quoteFor(orderOf('o', { dropoff: dropoff, dueAt: NOW + 20 * MINUTE_MS }), couriers, others);
  expect(busy?.detourSeconds).toBeLessThan(60);
  expect(far?.detourSeconds).toBeGreaterThan(500);
  expect(far?.extraCost).toBeGreaterThan(busy?.extraCost ?? Infinity);
  expect(far?.pushesBackSeconds).toBeGreaterThan(60);
});

test('a courier whom the planner cannot use is quoted with the order at the end of their route, and with the reason', () => {
  const quotes = quoteFor(orderOf('o', { bags: 3, readyAt: NOW + 20 * MINUTE_MS }), [
    courierOf('small', { capacity: 2 }),
    courierOf('ending', { shiftEndsAt: NOW + 10 * MINUTE_MS }),
    courierOf('good'),
  ]);
  expect(quotes.map(({ courierId, misfit }) => [courierId, misfit])).toEqual([
    ['small', 'TOO_LARGE'],
    ['ending', 'SHIFTS_END'],
    ['good', null],
  ]);
  const [small, , good] = quotes;
  expect(small?.dropoffAt).toBe(good?.dropoffAt);
});

test('with 300 couriers and 1,000 orders, forty candidates are quoted within 200 ms', () => {
  const around = (index: number) => ({ latitude: 41 + (index % 20) / 1_000, longitude: 29 + (index % 23) / 1_000 });
  const couriers = Array.from({ length: 40 }, (_, index) => courierOf(`c${index}`, { place: around(index) }));
  const held = Array.from({ length: 134 }, (_, index) =>
    orderOf(`h${index}`, { heldBy: `c${index % 40}`, pickup: around(3 * index), dropoff: around(7 * index) }),
  );
  const tookMs = Array.from({ length: 5 }, () => {
    const startedMs = performance.now();
    expect(quoteFor(orderOf('o'), couriers, held)).toHaveLength(40);
    return performance.now() - startedMs;
  });
  // The minimum, because the others may have waited for a processor.
  expect(Math.min(...tookMs)).toBeLessThan(200);
});
