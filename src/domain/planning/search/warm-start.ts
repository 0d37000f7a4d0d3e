// Starts from the last plan: drops finished and unknown stops, keeps accepted orders, and removes orders that are no
// longer feasible, to be planned again.
import { NOBODY } from './problem.ts';
import type { Routes } from './routes.ts';

export function loadLastPlan(routes: Routes, yieldPoint = (): void => undefined): void {
  const seen = new Set<number>();
  for (let route = 0; route < routes.courierCount; route++) {
    loadRoute(routes, route, seen);
    yieldPoint();
  }
  for (let order = 0; order < routes.orderCount; order++) {
    if (routes.routeOf[order] === NOBODY) appendPinned(routes, order);
  }
}

function loadRoute(routes: Routes, route: number, seen: Set<number>): void {
  const { lastRoutes, lockedStops } = routes.problem;
  const last = lastRoutes[route] ?? [];
  const locked = lockedStops[route] ?? 0;
  const kept = new Set(last.filter((stop) => isWhole(routes, route, { stop, last }) && !seen.has(stop)));
  const stops: number[] = [];
  let lockedKept = 0;
  for (const [index, stop] of last.entries()) {
    if (!kept.has(stop) || seen.has(stop)) continue;
    seen.add(stop);
    stops.push(stop);
    if (index >= locked) continue;
    lockedKept++;
    if (routes.problem.orders.pinnedTo[stop >> 1] !== route) {
      throw new Error(`stop ${stop} is locked in route ${route}, but its order is not pinned to that courier`);
    }
  }
  routes.locked[route] = lockedKept;
  writeStops(routes, route, stops);
  dropUntilFeasible(routes, route);
}

/** Both stops are in the route in the right order, or only the drop-off if the order is on board. */
function isWhole(routes: Routes, route: number, place: { stop: number; last: readonly number[] }): boolean {
  const order = place.stop >> 1;
  if (place.stop < 0 || order >= routes.orderCount) return false;
  const { pinnedTo, carried } = routes.problem.orders;
  const pinned = pinnedTo[order] ?? NOBODY;
  if (pinned !== NOBODY && pinned !== route) return false;
  const pickup = place.last.indexOf(2 * order);
  const dropoff = place.last.indexOf(2 * order + 1);
  if (carried[order] === 1) return (place.stop & 1) === 1;
  return pickup !== -1 && pickup < dropoff;
}

function writeStops(routes: Routes, route: number, stops: readonly number[]): void {
  for (const [index, stop] of stops.entries()) {
    routes.stop[route * routes.stride + index] = stop;
    routes.setRoute(stop >> 1, route);
  }
  routes.length[route] = stops.length;
  routes.refresh(route);
}

function dropUntilFeasible(routes: Routes, route: number): void {
  while (!isFeasible(routes, route)) {
    const base = route * routes.stride;
    const stops = [...routes.stop.subarray(base, base + (routes.length[route] ?? 0))];
    const victim = stops.findLast((stop) => routes.problem.orders.pinnedTo[stop >> 1] === NOBODY);
    if (victim === undefined) return;
    routes.setRoute(victim >> 1, NOBODY);
    writeStops(
      routes,
      route,
      stops.filter((stop) => stop >> 1 !== victim >> 1),
    );
  }
}

function isFeasible(routes: Routes, route: number): boolean {
  const { problem } = routes;
  const base = route * routes.stride;
  const { location } = problem.stops;
  for (let at = base; at < base + (routes.length[route] ?? 0); at++) {
    const stop = routes.stop[at] ?? 0;
    const order = stop >> 1;
    if (problem.allowed?.[order * routes.courierCount + route] === 0) return false;
    if ((routes.time[at] ?? 0) > (routes.slackEnd[at] ?? 0)) return false;
    if ((stop & 1) === 1) continue;
    if ((routes.load[at] ?? 0) > (problem.couriers.capacity[route] ?? 0)) return false;
    if (problem.mixing === 'any' || routes.aboard[at] === 1) continue;
    const before = at === base ? NOBODY : (routes.stop[at - 1] ?? 0);
    if (before === NOBODY || (before & 1) === 1 || location[before] !== location[stop]) return false;
  }
  return true;
}

/** An accepted order missing from the last plan goes to the end of its courier's route, regardless of limits. */
function appendPinned(routes: Routes, order: number): void {
  const { pinnedTo, carried } = routes.problem.orders;
  const route = pinnedTo[order] ?? NOBODY;
  if (route === NOBODY) return;
  const base = route * routes.stride;
  let length = routes.length[route] ?? 0;
  if (carried[order] !== 1) routes.stop[base + length++] = 2 * order;
  routes.stop[base + length++] = 2 * order + 1;
  routes.length[route] = length;
  routes.setRoute(order, route);
  routes.refresh(route);
  dropUntilFeasible(routes, route);
}
