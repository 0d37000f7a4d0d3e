import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Insertion } from './search/insertion.ts';
import { Journal } from './search/undo-journal.ts';
import { Neighborhood } from './search/neighborhood.ts';
import { findFaults } from './plan-check.ts';
import { type Plan, planRoutes } from './plan.ts';
import { Placer } from './search/placer.ts';
import {
  emptyCourierColumns,
  emptyOrderColumns,
  NEVER,
  NOBODY,
  type PlanningProblem,
  UNREACHABLE,
} from './search/problem.ts';
import { Routes } from './search/routes.ts';
import { SeededRandom } from './search/seeded-random.ts';

const PRICES = { travel: 0.2, waiting: 0.1, delay: 1, lateness: 2, latenessSquared: 0.001, maxPastSeconds: NEVER };

interface Shape {
  orders: number;
  couriers: number;
  seed: number;
  mixing: PlanningProblem['mixing'];
  /** Windows and limits so tight that some orders do not fit. */
  tight: boolean;
  /** Some travel times are missing. */
  gaps: boolean;
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  orders: fc.integer({ min: 0, max: 14 }),
  couriers: fc.integer({ min: 0, max: 6 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
  mixing: fc.constantFrom<PlanningProblem['mixing'][]>('any', 'one-pickup-place'),
  tight: fc.boolean(),
  gaps: fc.boolean(),
});

/** A small town: restaurants shared by several orders, asymmetric travel times, a few gaps. */
function makeProblem({ orders: count, couriers: courierCount, seed, mixing, tight, gaps }: Shape): PlanningProblem {
  const random = new SeededRandom(seed);
  const restaurants = 1 + Math.floor(count / 3);
  const locationCount = restaurants + count + courierCount;
  const points = Array.from({ length: locationCount }, () => [random.nextBelow(1200), random.nextBelow(1200)] as const);
  const travel = new Int32Array(2 * locationCount * locationCount);
  for (let cell = 0; cell < travel.length; cell++) {
    const [fromX, fromY] = points[Math.floor(cell / locationCount) % locationCount] ?? [0, 0];
    const [toX, toY] = points[cell % locationCount] ?? [0, 0];
    const ride = Math.round(Math.hypot(fromX - toX, fromY - toY));
    const isGap = gaps && ride > 0 && random.nextFraction() < 0.01;
    travel[cell] = isGap ? UNREACHABLE : ride + (ride > 0 ? random.nextBelow(60) : 0);
  }
  const { stops, orders } = emptyOrderColumns(count);
  for (let order = 0; order < count; order++) {
    const ready = random.nextBelow(3600);
    stops.location.set([random.nextBelow(restaurants), restaurants + order], 2 * order);
    stops.earliest[2 * order] = ready;
    stops.arriving.set([random.nextBelow(120), 60], 2 * order);
    stops.leaving.set([random.nextBelow(120), 60], 2 * order);
    if (tight && random.nextFraction() < 0.3) stops.latest[2 * order + 1] = ready + 1500;
    orders.size[order] = 1 + random.nextBelow(2);
    orders.alone[order] = random.nextFraction() < 0.1 ? 1 : 0;
    orders.earliestDropoff[order] = ready;
    orders.due[order] = ready + 1800;
    orders.leaveOutPrice[order] = 20_000;
    orders.announcedTo[order] = courierCount > 0 ? random.nextBelow(courierCount) : NOBODY;
    orders.changePrice[order] = random.nextBelow(300);
  }
  const couriers = emptyCourierColumns(courierCount);
  for (let courier = 0; courier < courierCount; courier++) {
    couriers.location[courier] = restaurants + count + courier;
    couriers.available[courier] = random.nextBelow(1800);
    couriers.shiftEnd[courier] = tight ? 1800 + random.nextBelow(3600) : 20_000;
    couriers.capacity[courier] = 1 + random.nextBelow(5);
    couriers.profile[courier] = random.nextBelow(2);
    couriers.orderPrice[courier] = random.nextBelow(50);
  }
  const problem: PlanningProblem = {
    locationCount,
    travel,
    stops,
    orders,
    couriers,
    prices: PRICES,
    mixing,
    maxRouteStops: 12,
    lastRoutes: [],
    lockedStops: new Int32Array(courierCount),
  };
  if (tight)
    problem.allowed = Uint8Array.from({ length: count * courierCount }, () => (random.nextBelow(8) > 0 ? 1 : 0));
  return problem;
}

/** Simulates a later moment: some routes have started, with their first stops locked and first orders on board. */
function carryOn(problem: PlanningProblem, plan: Plan, seed: number): PlanningProblem {
  const random = new SeededRandom(seed);
  const orders = {
    ...problem.orders,
    pinnedTo: problem.orders.pinnedTo.slice(),
    carried: problem.orders.carried.slice(),
  };
  const couriers = {
    ...problem.couriers,
    location: problem.couriers.location.slice(),
    available: problem.couriers.available.slice(),
  };
  const lockedStops = new Int32Array(plan.routes.length);
  const lastRoutes = plan.routes.map((route, courier) => {
    const stops = route.map(({ stop }) => stop);
    const locked = stops.slice(0, random.nextBelow(stops.length + 1));
    for (const stop of locked) orders.pinnedTo[Math.floor(stop / 2)] = courier;
    const [first] = route;
    const isUnderWay = first !== undefined && locked.length > 0 && random.nextFraction() < 0.5;
    if (isUnderWay) {
      orders.carried[Math.floor(first.stop / 2)] = 1;
      couriers.location[courier] = problem.stops.location[first.stop] ?? 0;
      couriers.available[courier] = first.time + (problem.stops.leaving[first.stop] ?? 0);
    }
    lockedStops[courier] = isUnderWay ? locked.length - 1 : locked.length;
    return isUnderWay ? stops.slice(1) : stops;
  });
  return { ...problem, orders, couriers, lastRoutes, lockedStops };
}

/** The cost of a plan, computed only from its stops and times. */
function priceOf(problem: PlanningProblem, plan: Pick<Plan, 'routes' | 'waiting'>): number {
  const { orders, couriers, stops, prices } = problem;
  const size = problem.locationCount;
  let total = plan.waiting.reduce((sum, order) => sum + (orders.leaveOutPrice[order] ?? 0), 0);
  for (const [courier, route] of plan.routes.entries()) {
    let place = couriers.location[courier] ?? 0;
    let left = couriers.available[courier] ?? 0;
    for (const [index, { stop, time }] of route.entries()) {
      const order = Math.floor(stop / 2);
      const to = stops.location[stop] ?? 0;
      const ride = problem.travel[((couriers.profile[courier] ?? 0) * size + place) * size + to] ?? 0;
      total += prices.travel * ride;
      const before = route[index - 1];
      const isShared = before !== undefined && before.stop % 2 === 0 && stop % 2 === 0 && place === to;
      const arrival = isShared ? before.time : left + ride + (stops.arriving[stop] ?? 0);
      if (stop % 2 === 0 && index > 0) total += prices.waiting * (time - arrival);
      if (stop % 2 === 1) {
        const late = Math.max(0, time - (orders.due[order] ?? 0));
        total += prices.delay * (time - (orders.earliestDropoff[order] ?? 0));
        total += late * prices.lateness + late * late * prices.latenessSquared + (couriers.orderPrice[courier] ?? 0);
        const announced = orders.announcedTo[order] ?? NOBODY;
        if (announced !== NOBODY && announced !== courier) total += orders.changePrice[order] ?? 0;
      }
      place = to;
      left = time + (stops.leaving[stop] ?? 0);
    }
  }
  return total;
}

/** Inserts each order at its cheapest place and does no search. */
function insertOnly(problem: PlanningProblem): Pick<Plan, 'routes' | 'waiting'> {
  const routes = new Routes(problem);
  const neighborhood = new Neighborhood(routes);
  const insertion = new Insertion(routes, new SeededRandom(1));
  new Placer({ routes, neighborhood, insertion, journal: new Journal(routes) }).placeAbsent(() => undefined);
  const read = (route: number) =>
    Array.from({ length: routes.length[route] ?? 0 }, (_, index) => {
      const at = route * routes.stride + index;
      return { stop: routes.stop[at] ?? 0, time: routes.time[at] ?? 0 };
    });
  return {
    routes: Array.from({ length: routes.courierCount }, (_, route) => read(route)),
    waiting: [...routes.absent.subarray(0, routes.absentCount)],
  };
}

/** Idle couriers who could carry the order for less than the price of leaving it out. */
function findWhoCouldTakeIt(problem: PlanningProblem, plan: Plan, order: number): number[] {
  const { stops, couriers, orders, travel, locationCount } = problem;
  const [pickup, dropoff] = [2 * order, 2 * order + 1];
  const others = Array.from(orders.size.keys()).filter((other) => other !== order);
  return plan.routes.flatMap((route, courier) => {
    if (route.length > 0) return [];
    const ride = (from: number, to: number) =>
      travel[((couriers.profile[courier] ?? 0) * locationCount + from) * locationCount + to] ?? 0;
    const [kitchen, address] = [stops.location[pickup] ?? 0, stops.location[dropoff] ?? 0];
    const there = (couriers.available[courier] ?? 0) + ride(couriers.location[courier] ?? 0, kitchen);
    const fetched = Math.max(there + (stops.arriving[pickup] ?? 0), stops.earliest[pickup] ?? 0);
    const arrived = fetched + (stops.leaving[pickup] ?? 0) + ride(kitchen, address) + (stops.arriving[dropoff] ?? 0);
    const brought = Math.max(arrived, stops.earliest[dropoff] ?? 0);
    const alone = [
      { stop: pickup, time: fetched },
      { stop: dropoff, time: brought },
    ];
    const routes = plan.routes.map((_, index) => (index === courier ? alone : []));
    const leftOut = priceOf(problem, { routes: plan.routes.map(() => []), waiting: [...others, order] });
    const isWorthIt = priceOf(problem, { routes, waiting: others }) < leftOut - 1e-6;
    return isWorthIt && findFaults(problem, { routes, waiting: others }).length === 0 ? [courier] : [];
  });
}

describe('every plan', () => {
  test('is feasible, and every order is placed or explained', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const problem = makeProblem(shape);
        const plan = planRoutes(problem, { seed: shape.seed, maxRounds: 60, explain: 'all' });
        expect(findFaults(problem, plan)).toEqual([]);
        expect(plan.explanations).toHaveLength(shape.orders);
        for (const [order, explanation] of plan.explanations.entries()) {
          const courier = plan.routes.findIndex((route) => route.some(({ stop }) => stop === 2 * order + 1));
          expect(explanation).toMatchObject(courier === -1 ? { kind: 'waiting' } : { kind: 'placed', courier });
        }
      }),
    );
  });

  test('is feasible when only the nearest couriers are tried', () => {
    const large = fc.record({
      orders: fc.integer({ min: 40, max: 80 }),
      couriers: fc.integer({ min: 25, max: 50 }),
      seed: fc.integer({ min: 1, max: 1e6 }),
      mixing: fc.constantFrom<PlanningProblem['mixing'][]>('any', 'one-pickup-place'),
      tight: fc.boolean(),
      gaps: fc.boolean(),
    });
    fc.assert(
      fc.property(large, (shape) => {
        const problem = makeProblem(shape);
        const plan = planRoutes(problem, { seed: shape.seed, maxRounds: 100, explain: 'all' });
        expect(findFaults(problem, plan)).toEqual([]);
        expect(plan.cost).toBeCloseTo(priceOf(problem, plan), 4);
        expect(plan.cost).toBeLessThanOrEqual(plan.insertionCost + 1e-6);
        for (const order of plan.waiting) expect(findWhoCouldTakeIt(problem, plan, order)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('is feasible when removing a stop makes the later stops wait longer', () => {
    const shape: Shape = {
      orders: 78,
      couriers: 26,
      seed: 520_653,
      mixing: 'one-pickup-place',
      tight: true,
      gaps: true,
    };
    const problem = makeProblem(shape);
    const plan = planRoutes(problem, { seed: shape.seed, maxRounds: 100, explain: 'all' });
    expect(findFaults(problem, plan)).toEqual([]);
  });

  test('costs exactly the cost it reports', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const problem = makeProblem(shape);
        const plan = planRoutes(problem, { seed: shape.seed, maxRounds: 60 });
        expect(plan.cost).toBeCloseTo(priceOf(problem, plan), 4);
      }),
    );
  });

  test('is never worse than insertion alone', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const problem = makeProblem(shape);
        const plan = planRoutes(problem, { seed: shape.seed, maxRounds: 80 });
        expect(plan.insertionCost).toBeCloseTo(priceOf(problem, insertOnly(problem)), 4);
        expect(plan.cost).toBeLessThanOrEqual(plan.insertionCost + 1e-6);
      }),
    );
  });

  test('is deterministic for a given seed', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const options = { seed: shape.seed, maxRounds: 50, explain: 'all' } as const;
        expect(planRoutes(makeProblem(shape), options)).toEqual(planRoutes(makeProblem(shape), options));
      }),
    );
  });

  test('is never worse than the last plan when nothing changed', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const problem = makeProblem(shape);
        const first = planRoutes(problem, { seed: shape.seed, maxRounds: 40 });
        const lastRoutes = first.routes.map((route) => route.map(({ stop }) => stop));
        const second = planRoutes({ ...problem, lastRoutes }, { seed: shape.seed + 1, maxRounds: 0 });
        expect(second.cost).toBeLessThanOrEqual(first.cost + 1e-6);
      }),
    );
  });
});

describe('accepted orders', () => {
  test('stay with their courier, and locked stops do not change', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 1e6 }), (shape, seed) => {
        const start = makeProblem({ ...shape, gaps: false });
        const problem = carryOn(start, planRoutes(start, { seed, maxRounds: 20 }), seed);
        const plan = planRoutes(problem, { seed, maxRounds: 60, explain: 'all' });
        expect(findFaults(problem, plan)).toEqual([]);
        for (const [courier, last] of problem.lastRoutes.entries()) {
          const locked = last.slice(0, problem.lockedStops[courier]);
          expect(plan.routes[courier]?.slice(0, locked.length).map(({ stop }) => stop)).toEqual(locked);
        }
      }),
    );
  });

  test('are planned even when the last plan dropped them and the shift is over', () => {
    const problem = makeProblem({ orders: 3, couriers: 1, seed: 7, mixing: 'any', tight: false, gaps: false });
    problem.orders.pinnedTo[1] = 0;
    problem.orders.pinnedTo[2] = 0;
    problem.orders.carried[2] = 1;
    problem.couriers.shiftEnd.fill(0);
    const plan = planRoutes(problem, { seed: 1, maxRounds: 50, explain: 'all' });
    expect(plan.waiting).toEqual([0]);
    expect(plan.routes[0]?.map(({ stop }) => stop).toSorted((a, b) => a - b)).toEqual([2, 3, 5]);
    expect(plan.explanations[0]).toEqual({ kind: 'waiting', reason: 'SHIFTS_END' });
    expect(plan.explanations[1]).toEqual({ kind: 'accepted', courier: 0 });
  });
});

test('the reported cost of a position equals the increase in plan cost', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const routes = new Routes(makeProblem(shape));
      const insertion = new Insertion(routes, new SeededRandom(1));
      const journal = new Journal(routes);
      const placer = new Placer({ routes, neighborhood: new Neighborhood(routes), insertion, journal });
      for (let order = 0; order < shape.orders; order++) {
        if (!placer.find(order)) continue;
        const before = routes.totalRouteCost;
        placer.place(order);
        expect(routes.totalRouteCost - before).toBeCloseTo(insertion.delta, 4);
      }
    }),
  );
});

test('yielding after each placed or explained order and each route does not change the plan', () => {
  const problem = makeProblem({ orders: 14, couriers: 6, seed: 7, mixing: 'any', tight: false, gaps: false });
  const plan = (maxRounds: number) => {
    let yields = 0;
    const options = { seed: 3, maxRounds, explain: 'all' as const };
    const made = planRoutes(problem, { ...options, yieldPoint: () => (yields += 1) });
    expect(made).toEqual(planRoutes(problem, options));
    return { yields, rounds: made.rounds };
  };
  // Six routes are loaded and polished, and fourteen orders explained.
  const without = plan(0).yields;
  expect(without).toBeGreaterThanOrEqual(6 + 6 + 14);
  const { yields, rounds } = plan(50);
  expect(yields).toBeGreaterThanOrEqual(without + rounds);
});
