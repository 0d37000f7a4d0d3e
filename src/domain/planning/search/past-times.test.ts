// Due times too far in the past for any plan to meet: they must not decide whether an order is served, nor make one
// order wait long for another.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Plan, planRoutes } from '../plan.ts';
import { findFaults } from '../plan-check.ts';
import { emptyCourierColumns, emptyOrderColumns, NEVER, type PlanningProblem } from './problem.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface StreetOrder {
  from: number;
  to: number;
  ready: number;
  due: number;
  earliestDropoff?: number;
}

interface StreetCourier {
  at: number;
  available: number;
}

/** A place is its distance in seconds from the start of the street. The prices are those of the service. */
function makeStreet(asked: readonly StreetOrder[], present: readonly StreetCourier[]): PlanningProblem {
  const places = [...new Set([...asked.flatMap(({ from, to }) => [from, to]), ...present.map(({ at }) => at)])];
  const travel = Int32Array.from({ length: places.length ** 2 }, (_, cell) =>
    Math.abs((places[Math.floor(cell / places.length)] ?? 0) - (places[cell % places.length] ?? 0)),
  );
  const { stops, orders } = emptyOrderColumns(asked.length);
  for (const [order, { from, to, ready, due, earliestDropoff = ready }] of asked.entries()) {
    stops.location.set([places.indexOf(from), places.indexOf(to)], 2 * order);
    stops.earliest[2 * order] = ready;
    orders.earliestDropoff[order] = earliestDropoff;
    orders.due[order] = due;
    orders.leaveOutPrice[order] = 1e6;
  }
  const couriers = emptyCourierColumns(present.length);
  for (const [courier, { at, available }] of present.entries()) {
    couriers.location[courier] = places.indexOf(at);
    couriers.available[courier] = available;
    couriers.capacity[courier] = 4;
  }
  return {
    locationCount: places.length,
    travel,
    stops,
    orders,
    couriers,
    prices: { travel: 0.1, waiting: 0.05, delay: 1, lateness: 2, latenessSquared: 0.001, maxPastSeconds: 30 * MINUTE },
    mixing: 'any',
    maxRouteStops: 12,
    lastRoutes: [],
    lockedStops: new Int32Array(present.length),
  };
}

function plan(problem: PlanningProblem): Plan {
  return planRoutes(problem, { seed: 1, maxRounds: 40, explain: 'changed' });
}

/** Any number of seconds from now that a column can hold; near values are as likely as ones centuries away. */
const anySeconds = fc.oneof(
  fc.integer({ min: -NEVER, max: NEVER }),
  fc.integer({ min: -3 * DAY, max: 3 * DAY }),
  fc.constantFrom(-NEVER, -DAY, -1, 0, 1, NEVER),
);
const anyReady = anySeconds.map((seconds) => Math.min(seconds, NEVER - DAY));

test('one free courier serves one feasible order for any ready, wanted and due times', () => {
  const town = fc.record({
    order: fc.record({
      from: fc.integer({ min: 0, max: HOUR }),
      to: fc.integer({ min: 0, max: HOUR }),
      ready: anyReady,
      due: anySeconds,
      earliestDropoff: anyReady,
    }),
    opens: anyReady,
    courier: fc.record({ at: fc.integer({ min: 0, max: HOUR }), available: fc.integer({ min: 0, max: 3 * DAY }) }),
  });
  fc.assert(
    fc.property(town, ({ order, opens, courier }) => {
      const problem = makeStreet([order], [courier]);
      problem.stops.earliest[1] = opens;
      const made = plan(problem);
      expect(findFaults(problem, made)).toEqual([]);
      expect(made.waiting).toEqual([]);
      expect(made.cost).toBeLessThan(1e6);
    }),
    { numRuns: 500 },
  );
});

test('an order due soon is not delayed for hours to save minutes for one from yesterday', () => {
  const nearAndSoon = { from: 0, to: 100, ready: 0, due: 5 * MINUTE };
  const farFromYesterday = { from: 0, to: 1500, ready: -DAY, due: -DAY };
  const made = plan(makeStreet([farFromYesterday, nearAndSoon], [{ at: 0, available: 0 }]));
  expect(made.routes.map((route) => route.filter(({ stop }) => stop % 2 === 1).map(({ stop }) => stop))).toEqual([
    [3, 1],
  ]);
});

test('between two equally distant orders, the one due earlier comes first', () => {
  const order = { from: 0, to: 900, ready: 0 };
  const other = { from: 0, to: -900, ready: 0 };
  const couriers = [{ at: 0, available: 0 }];
  const firstDropoff = (problem: PlanningProblem) => plan(problem).routes[0]?.find(({ stop }) => stop % 2 === 1)?.stop;
  expect(
    firstDropoff(
      makeStreet(
        [
          { ...order, due: 0 },
          { ...other, due: -20 * MINUTE },
        ],
        couriers,
      ),
    ),
  ).toBe(3);
  expect(
    firstDropoff(
      makeStreet(
        [
          { ...order, due: -20 * MINUTE },
          { ...other, due: 0 },
        ],
        couriers,
      ),
    ),
  ).toBe(1);
  expect(
    firstDropoff(
      makeStreet(
        [
          { ...order, due: 0 },
          { ...other, due: -DAY },
        ],
        couriers,
      ),
    ),
  ).toBe(3);
});

interface Arrival extends StreetOrder {
  name: string;
  at: number;
}

interface Served {
  name: string;
  at: number;
}

/** Couriers make one trip after another: the start of their route until nothing is on board, then a new plan. */
function simulate(arrivals: readonly Arrival[], couriers: StreetCourier[], until: number): Served[] {
  const served: Served[] = [];
  const open = new Set(arrivals);
  let last = new Map<number, { arrival: Arrival; isDropoff: number }[]>();
  for (let now = 0; now < until && open.size > 0; now += MINUTE) {
    const known = [...open].filter(({ at }) => at <= now);
    const free = couriers.filter(({ available }) => available <= now);
    if (known.length === 0 || free.length === 0) continue;
    const problem = makeStreet(
      known.map((order) => ({ ...order, ready: order.ready - now, due: order.due - now })),
      couriers.map(({ at, available }) => ({ at, available: Math.max(0, available - now) })),
    );
    problem.lastRoutes = couriers.map((_, courier) =>
      (last.get(courier) ?? []).flatMap(({ arrival, isDropoff }) =>
        known.includes(arrival) ? [2 * known.indexOf(arrival) + isDropoff] : [],
      ),
    );
    const made = plan(problem);
    last = new Map(
      made.routes.map((route, courier) => [
        courier,
        route.flatMap(({ stop }) => {
          const arrival = known[stop >> 1];
          return arrival === undefined ? [] : [{ arrival, isDropoff: stop & 1 }];
        }),
      ]),
    );
    for (const [index, courier] of couriers.entries()) {
      if (courier.available > now) continue;
      let aboard = 0;
      for (const { stop, time } of made.routes[index] ?? []) {
        const arrival = known[stop >> 1];
        if (arrival === undefined) continue;
        aboard += stop % 2 === 0 ? 1 : -1;
        courier.at = stop % 2 === 0 ? arrival.from : arrival.to;
        courier.available = now + time;
        if (stop % 2 === 0) continue;
        served.push({ name: arrival.name, at: now + time });
        open.delete(arrival);
        if (aboard === 0) break;
      }
    }
  }
  return served;
}

test('with many overdue orders and few couriers, all are served as couriers become free', () => {
  const towns = fc.record({
    orders: fc.array(
      fc.record({
        from: fc.integer({ min: 0, max: 600 }),
        to: fc.integer({ min: 0, max: 1200 }),
        due: fc.oneof(fc.integer({ min: -NEVER, max: 0 }), fc.integer({ min: -2 * DAY, max: 0 })),
      }),
      { minLength: 8, maxLength: 24 },
    ),
    couriers: fc.array(fc.integer({ min: 0, max: 1200 }), { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(towns, ({ orders, couriers }) => {
      const arrivals = orders.map((order, index) => ({ ...order, ready: order.due, name: `${index}`, at: 0 }));
      const served = simulate(
        arrivals,
        couriers.map((at) => ({ at, available: 0 })),
        DAY,
      );
      expect(served).toHaveLength(orders.length);
    }),
    { numRuns: 20 },
  );
});

test('neither an order from yesterday nor an immediate one starves while others keep arriving', () => {
  const trip = { from: 0, to: 600 };
  // A round trip takes 20 minutes, as long as the interval between new orders: the backlog never shrinks.
  const stream = (isOld: boolean, count: number): Arrival[] =>
    Array.from({ length: count }, (_, index) => {
      const at = index * 20 * MINUTE;
      const due = isOld ? at - DAY : at + 20 * MINUTE;
      return { ...trip, name: `stream ${index}`, at, ready: isOld ? at - DAY : at, due };
    });
  const backlog = (isOld: boolean): Arrival[] =>
    Array.from({ length: 4 }, (_, index) => {
      const due = isOld ? -DAY : 20 * MINUTE;
      return { from: 0, to: -600, name: `backlog ${index}`, at: 0, ready: isOld ? -DAY : 0, due };
    });
  const timeOf = (served: Served[], name: string): number => served.find((one) => one.name === name)?.at ?? Infinity;
  const fresh = { from: 0, to: -700, name: 'fresh', at: 0, ready: 0, due: 20 * MINUTE };
  const old = { ...fresh, name: 'old', ready: -DAY, due: -DAY };
  const couriers = () => [{ at: 0, available: 0 }];
  const amongOld = simulate([...backlog(true), fresh, ...stream(true, 30)], couriers(), DAY);
  const amongFresh = simulate([...backlog(false), old, ...stream(false, 30)], couriers(), DAY);
  expect(timeOf(amongOld, 'fresh')).toBeLessThan(2 * HOUR);
  expect(timeOf(amongFresh, 'old')).toBeLessThan(HOUR);
});
