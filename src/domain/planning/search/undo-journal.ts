// Undo and snapshots: a round of the search changes a few routes, and only those are copied.
import { NOBODY } from './problem.ts';
import type { Routes } from './routes.ts';

/** Restores what a round changed. */
export class Journal {
  readonly #routes: Routes;
  readonly #stops: Int32Array;
  readonly #lengths: Int32Array;
  readonly #touchedIn: Int32Array;
  readonly #touched: Int32Array;
  #count = 0;
  #round = 0;

  constructor(routes: Routes) {
    this.#routes = routes;
    this.#stops = new Int32Array(routes.stop.length);
    this.#lengths = new Int32Array(routes.courierCount);
    this.#touchedIn = new Int32Array(routes.courierCount);
    this.#touched = new Int32Array(routes.courierCount);
  }

  begin(): void {
    this.#round++;
    this.#count = 0;
  }

  /** Must be called before a route is changed. */
  touch(route: number): void {
    if (this.#touchedIn[route] === this.#round) return;
    this.#touchedIn[route] = this.#round;
    this.#touched[this.#count++] = route;
    const base = route * this.#routes.stride;
    const length = this.#routes.length[route] ?? 0;
    this.#lengths[route] = length;
    for (let at = base; at < base + length; at++) this.#stops[at] = this.#routes.stop[at] ?? 0;
  }

  /**
   * Whether the routes touched in this round are in time. Removing a stop can make a route later if the direct way
   * is longer than the detour, or is missing.
   */
  isInTime(): boolean {
    for (let index = 0; index < this.#count; index++) {
      if (!this.#routes.isInTime(this.#touched[index] ?? 0)) return false;
    }
    return true;
  }

  rollback(): void {
    for (let index = 0; index < this.#count; index++) this.#clear(this.#touched[index] ?? 0);
    for (let index = 0; index < this.#count; index++) {
      const route = this.#touched[index] ?? 0;
      loadRoute(this.#routes, route, { stops: this.#stops, length: this.#lengths[route] ?? 0 });
    }
    this.#count = 0;
  }

  #clear(route: number): void {
    const base = route * this.#routes.stride;
    const length = this.#routes.length[route] ?? 0;
    for (let at = base; at < base + length; at++) this.#routes.setRoute((this.#routes.stop[at] ?? 0) >> 1, NOBODY);
  }
}

function loadRoute(routes: Routes, route: number, from: { stops: Int32Array; length: number }): void {
  const base = route * routes.stride;
  for (let at = base; at < base + from.length; at++) {
    const stop = from.stops[at] ?? 0;
    routes.stop[at] = stop;
    routes.setRoute(stop >> 1, route);
  }
  routes.length[route] = from.length;
  routes.refresh(route);
}

/** The best plan so far. */
export class Snapshot {
  readonly #routes: Routes;
  readonly #stops: Int32Array;
  readonly #lengths: Int32Array;
  readonly #versions: Int32Array;

  constructor(routes: Routes) {
    this.#routes = routes;
    this.#stops = new Int32Array(routes.stop.length);
    this.#lengths = new Int32Array(routes.courierCount);
    this.#versions = new Int32Array(routes.courierCount).fill(-1);
    this.save();
  }

  save(): void {
    const routes = this.#routes;
    for (let route = 0; route < routes.courierCount; route++) {
      const version = routes.version[route] ?? 0;
      if (version === this.#versions[route]) continue;
      this.#versions[route] = version;
      const base = route * routes.stride;
      const length = routes.length[route] ?? 0;
      this.#lengths[route] = length;
      for (let at = base; at < base + length; at++) this.#stops[at] = routes.stop[at] ?? 0;
    }
  }

  restore(): void {
    const routes = this.#routes;
    for (let order = 0; order < routes.orderCount; order++) routes.setRoute(order, NOBODY);
    for (let route = 0; route < routes.courierCount; route++) {
      loadRoute(routes, route, { stops: this.#stops, length: this.#lengths[route] ?? 0 });
      this.#versions[route] = routes.version[route] ?? 0;
    }
    routes.resum();
  }
}
