// Inserts orders one after another, each at its cheapest place among the routes considered for it.
import type { Insertion } from './insertion.ts';
import type { Journal } from './undo-journal.ts';
import type { Neighborhood } from './neighborhood.ts';
import { NOBODY } from './problem.ts';
import type { Routes } from './routes.ts';

/** Besides the nearest couriers' routes, the routes of this many nearest orders are tried. */
const NEAR_ORDERS_TRIED = 24;

/** Up to this many orders, the one with the most regret goes first; with more, they are sorted only once. */
const REGRET_LIMIT = 60;

export interface PlacerParts {
  routes: Routes;
  neighborhood: Neighborhood;
  insertion: Insertion;
  journal: Journal;
}

export class Placer {
  readonly #routes: Routes;
  readonly #neighborhood: Neighborhood;
  readonly #insertion: Insertion;
  readonly #journal: Journal;
  /** Identical couriers share a twin number: one of their empty routes is enough to try. */
  readonly #twin: Int32Array;
  readonly #allAlike: boolean;
  readonly #tried: Int32Array;
  readonly #emptyTried: Int32Array;
  #stamp = 0;

  constructor(parts: PlacerParts) {
    this.#routes = parts.routes;
    this.#neighborhood = parts.neighborhood;
    this.#insertion = parts.insertion;
    this.#journal = parts.journal;
    this.#twin = findTwins(parts.routes);
    this.#allAlike = parts.routes.courierCount > 1 && this.#twin.every((twin) => twin === 0);
    this.#tried = new Int32Array(parts.routes.courierCount);
    this.#emptyTried = new Int32Array(parts.routes.courierCount);
  }

  /** Leaves the best place for an order in the insertion; false if no place is worth its price. */
  find(order: number): boolean {
    const { problem, courierCount, routeOf } = this.#routes;
    this.#insertion.start(order);
    this.#stamp++;
    const pinned = problem.orders.pinnedTo[order] ?? NOBODY;
    if (pinned !== NOBODY) {
      this.#insertion.tryRoute(pinned);
      return this.#insertion.route !== NOBODY;
    }
    const couriers = this.#neighborhood.couriersNear(order);
    if (!this.#allAlike) for (let index = 0; index < couriers.length; index++) this.#tryOnce(couriers[index] ?? 0);
    if (couriers.length < courierCount || this.#allAlike) {
      const near = this.#neighborhood.ordersNear(order);
      const wanted = this.#allAlike ? near.length : Math.min(near.length, NEAR_ORDERS_TRIED);
      for (let index = 0; index < wanted; index++) {
        const route = routeOf[near[index] ?? 0] ?? NOBODY;
        if (route !== NOBODY) this.#tryOnce(route);
      }
    }
    if (this.#allAlike) this.#tryEmpty();
    else if (couriers.length < courierCount) this.#tryFarther(order);
    return this.#insertion.route !== NOBODY && this.#insertion.delta < (problem.orders.leaveOutPrice[order] ?? 0);
  }

  #tryOnce(route: number): void {
    if (this.#tried[route] === this.#stamp) return;
    this.#tried[route] = this.#stamp;
    if (this.#routes.length[route] === 0) {
      const twin = this.#twin[route] ?? 0;
      if (this.#emptyTried[twin] === this.#stamp) return;
      this.#emptyTried[twin] = this.#stamp;
    }
    this.#insertion.tryRoute(route);
  }

  /**
   * Orders of one kitchen share the same few nearest couriers. So the nearest idle courier is tried at any
   * distance, and every courier before an order is left waiting.
   */
  #tryFarther(order: number): void {
    const idle = this.#neighborhood.nearestIdle(order);
    if (idle !== NOBODY) this.#tryOnce(idle);
    if (this.#insertion.route === NOBODY) this.#tryAll();
  }

  #tryAll(): void {
    for (let route = 0; route < this.#routes.courierCount; route++) this.#tryOnce(route);
  }

  #tryEmpty(): void {
    const route = this.#routes.length.indexOf(0);
    if (route !== -1) this.#tryOnce(route);
  }

  /** Inserts the order at the place that `find` found. */
  place(order: number): void {
    const { route, pickupAt, dropoffAt } = this.#insertion;
    this.#journal.touch(route);
    this.#routes.insert(order, route, { pickupAt, dropoffAt });
  }

  /** Places absent orders: by regret if there are few, otherwise by ready time. Those that fit nowhere stay absent. */
  placeAbsent(yieldPoint: () => void): void {
    const waiting = [...this.#routes.absent.subarray(0, this.#routes.absentCount)];
    if (waiting.length <= REGRET_LIMIT) this.#placeByRegret(waiting, yieldPoint);
    else this.#placeInOrder(waiting, yieldPoint);
  }

  #placeInOrder(waiting: number[], yieldPoint: () => void): void {
    const { earliest } = this.#routes.problem.stops;
    waiting.sort((a, b) => (earliest[2 * a] ?? 0) - (earliest[2 * b] ?? 0) || a - b);
    for (const order of waiting) {
      if (this.find(order)) this.place(order);
      yieldPoint();
    }
  }

  #placeByRegret(waiting: number[], yieldPoint: () => void): void {
    const { leaveOutPrice } = this.#routes.problem.orders;
    const open = new Set(waiting.toSorted((a, b) => a - b));
    while (open.size > 0) {
      let chosen = NOBODY;
      let maxRegret = -Infinity;
      for (const order of open) {
        yieldPoint();
        if (!this.find(order)) continue;
        const otherwise = Math.min(this.#insertion.secondDelta, leaveOutPrice[order] ?? 0);
        const regret = otherwise - this.#insertion.delta;
        if (regret <= maxRegret) continue;
        maxRegret = regret;
        chosen = order;
      }
      if (chosen === NOBODY) return;
      this.find(chosen);
      this.place(chosen);
      open.delete(chosen);
    }
  }
}

function findTwins(routes: Routes): Int32Array {
  const { couriers, allowed } = routes.problem;
  // Permissions are not compared order by order: if there are any, no couriers count as twins.
  if (allowed !== undefined) return Int32Array.from({ length: routes.courierCount }, (_, courier) => courier);
  const numbers = new Map<string, number>();
  const columns: (Int32Array | Float64Array)[] = Object.values(couriers);
  return Int32Array.from({ length: routes.courierCount }, (_, courier) => {
    const traits = columns.map((column) => column[courier] ?? 0).join(' ');
    const twin = numbers.get(traits) ?? numbers.size;
    numbers.set(traits, twin);
    return twin;
  });
}
