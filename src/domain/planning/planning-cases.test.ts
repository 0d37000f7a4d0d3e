// Small towns on one street, where the right plan is obvious: a place is its distance from the start in seconds.
import { describe, expect, test } from 'vitest';
import { findLatestDeparture } from './commitment.ts';
import { measureRemoteness, priceCourier } from './courier-value.ts';
import { findFaults } from './plan-check.ts';
import { type Plan, type PlannedStop, planRoutes } from './plan.ts';
import { explainOrders } from './explain.ts';
import { Insertion } from './search/insertion.ts';
import { Journal } from './search/undo-journal.ts';
import { Neighborhood } from './search/neighborhood.ts';
import { Placer } from './search/placer.ts';
import { Routes } from './search/routes.ts';
import { SeededRandom } from './search/seeded-random.ts';
import { loadLastPlan } from './search/warm-start.ts';
import { emptyCourierColumns, emptyOrderColumns, NEVER, type PlanningProblem, UNREACHABLE } from './search/problem.ts';

interface Street {
  orders: { from: number; to: number; ready?: number }[];
  couriers: { at: number; shiftEnd?: number; capacity?: number }[];
}

function makeStreet({ orders: asked, couriers: present }: Street): PlanningProblem {
  const places = [...new Set([...asked.flatMap(({ from, to }) => [from, to]), ...present.map(({ at }) => at)])];
  const travel = Int32Array.from({ length: places.length ** 2 }, (_, cell) => {
    return Math.abs((places[Math.floor(cell / places.length)] ?? 0) - (places[cell % places.length] ?? 0));
  });
  const { stops, orders } = emptyOrderColumns(asked.length);
  for (const [order, { from, to, ready = 0 }] of asked.entries()) {
    stops.location.set([places.indexOf(from), places.indexOf(to)], 2 * order);
    stops.earliest[2 * order] = ready;
    orders.earliestDropoff[order] = ready + Math.abs(from - to);
    orders.due[order] = ready + 1800;
    orders.leaveOutPrice[order] = 10_000;
  }
  const couriers = emptyCourierColumns(present.length);
  for (const [courier, { at, shiftEnd = 10_000, capacity = 4 }] of present.entries()) {
    couriers.location[courier] = places.indexOf(at);
    couriers.shiftEnd[courier] = shiftEnd;
    couriers.capacity[courier] = capacity;
  }
  return {
    locationCount: places.length,
    travel,
    stops,
    orders,
    couriers,
    prices: { travel: 0.1, waiting: 0, delay: 1, lateness: 1, latenessSquared: 0, maxPastSeconds: NEVER },
    mixing: 'any',
    maxRouteStops: 20,
    lastRoutes: [],
    lockedStops: new Int32Array(present.length),
  };
}

function plan(problem: PlanningProblem): Plan {
  return planRoutes(problem, { seed: 1, maxRounds: 100, explain: 'all' });
}

const visit = (...stops: [stop: number, time: number][]): PlannedStop[] =>
  stops.map(([stop, time]) => ({ stop, time }));

function stopsOf(made: Plan): number[][] {
  return made.routes.map((route) => route.map(({ stop }) => stop));
}

describe('the planner', () => {
  test('sends the nearer courier and reports the extra cost of the other', () => {
    const made = plan(makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }, { at: 400 }] }));
    expect(stopsOf(made)).toEqual([[], [0, 1]]);
    // 400 s later at the drop-off, plus 400 s more travel at a tenth.
    expect(made.explanations).toEqual([
      { kind: 'placed', courier: 1, extraCost: 120, nextBest: { courier: 0, extraCost: 440 } },
    ]);
  });

  test('combines two orders of one restaurant into one trip', () => {
    const street = {
      orders: [
        { from: 100, to: 900 },
        { from: 100, to: 950 },
      ],
      couriers: [{ at: 100 }],
    };
    expect(stopsOf(plan(makeStreet(street)))).toEqual([[expect.any(Number), expect.any(Number), 1, 3]]);
  });

  test('does not hold the first order of a bundle when the second would delay it too much', () => {
    const street = {
      orders: [
        { from: 100, to: 200 },
        { from: 100, to: 200, ready: 1000 },
      ],
      couriers: [{ at: 100 }],
    };
    expect(stopsOf(plan(makeStreet(street)))).toEqual([[0, 1, 2, 3]]);
  });

  test('keeps trips to one restaurant where mixing is not allowed', () => {
    const street = {
      orders: [
        { from: 100, to: 900 },
        { from: 110, to: 910 },
      ],
      couriers: [{ at: 100 }],
    };
    const mixed = makeStreet(street);
    expect(stopsOf(plan(mixed))).toEqual([[0, 2, 1, 3]]);
    expect(stopsOf(plan({ ...mixed, mixing: 'one-pickup-place' }))).toEqual([[0, 1, 2, 3]]);
  });

  test('keeps the announced courier until another is better by more than the cost of a change', () => {
    const problem = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }, { at: 400 }] });
    problem.orders.announcedTo[0] = 0;
    problem.orders.changePrice[0] = 441;
    expect(stopsOf(plan(problem))).toEqual([[0, 1], []]);
    problem.orders.changePrice[0] = 439;
    expect(stopsOf(plan(problem))).toEqual([[], [0, 1]]);
  });

  test('looks beyond the nearest couriers before an order waits, for any missing capability', () => {
    const near = Array.from({ length: 30 }, (_, at) => ({ at: 400 + at, capacity: 1 }));
    const large = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [...near, { at: 2000, capacity: 2 }] });
    large.orders.size[0] = 2;
    expect(stopsOf(plan(large)).at(-1)).toEqual([0, 1]);
    const home = near.map(({ at }) => ({ at, shiftEnd: 600 }));
    const late = [{ from: 500, to: 600, ready: 700 }];
    expect(stopsOf(plan(makeStreet({ orders: late, couriers: [...home, { at: 2000 }] }))).at(-1)).toEqual([0, 1]);
  });

  test('carries an order that must travel alone with any nearby courier, and nothing else with it', () => {
    const orders = [
      { from: 100, to: 900 },
      { from: 100, to: 950 },
    ];
    const problem = makeStreet({
      orders,
      couriers: [
        { at: 100, capacity: 2 },
        { at: 3000, capacity: 99 },
      ],
    });
    problem.orders.alone[0] = 1;
    expect(stopsOf(plan(problem))).toEqual([[0, 1, 2, 3], []]);
  });
});

describe('a waiting order', () => {
  const orders = [{ from: 500, to: 600 }];
  test('reports that no shift is long enough, and is placed when one is a second longer', () => {
    const late = plan(makeStreet({ orders, couriers: [{ at: 0, shiftEnd: 499 }] }));
    expect(late.explanations).toEqual([{ kind: 'waiting', reason: 'SHIFTS_END' }]);
    expect(plan(makeStreet({ orders, couriers: [{ at: 0, shiftEnd: 500 }] })).waiting).toEqual([]);
  });

  test('reports that it is too large for every courier', () => {
    const made = plan(makeStreet({ orders, couriers: [{ at: 0, capacity: 0 }] }));
    expect(made.explanations).toEqual([{ kind: 'waiting', reason: 'TOO_LARGE' }]);
  });

  test('reports that no courier is allowed to carry it', () => {
    const problem = { ...makeStreet({ orders, couriers: [{ at: 0 }] }), allowed: new Uint8Array(1) };
    expect(plan(problem).explanations).toEqual([{ kind: 'waiting', reason: 'NOBODY_ALLOWED' }]);
  });

  test('reports the cheapest courier when carrying it costs more than leaving it out', () => {
    const problem = makeStreet({ orders, couriers: [{ at: 0 }] });
    problem.orders.leaveOutPrice[0] = 559;
    const cheapest = { courier: 0, extraCost: 560 };
    expect(plan(problem).explanations).toEqual([{ kind: 'waiting', reason: 'COSTS_TOO_MUCH', cheapest }]);
    problem.orders.leaveOutPrice[0] = 561;
    expect(plan(problem).waiting).toEqual([]);
  });
});

test('an order found to fit while its waiting reason is computed is placed', () => {
  const routes = new Routes(makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }] }));
  const journal = new Journal(routes);
  const insertion = new Insertion(routes, new SeededRandom(1));
  const placer = new Placer({ routes, neighborhood: new Neighborhood(routes), insertion, journal });
  const parts = { routes, insertion, placer, journal, yieldPoint: () => undefined };
  expect(explainOrders(parts, () => true)).toEqual([{ kind: 'placed', courier: 0, extraCost: 560 }]);
  expect(routes.routeOf[0]).toBe(0);
});

describe('an accepted order', () => {
  test('keeps its locked stops in place even when another stop order would be cheaper', () => {
    const orders = [
      { from: 900, to: 1000 },
      { from: 100, to: 200 },
    ];
    const problem = makeStreet({ orders, couriers: [{ at: 0 }] });
    problem.orders.pinnedTo.fill(0);
    const lastRoutes = [[0, 1, 2, 3]];
    expect(stopsOf(plan({ ...problem, lastRoutes, lockedStops: Int32Array.of(2) }))).toEqual(lastRoutes);
    expect(stopsOf(plan({ ...problem, lastRoutes }))).toEqual([[2, 3, 0, 1]]);
  });

  test('goes to the courier who accepted it, even when the last plan differs', () => {
    const problem = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 500 }, { at: 0 }] });
    problem.orders.pinnedTo[0] = 1;
    expect(stopsOf(plan({ ...problem, lastRoutes: [[0, 1], []] }))).toEqual([[], [0, 1]]);
  });
});

test('insertion alone leaves out an order that costs more than leaving it out', () => {
  const problem = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }] });
  problem.orders.leaveOutPrice[0] = 559;
  expect(planRoutes(problem, { seed: 1, maxRounds: 0 }).waiting).toEqual([0]);
});

test('a route is late after losing the stop between two ends of a missing connection', () => {
  const orders = [
    { from: 100, to: 300 },
    { from: 100, to: 500 },
  ];
  const problem = makeStreet({ orders, couriers: [{ at: 100 }] });
  // There is no way from the restaurant to the far drop-off, except through the near one.
  const [restaurant = 0, , , far = 0] = problem.stops.location;
  problem.travel[restaurant * problem.locationCount + far] = UNREACHABLE;
  const routes = new Routes({ ...problem, lastRoutes: [[0, 2, 1, 3]] });
  loadLastPlan(routes);
  const journal = new Journal(routes);
  journal.begin();
  journal.touch(0);
  expect(journal.isInTime()).toBe(true);
  routes.removeMarked(0, Int32Array.of(1, 0), 1);
  expect(journal.isInTime()).toBe(false);
  journal.rollback();
  expect(routes.isInTime(0)).toBe(true);
});

describe('the latest departure', () => {
  test('is when the courier must start for food that is not ready yet', () => {
    const problem = makeStreet({ orders: [{ from: 500, to: 600, ready: 2000 }], couriers: [{ at: 0 }] });
    expect(findLatestDeparture(problem, 0, plan(problem).routes[0] ?? [])).toBe(1500);
  });

  test('includes the wait for the last order of a bundle, which is handed over at once', () => {
    const orders = [
      { from: 500, to: 600, ready: 2000 },
      { from: 500, to: 610, ready: 2100 },
    ];
    const problem = makeStreet({ orders, couriers: [{ at: 0 }] });
    problem.stops.arriving.fill(60);
    problem.stops.leaving.fill(60);
    const route = visit([0, 2000], [2, 2100], [1, 2320], [3, 2450]);
    expect(findFaults(problem, { routes: [route], waiting: [] })).toEqual([]);
    expect(findLatestDeparture(problem, 0, route)).toBe(1540);
  });

  test('excludes waiting after the first stop', () => {
    const orders = [
      { from: 500, to: 600, ready: 1000 },
      { from: 600, to: 700, ready: 5000 },
    ];
    const problem = makeStreet({ orders, couriers: [{ at: 0 }] });
    const route = visit([0, 1000], [1, 1100], [2, 5000], [3, 5100]);
    expect(findFaults(problem, { routes: [route], waiting: [] })).toEqual([]);
    expect(findLatestDeparture(problem, 0, route)).toBe(500);
  });

  test('is now when the food is ready before the courier can arrive', () => {
    const problem = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }] });
    expect(findLatestDeparture(problem, 0, plan(problem).routes[0] ?? [])).toBe(0);
    expect(findLatestDeparture(problem, 0, [])).toBeUndefined();
  });
});

test('a locked stop of an order that was not accepted is a caller error', () => {
  const problem = makeStreet({ orders: [{ from: 500, to: 600 }], couriers: [{ at: 0 }] });
  const locked = { ...problem, lastRoutes: [[0, 1]], lockedStops: Int32Array.of(1) };
  expect(() => plan(locked)).toThrow('not pinned');
});

test('the search stops on time, checking the clock every round when rounds are long, rarely when short', () => {
  const problem = makeStreet({
    orders: [
      { from: 500, to: 600 },
      { from: 0, to: 50 },
    ],
    couriers: [{ at: 0 }],
  });
  let looks = 0;
  const long = planRoutes(problem, { seed: 1, maxRounds: 1e9, elapsedShare: () => ++looks / 4 });
  expect([looks, long.rounds]).toEqual([4, 3]);
  looks = 0;
  planRoutes(problem, { seed: 1, maxRounds: 1_000, elapsedShare: () => ++looks / 1_000 });
  // The clock is read before rounds 0, 1, 3, 7, 15, then before every sixteenth.
  expect(looks).toBe(5 + 61);
});

describe('the plan check reports', () => {
  const problem = makeStreet({
    orders: [
      { from: 100, to: 200, ready: 300 },
      { from: 400, to: 500 },
    ],
    couriers: [{ at: 0, shiftEnd: 450, capacity: 1 }, { at: 0 }],
  });
  const first = visit([0, 300], [1, 400]);
  const second = visit([2, 400], [3, 500]);

  test('no fault in a valid plan', () => {
    expect(findFaults(problem, { routes: [first, second], waiting: [] })).toEqual([]);
  });

  test.each([
    { fault: 'is planned at', routes: [visit([0, 299], [1, 399]), second] },
    { fault: 'was not picked up', routes: [visit([1, 200], [0, 300]), second] },
    { fault: 'in different routes', routes: [visit([0, 300]), [...visit([1, 200]), ...second]] },
    { fault: 'appears twice', routes: [first, [...second, ...visit([3, 500])]] },
    { fault: 'neither placed nor waiting', routes: [first, []] },
    { fault: 'neither placed nor waiting', routes: [first, second], waiting: [1] },
    { fault: 'after the shift', routes: [[...first, ...visit([2, 600], [3, 700])], []] },
    { fault: 'overloaded', routes: [visit([0, 300], [2, 600], [1, 800], [3, 1100]), []] },
  ])('$fault', ({ fault, routes, waiting = [] }) => {
    expect(findFaults(problem, { routes, waiting }).join('; ')).toContain(fault);
  });
});

describe('between two couriers who are both in time', () => {
  const street = { orders: [{ from: 500, to: 600, ready: 1000 }], couriers: [{ at: 100 }, { at: 900 }] };
  test.each([
    { demandAt: 0, sent: 1 },
    { demandAt: 1, sent: 0 },
  ])('the one farther from the demand is sent', ({ demandAt, sent }) => {
    const problem = makeStreet(street);
    const demand = { places: Int32Array.of(problem.couriers.location[demandAt] ?? 0), weights: Float64Array.of(1) };
    for (const [courier, place] of problem.couriers.location.entries()) {
      const remotenessSeconds = measureRemoteness(problem, place, demand);
      problem.couriers.orderPrice[courier] = priceCourier({ remotenessSeconds, shiftLeftSeconds: 7200 }, 0.1);
    }
    expect(plan(problem).routes[sent]).toHaveLength(2);
  });

  test.each([0, 1])('the one whose shift ends sooner is sent', (sent) => {
    const problem = makeStreet(street);
    for (const courier of [0, 1]) {
      const worth = { remotenessSeconds: 400, shiftLeftSeconds: courier === sent ? 1200 : 2400 };
      problem.couriers.orderPrice[courier] = priceCourier(worth, 0.1);
    }
    expect(plan(problem).routes[sent]).toHaveLength(2);
  });
});

test('a small change only optimizes routes that differ from the last plan', () => {
  // Two orders from one kitchen, farther drop-off first: a detour that already existed.
  const street = makeStreet({
    orders: [
      { from: 100, to: 200 },
      { from: 100, to: 300 },
    ],
    couriers: [{ at: 0 }, { at: 5_000 }],
  });
  const detour = [0, 2, 3, 1];
  const replan = (lastRoute: number[], polish: 'all' | 'changed'): number[] | undefined =>
    stopsOf(planRoutes({ ...street, lastRoutes: [lastRoute, []] }, { seed: 1, maxRounds: 0, polish }))[0];
  expect(replan(detour, 'changed')).toEqual(detour);
  expect(replan(detour, 'all')?.slice(-2)).toEqual([1, 3]);
  // With a new order, the route counts as changed.
  expect(replan([2, 3], 'changed')?.slice(-2)).toEqual([1, 3]);
});
