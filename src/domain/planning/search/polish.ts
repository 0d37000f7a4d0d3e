// Finds the best stop order of short routes by trying all permutations of their free stops, with a bound.
import { NEVER, NOBODY } from './problem.ts';
import type { Routes } from './routes.ts';

/** Four orders have 2,520 possible stop sequences; five would have 113,400. */
const MAX_STOPS = 8;

export class Polish {
  readonly #routes: Routes;
  readonly #free = new Int32Array(MAX_STOPS);
  readonly #used = new Uint8Array(MAX_STOPS);
  readonly #current = new Int32Array(MAX_STOPS);
  readonly #best = new Int32Array(MAX_STOPS);
  #count = 0;
  #route = 0;
  #bestCost = Infinity;

  constructor(routes: Routes) {
    this.#routes = routes;
  }

  /** Returns whether the route became cheaper. */
  improve(route: number): boolean {
    const routes = this.#routes;
    const length = routes.length[route] ?? 0;
    const locked = routes.locked[route] ?? 0;
    const base = route * routes.stride + locked;
    this.#count = length - locked;
    if (this.#count < 2 || this.#count > MAX_STOPS) return false;
    this.#route = route;
    let prefix = 0;
    for (let at = route * routes.stride; at < base; at++) {
      prefix += (routes.stopCost[at] ?? 0) + routes.problem.prices.travel * (routes.hop[at] ?? 0);
    }
    for (let index = 0; index < this.#count; index++) this.#free[index] = routes.stop[base + index] ?? 0;
    this.#used.fill(0);
    const before = routes.routeCost[route] ?? 0;
    // Only a real gain counts: an equally good sequence would be a pointless change.
    this.#bestCost = before - 1e-6;
    this.#descend(0, prefix);
    if (this.#bestCost >= before - 1e-6) return false;
    for (let index = 0; index < this.#count; index++) routes.stop[base + index] = this.#best[index] ?? 0;
    routes.refresh(route);
    return true;
  }

  /** Tries every free stop at a depth; time, load and place so far are those of the previous stop. */
  #descend(depth: number, cost: number): void {
    if (cost + this.#leastToCome(depth) >= this.#bestCost) return;
    if (depth === this.#count) {
      const total = cost + this.#endCost();
      if (total >= this.#bestCost) return;
      this.#bestCost = total;
      this.#best.set(this.#current);
      return;
    }
    for (let index = 0; index < this.#count; index++) {
      if (this.#used[index] === 1 || !this.#mayFollow(depth, this.#free[index] ?? 0)) continue;
      const stop = this.#free[index] ?? 0;
      const step = this.#step(depth, stop);
      if (step === Infinity) continue;
      this.#used[index] = 1;
      this.#descend(depth + 1, cost + step);
      this.#used[index] = 0;
    }
  }

  /** Each remaining drop-off costs at least as much as going there directly. */
  #leastToCome(depth: number): number {
    if (depth === 0) return 0;
    const { location, leaving, arriving } = this.#routes.problem.stops;
    const before = this.#current[depth - 1] ?? 0;
    const place = location[before] ?? 0;
    const left = (this.#time[depth] ?? 0) + (leaving[before] ?? 0);
    let least = 0;
    for (let index = 0; index < this.#count; index++) {
      const stop = this.#free[index] ?? 0;
      if (this.#used[index] === 1 || (stop & 1) === 0) continue;
      const hop = this.#routes.travelBetween(this.#route, place, location[stop] ?? 0);
      const cost = this.#routes.dropoffCost(stop >> 1, left + hop + (arriving[stop] ?? 0));
      if (cost > 0) least += cost;
    }
    return least;
  }

  // The state after each depth; entry 0 is the state after the locked stops.
  readonly #time = new Int32Array(MAX_STOPS + 1);
  readonly #load = new Int32Array(MAX_STOPS + 1);
  readonly #aboard = new Int32Array(MAX_STOPS + 1);

  #stopBefore(depth: number): number {
    if (depth > 0) return this.#current[depth - 1] ?? 0;
    const routes = this.#routes;
    const locked = routes.locked[this.#route] ?? 0;
    const at = this.#route * routes.stride + locked - 1;
    if (locked === 0) {
      this.#time[0] = routes.problem.couriers.available[this.#route] ?? 0;
      this.#load[0] = routes.startLoad[this.#route] ?? 0;
      this.#aboard[0] = routes.startAboard[this.#route] ?? 0;
      return NOBODY;
    }
    this.#time[0] = routes.time[at] ?? 0;
    this.#load[0] = routes.load[at] ?? 0;
    this.#aboard[0] = routes.aboard[at] ?? 0;
    return routes.stop[at] ?? 0;
  }

  /** Pickup before drop-off; and unmixed bundles from one place, if mixing is not allowed. */
  #mayFollow(depth: number, stop: number): boolean {
    if ((stop & 1) === 1) {
      for (let index = 0; index < this.#count; index++) {
        if (this.#free[index] === stop - 1) return this.#used[index] === 1;
      }
      return true;
    }
    if (this.#routes.problem.mixing === 'any') return true;
    const before = this.#stopBefore(depth);
    if ((this.#aboard[depth] ?? 0) === 0) return true;
    const { location } = this.#routes.problem.stops;
    return before !== NOBODY && (before & 1) === 0 && location[before] === location[stop];
  }

  /** Serves a stop after the previous one; Infinity if a hard limit forbids it. */
  #step(depth: number, stop: number): number {
    const routes = this.#routes;
    const { stops, couriers, prices } = routes.problem;
    const before = this.#stopBefore(depth);
    const from = before === NOBODY ? (couriers.location[this.#route] ?? 0) : (stops.location[before] ?? 0);
    const to = stops.location[stop] ?? 0;
    const isPickup = (stop & 1) === 0;
    const hop = routes.travelBetween(this.#route, from, to);
    const leaving = before === NOBODY ? 0 : (stops.leaving[before] ?? 0);
    const shared = isPickup && before !== NOBODY && (before & 1) === 0 && from === to;
    const timeBefore = this.#time[depth] ?? 0;
    const arrival = shared ? timeBefore : timeBefore + leaving + hop + (stops.arriving[stop] ?? 0);
    const time = Math.max(arrival, stops.earliest[stop] ?? 0);
    if (time > routes.latestIn(this.#route, stop)) return Infinity;
    const order = stop >> 1;
    const room = routes.roomFor(this.#route, order);
    const load = (this.#load[depth] ?? 0) + (isPickup ? room : -room);
    if (isPickup && load > (couriers.capacity[this.#route] ?? 0)) return Infinity;
    this.#current[depth] = stop;
    this.#time[depth + 1] = time;
    this.#load[depth + 1] = load;
    this.#aboard[depth + 1] = (this.#aboard[depth] ?? 0) + (isPickup ? 1 : -1);
    const isFirst = before === NOBODY;
    if (isPickup) return prices.travel * hop + (isFirst ? 0 : prices.waiting * (time - arrival));
    return prices.travel * hop + routes.dropoffCost(order, time) + routes.carryPrice(this.#route, order);
  }

  #endCost(): number {
    const { couriers, stops, prices } = this.#routes.problem;
    const end = couriers.endLocation[this.#route] ?? NOBODY;
    if (end === NOBODY) return 0;
    const last = this.#current[this.#count - 1] ?? 0;
    const hop = this.#routes.travelBetween(this.#route, stops.location[last] ?? 0, end);
    const arrival = (this.#time[this.#count] ?? 0) + (stops.leaving[last] ?? 0) + hop;
    return arrival > (couriers.endLatest[this.#route] ?? NEVER) ? Infinity : prices.travel * hop;
  }
}
