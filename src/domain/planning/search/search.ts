// Slack induction by string removals (Christiaens and Vanden Berghe 2020): remove strings of neighboring orders from a
// few routes, reinsert them greedily with a few positions skipped, accept by simulated annealing, keep the best.
import type { Insertion } from './insertion.ts';
import { type Journal, Snapshot } from './undo-journal.ts';
import type { Neighborhood } from './neighborhood.ts';
import { NEVER, NOBODY } from './problem.ts';
import type { Placer } from './placer.ts';
import type { Routes } from './routes.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface SearchParts {
  routes: Routes;
  neighborhood: Neighborhood;
  insertion: Insertion;
  placer: Placer;
  journal: Journal;
  random: SeededRandom;
}

export interface SearchLimits {
  maxRounds: number;
  /** Share of the time that has passed: lowers the temperature, and ends the search at 1. */
  elapsedShare?: (() => number) | undefined;
  /** Orders not placed by the last plan. While there are few, the search stays near them and starts cool. */
  fresh: readonly number[];
  /** Called between the steps of a round. */
  yieldPoint: () => void;
}

const MEAN_REMOVED = 10;
const MAX_STRING_LENGTH = 10;
const BLINK_SHARE = 0.01;
/** Orders absent from the last plan are retried a few at a time; otherwise many hopeless ones would use up all the time. */
const ABSENT_TRIED = 8;
/** Reading the clock costs about as much as trying a few places. */
const MAX_ROUNDS_BETWEEN_LOOKS = 16;
/** In a large plan, a few rounds can take a whole replan's time: after this share, the clock is read more often. */
const LONG_STRETCH = 0.1;
const ROUNDS_BETWEEN_SUMS = 4096;

/** As fractions of an order's average cost. */
const START_HEAT = 1;
const END_HEAT = 0.01;

/** At this share of new orders, the search starts at full heat; with fewer, it keeps more of the old plan. */
const FULL_HEAT_SHARE = 0.05;
/** Up to this share, half of the rounds start near a new order. */
const FEW_FRESH = 0.05;

export class Search {
  readonly #routes: Routes;
  readonly #parts: SearchParts;
  readonly #removedIn: Int32Array;
  readonly #ruinedIn: Int32Array;
  readonly #pool: Int32Array;
  readonly #keys: Float64Array;
  #poolSize = 0;
  #round = 0;
  #fresh: readonly number[] = [];

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#routes = parts.routes;
    const { orderCount, courierCount } = parts.routes;
    this.#removedIn = new Int32Array(orderCount);
    this.#ruinedIn = new Int32Array(courierCount);
    this.#pool = new Int32Array(orderCount);
    this.#keys = new Float64Array(orderCount);
  }

  /** Searches until a limit is reached; leaves the best plan in the routes. Returns the number of rounds. */
  run(limits: SearchLimits): number {
    const { random, journal, insertion } = this.#parts;
    const routes = this.#routes;
    if (routes.orderCount === 0 || routes.courierCount === 0) return 0;
    const best = new Snapshot(routes);
    let bestCost = routes.cost;
    let current = bestCost;
    const scale = this.#meanOrderCost();
    const freshShare = limits.fresh.length / routes.orderCount;
    const startHeat = Math.max(END_HEAT, START_HEAT * Math.min(1, freshShare / FULL_HEAT_SHARE));
    this.#fresh = freshShare <= FEW_FRESH ? limits.fresh : [];
    let temperature = startHeat * scale;
    let elapsed = 0;
    let round = 0;
    let nextLook = 0;
    // A single round of a large plan can take much of a short search.
    let untilLook = 1;
    insertion.blinkShare = BLINK_SHARE;
    for (; round < limits.maxRounds; round++) {
      if (round === nextLook) {
        const before = elapsed;
        elapsed = Math.max(round / limits.maxRounds, limits.elapsedShare?.() ?? 0);
        if (elapsed >= 1) break;
        temperature = scale * startHeat * (END_HEAT / startHeat) ** elapsed;
        if (elapsed - before > LONG_STRETCH) untilLook = Math.max(1, untilLook >> 1);
        else if (round > 0) untilLook = Math.min(MAX_ROUNDS_BETWEEN_LOOKS, untilLook << 1);
        nextLook += untilLook;
      }
      if (round % ROUNDS_BETWEEN_SUMS === 0) routes.resum();
      journal.begin();
      this.#ruin();
      if (this.#poolSize === 0) continue;
      this.#recreate(limits.yieldPoint);
      const cost = routes.cost;
      const limit = current - temperature * Math.log(random.nextFraction() + 1e-12);
      if (cost < limit && journal.isInTime()) {
        current = cost;
        if (cost < bestCost - 1e-6) {
          bestCost = cost;
          best.save();
        }
      } else {
        journal.rollback();
      }
    }
    best.restore();
    insertion.blinkShare = 0;
    return round;
  }

  #meanOrderCost(): number {
    const placed = this.#routes.orderCount - this.#routes.absentCount;
    return this.#routes.totalRouteCost / Math.max(1, placed);
  }

  #ruin(): void {
    const { random, neighborhood } = this.#parts;
    const routes = this.#routes;
    this.#round++;
    this.#poolSize = 0;
    const seed = this.#drawSeed();
    const used = this.#countUsedRoutes();
    const meanLength = (routes.orderCount - routes.absentCount) / Math.max(1, used);
    const longest = Math.max(1, Math.min(MAX_STRING_LENGTH, meanLength));
    const strings = 1 + random.nextBelow((4 * MEAN_REMOVED) / (1 + longest) - 1);
    let ruined = 0;
    const near = neighborhood.ordersNear(seed);
    for (let index = 0; index < near.length && ruined < strings; index++) {
      const order = near[index] ?? 0;
      const route = routes.routeOf[order] ?? NOBODY;
      if (route === NOBODY || this.#ruinedIn[route] === this.#round) continue;
      if ((routes.problem.orders.pinnedTo[order] ?? NOBODY) !== NOBODY) continue;
      this.#ruinedIn[route] = this.#round;
      this.#removeString(order, route, longest);
      ruined++;
    }
    this.#addAbsent(random.nextBelow(routes.orderCount));
  }

  /** Of two random orders, the one with the higher drop-off cost: there is more to gain around it. */
  #drawSeed(): number {
    const { random } = this.#parts;
    if (this.#fresh.length > 0 && random.nextFraction() < 0.5) {
      const near = this.#parts.neighborhood.ordersNear(this.#fresh[random.nextBelow(this.#fresh.length)] ?? 0);
      return near[random.nextBelow(near.length)] ?? 0;
    }
    const one = random.nextBelow(this.#routes.orderCount);
    const other = random.nextBelow(this.#routes.orderCount);
    return this.#costOf(one) < this.#costOf(other) ? other : one;
  }

  #costOf(order: number): number {
    const { stop, stopCost, length, stride, routeOf } = this.#routes;
    const route = routeOf[order] ?? NOBODY;
    if (route === NOBODY) return Infinity;
    const end = route * stride + (length[route] ?? 0);
    for (let at = route * stride; at < end; at++) if (stop[at] === 2 * order + 1) return stopCost[at] ?? 0;
    return 0;
  }

  #countUsedRoutes(): number {
    const { length, courierCount } = this.#routes;
    let used = 0;
    for (let route = 0; route < courierCount; route++) if ((length[route] ?? 0) > 0) used++;
    return used;
  }

  /** Removes the orders of a string of stops around this order's pickup or drop-off from its route. */
  #removeString(order: number, route: number, longest: number): void {
    const { random, journal } = this.#parts;
    const routes = this.#routes;
    const base = route * routes.stride;
    const length = routes.length[route] ?? 0;
    const wanted = 1 + random.nextBelow(Math.min(longest, length / 2));
    const anchor = 2 * order + (random.nextFraction() < 0.5 ? 0 : 1);
    let position = 0;
    while (position < length && routes.stop[base + position] !== anchor) position++;
    const first = Math.max(0, Math.min(length - wanted, position - random.nextBelow(wanted)));
    this.#take(order);
    let taken = 1;
    for (let at = first; at < length && taken < wanted; at++) {
      const other = (routes.stop[base + at] ?? 0) >> 1;
      if (this.#removedIn[other] === this.#round) continue;
      if ((routes.problem.orders.pinnedTo[other] ?? NOBODY) !== NOBODY) continue;
      this.#take(other);
      taken++;
    }
    journal.touch(route);
    routes.removeMarked(route, this.#removedIn, this.#round);
  }

  #take(order: number): void {
    this.#removedIn[order] = this.#round;
    this.#pool[this.#poolSize++] = order;
  }

  #addAbsent(from: number): void {
    const { absent, absentCount } = this.#routes;
    let added = 0;
    for (let step = 0; step < absentCount && added < ABSENT_TRIED; step++) {
      const order = absent[(from + step) % absentCount] ?? 0;
      if (this.#removedIn[order] === this.#round) continue;
      this.#take(order);
      added++;
    }
  }

  #recreate(yieldPoint: () => void): void {
    this.#sortPool();
    const { placer } = this.#parts;
    for (let index = 0; index < this.#poolSize; index++) {
      const order = this.#pool[index] ?? 0;
      if (placer.find(order)) placer.place(order);
      yieldPoint();
    }
  }

  #sortPool(): void {
    const { random } = this.#parts;
    const kind = random.nextBelow(8);
    for (let index = 0; index < this.#poolSize; index++) {
      this.#keys[index] = this.#sortKey(this.#pool[index] ?? 0, kind);
    }
    const keys = this.#keys;
    const pool = this.#pool;
    for (let index = 1; index < this.#poolSize; index++) {
      const key = keys[index] ?? 0;
      const order = pool[index] ?? 0;
      let at = index;
      for (; at > 0 && (keys[at - 1] ?? 0) > key; at--) {
        keys[at] = keys[at - 1] ?? 0;
        pool[at] = pool[at - 1] ?? 0;
      }
      keys[at] = key;
      pool[at] = order;
    }
  }

  /** Sorts the pool differently each round: at random in half of them, otherwise by difficulty of placing. */
  #sortKey(order: number, kind: number): number {
    const { stops, orders, travel, locationCount } = this.#routes.problem;
    const { earliest, latest, location } = stops;
    if (kind < 4) return this.#parts.random.next32();
    if (kind === 4) return earliest[2 * order] ?? 0;
    if (kind === 5) return Math.min(orders.due[order] ?? NEVER, latest[2 * order + 1] ?? NEVER);
    if (kind === 6) return (latest[2 * order] ?? NEVER) - (earliest[2 * order] ?? 0);
    return -(travel[(location[2 * order] ?? 0) * locationCount + (location[2 * order + 1] ?? 0)] ?? 0);
  }
}
