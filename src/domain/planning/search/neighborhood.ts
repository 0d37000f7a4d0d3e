// Which orders are near each other, and which couriers are considered for an order. Rows are computed on first use: a
// replan after a small change needs only a few.
import { NEVER, NOBODY, type PlanningProblem, UNREACHABLE } from './problem.ts';
import type { Routes } from './routes.ts';

const NEAR_ORDERS = 48;
const NEAR_COURIERS = 16;

/** One second between two ready times counts as this many seconds of travel. */
const TIME_SPAN = 0.25;

/** Up to this many couriers, each is tried for every order. */
const TRY_ALL_COURIERS = 24;

export class Neighborhood {
  readonly #routes: Routes;
  readonly #problem: PlanningProblem;
  readonly nearOrderCount: number;
  readonly nearCourierCount: number;
  readonly #orderRows: (Int32Array | undefined)[];
  readonly #courierRows: (Int32Array | undefined)[];
  readonly #keys: Float64Array;
  readonly #heap: Int32Array;

  constructor(routes: Routes) {
    this.#routes = routes;
    this.#problem = routes.problem;
    const { orderCount, courierCount } = routes;
    this.nearOrderCount = Math.min(NEAR_ORDERS, orderCount);
    this.nearCourierCount = courierCount <= TRY_ALL_COURIERS ? courierCount : NEAR_COURIERS;
    this.#orderRows = Array.from({ length: orderCount }, () => undefined);
    this.#courierRows = Array.from({ length: orderCount }, () => undefined);
    const widest = Math.max(orderCount, courierCount);
    this.#keys = new Float64Array(widest);
    this.#heap = new Int32Array(Math.max(NEAR_ORDERS, TRY_ALL_COURIERS) + 1);
  }

  /** The orders nearest to this one, starting with itself. */
  ordersNear(order: number): Int32Array {
    const known = this.#orderRows[order];
    if (known !== undefined) return known;
    // Local variables for speed: a replan after one new order spends much of its time in this loop.
    const { travel, locationCount } = this.#problem;
    const { location, earliest } = this.#problem.stops;
    const { orderCount } = this.#routes;
    const keys = this.#keys;
    const fromPickup = (location[2 * order] ?? 0) * locationCount;
    const fromDropoff = (location[2 * order + 1] ?? 0) * locationCount;
    const ready = earliest[2 * order] ?? 0;
    for (let other = 0; other < orderCount; other++) {
      const between = travel[fromPickup + (location[2 * other] ?? 0)] ?? 0;
      const dropoffs = travel[fromDropoff + (location[2 * other + 1] ?? 0)] ?? 0;
      const apart = Math.abs(ready - (earliest[2 * other] ?? 0));
      const distance = between < dropoffs ? between + 0.5 * dropoffs : dropoffs + 0.5 * between;
      keys[other] = distance + TIME_SPAN * apart;
    }
    keys[order] = -1;
    const row = this.#smallest(orderCount, this.nearOrderCount);
    this.#orderRows[order] = row;
    return row;
  }

  /** The couriers who could reach the pickup first, judged by when and where they become free. */
  couriersNear(order: number): Int32Array {
    const known = this.#courierRows[order];
    if (known !== undefined) return known;
    const { courierCount } = this.#routes;
    for (let courier = 0; courier < courierCount; courier++) this.#keys[courier] = this.#farness(order, courier);
    const row = this.#smallest(courierCount, this.nearCourierCount);
    this.#courierRows[order] = row;
    return row;
  }

  /** The idle courier who could reach the pickup first; NOBODY if there is none. */
  nearestIdle(order: number): number {
    const { courierCount, length } = this.#routes;
    let nearest = NOBODY;
    let least = Infinity;
    for (let courier = 0; courier < courierCount; courier++) {
      if (length[courier] !== 0) continue;
      const farness = this.#farness(order, courier);
      if (farness >= least) continue;
      least = farness;
      nearest = courier;
    }
    return nearest;
  }

  #farness(order: number, courier: number): number {
    const { couriers, orders, stops, allowed, travel, locationCount } = this.#problem;
    if (allowed !== undefined && allowed[order * this.#routes.courierCount + courier] === 0) return Infinity;
    if ((orders.size[order] ?? 0) > (couriers.capacity[courier] ?? 0)) return Infinity;
    const row = (couriers.profile[courier] ?? 0) * locationCount + (couriers.location[courier] ?? 0);
    const hop = travel[row * locationCount + (stops.location[2 * order] ?? 0)] ?? 0;
    const arrival = (couriers.available[courier] ?? 0) + hop;
    const ready = stops.earliest[2 * order] ?? 0;
    const pickup = arrival < ready ? ready : arrival;
    if (pickup > (couriers.shiftEnd[courier] ?? NEVER) || hop >= UNREACHABLE) return Infinity;
    const late = arrival - ready;
    // Among couriers who arrive in time, the nearest is best; among the others, the earliest.
    return late > 0 ? hop + 4 * late : hop;
  }

  /** Indexes of the smallest of the first `count` keys, ascending; uses a bounded heap with the largest on top. */
  #smallest(count: number, wanted: number): Int32Array {
    const keys = this.#keys;
    const heap = this.#heap;
    let size = 0;
    for (let index = 0; index < count; index++) {
      const key = keys[index] ?? 0;
      if (size < wanted) {
        heap[size++] = index;
        this.#siftUp(size - 1);
      } else if (size > 0 && key < (keys[heap[0] ?? 0] ?? 0)) {
        heap[0] = index;
        this.#siftDown(size);
      }
    }
    return heap.slice(0, size).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  }

  #siftUp(from: number): void {
    const heap = this.#heap;
    const keys = this.#keys;
    let child = from;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent] ?? 0;
      const below = heap[child] ?? 0;
      if ((keys[above] ?? 0) >= (keys[below] ?? 0)) return;
      heap[parent] = below;
      heap[child] = above;
      child = parent;
    }
  }

  #siftDown(size: number): void {
    const heap = this.#heap;
    const keys = this.#keys;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= size) return;
      if (child + 1 < size && (keys[heap[child + 1] ?? 0] ?? 0) > (keys[heap[child] ?? 0] ?? 0)) child++;
      const above = heap[parent] ?? 0;
      const below = heap[child] ?? 0;
      if ((keys[above] ?? 0) >= (keys[below] ?? 0)) return;
      heap[parent] = below;
      heap[child] = above;
      parent = child;
    }
  }
}
