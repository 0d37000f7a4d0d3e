// How much longer a route gets with an order's drop-off at each position, computed once for all pickup positions. This
// rules out most pickup positions without computing times.
import { NEVER, NOBODY } from './problem.ts';
import type { Routes } from './routes.ts';

export class DropoffDetours {
  readonly #routes: Routes;
  /** Seconds for the drop-off before each position, and the minimum from each position on. */
  readonly detour: Int32Array;
  readonly leastFrom: Int32Array;
  isKnown = false;
  #route = 0;
  #order = 0;
  #end = 0;
  #matrix = 0;

  constructor(routes: Routes) {
    this.#routes = routes;
    this.detour = new Int32Array(routes.stride + 2);
    this.leastFrom = new Int32Array(routes.stride + 2);
  }

  forget(): void {
    this.isKnown = false;
  }

  /** Does nothing if already measured. */
  measure(route: number, order: number): void {
    if (this.isKnown) return;
    this.isKnown = true;
    const routes = this.#routes;
    const { stops, couriers, travel, locationCount } = routes.problem;
    const base = route * routes.stride;
    const end = routes.length[route] ?? 0;
    const matrix = (couriers.profile[route] ?? 0) * locationCount * locationCount;
    const dropoff = stops.location[2 * order + 1] ?? 0;
    const rowFromDropoff = matrix + dropoff * locationCount;
    this.#route = route;
    this.#order = order;
    this.#end = end;
    this.#matrix = matrix;
    let least = NEVER;
    let next = couriers.endLocation[route] ?? NOBODY;
    this.leastFrom[end + 1] = NEVER;
    for (let at = end; at > (routes.locked[route] ?? 0); at--) {
      const place = routes.place[base + at - 1] ?? 0;
      const onward = next === NOBODY ? 0 : (travel[rowFromDropoff + next] ?? 0);
      const saved = at === end ? (routes.endHop[route] ?? 0) : (routes.hop[base + at] ?? 0);
      const detour = (travel[matrix + place * locationCount + dropoff] ?? 0) + onward - saved;
      this.detour[at] = detour;
      if (detour < least) least = detour;
      this.leastFrom[at] = least;
      next = place;
    }
  }

  /** Minimum additional travel for the order, picked up before this position, `hop` seconds from the stop before. */
  least(at: number, hop: number): number {
    const routes = this.#routes;
    const { stops, travel, locationCount } = routes.problem;
    const cell = this.#route * routes.stride + at;
    const row = this.#matrix + (stops.location[2 * this.#order] ?? 0) * locationCount;
    const dropoff = stops.location[2 * this.#order + 1] ?? 0;
    const toDropoff = hop + (travel[row + dropoff] ?? 0);
    if (at === this.#end) return toDropoff - (routes.endHop[this.#route] ?? 0);
    const next = routes.place[cell] ?? 0;
    const saved = routes.hop[cell] ?? 0;
    const together = toDropoff + (travel[this.#matrix + dropoff * locationCount + next] ?? 0) - saved;
    const apart = hop + (travel[row + next] ?? 0) - saved + (this.leastFrom[at + 1] ?? 0);
    return together < apart ? together : apart;
  }
}
