// What one more order would cost each courier: the cheapest place in the existing route, found and priced by the same
// insertion that makes the plans.
import { findMisfit, type Misfit } from './explain.ts';
import { Insertion } from './search/insertion.ts';
import { NEVER, type PlanningProblem } from './search/problem.ts';
import { Routes } from './search/routes.ts';
import { SeededRandom } from './search/seeded-random.ts';
import { loadLastPlan } from './search/warm-start.ts';

export interface Quote {
  courier: number;
  /** When it would be picked up and dropped off. */
  pickup: number;
  dropoff: number;
  /** Additional travel time in seconds. */
  detour: number;
  /** Additional cost of the whole plan. */
  extraCost: number;
  /** The longest additional wait, in seconds, of any of the courier's other customers. */
  pushesBack: number;
  /** Null if it fits. Otherwise the figures are for carrying it last, regardless of limits. */
  misfit: Misfit | null;
}

/** One per courier; undefined if the route is full or there is no way. The order must not be in a route yet. */
export function quoteCouriers(problem: PlanningProblem, order: number): (Quote | undefined)[] {
  const routes = new Routes(problem);
  loadLastPlan(routes);
  const insertion = new Insertion(routes, new SeededRandom(1));
  return Array.from({ length: routes.courierCount }, (_, courier) => quote(routes, insertion, { order, courier }));
}

interface Pair {
  order: number;
  courier: number;
}

function quote(routes: Routes, insertion: Insertion, { order, courier }: Pair): Quote | undefined {
  const end = routes.length[courier] ?? 0;
  if (end + 2 > routes.stride) return undefined;
  insertion.start(order);
  insertion.tryRoute(courier);
  const fits = insertion.route === courier;
  const places = fits
    ? { pickupAt: insertion.pickupAt, dropoffAt: insertion.dropoffAt }
    : { pickupAt: end, dropoffAt: end };
  const before = readRoute(routes, courier);
  routes.insert(order, courier, places);
  const after = readRoute(routes, courier);
  const marks = new Int32Array(routes.orderCount);
  marks[order] = 1;
  routes.removeMarked(courier, marks, 1);
  const dropoff = after.times.get(2 * order + 1) ?? NEVER;
  if (dropoff >= NEVER) return undefined;
  return {
    courier,
    pickup: after.times.get(2 * order) ?? 0,
    dropoff,
    detour: after.travel - before.travel,
    extraCost: after.cost - before.cost,
    pushesBack: findLongestDelay(before.times, after.times),
    misfit: fits ? null : findMisfit(routes, order, courier),
  };
}

interface RouteReading {
  times: Map<number, number>;
  travel: number;
  cost: number;
}

function readRoute(routes: Routes, route: number): RouteReading {
  const times = new Map<number, number>();
  const base = route * routes.stride;
  let travel = routes.endHop[route] ?? 0;
  for (let at = base; at < base + (routes.length[route] ?? 0); at++) {
    times.set(routes.stop[at] ?? 0, routes.time[at] ?? 0);
    travel += routes.hop[at] ?? 0;
  }
  return { times, travel, cost: routes.routeCost[route] ?? 0 };
}

function findLongestDelay(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  let longest = 0;
  for (const [stop, time] of before) {
    const isDropoff = stop % 2 === 1;
    if (isDropoff) longest = Math.max(longest, (after.get(stop) ?? time) - time);
  }
  return longest;
}
