// Which orders lie close to one another, and which couriers come into question for an order. Rows are worked out when
// they are first asked for: a re-plan after a small change needs only a few of them.
import { NEVER, type PlanningProblem, UNREACHABLE } from './problem.ts';
import type { Routes } from './routes.ts';

const NEAR_ORDERS = 48;
const NEAR_COURIERS = 16;

/** Up to so many couriers every one of them is tried for every order. */
const TRY_ALL_COURIERS = 24;

export class Neighbourhood {
  readonly #routes: Routes;
  readonly #problem: PlanningProblem;
  readonly nearOrderCount: number;
  readonly nearCourierCount: number;
  readonly #orderRows: (Int32Array | undefined)[];
  readonly #courierRows: (Int32Array | undefined)[];
  readonly #keys: Float64Array;
  readonly #heap: Int32Array;
  readonly #timeSpan: number;

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
    this.#timeSpan = 0.25;
  }

  /** The orders nearest to this one, itself first. */
  ordersNear(order: number): Int32Array {
    const known = this.#orderRows[order];
    if (known !== undefined) return known;
    const { location, earliest } = this.#problem.stops;
    const pickup = location[2 * order] ?? 0;
    const dropoff = location[2 * order + 1] ?? 0;
    const ready = earliest[2 * order] ?? 0;
    for (let other = 0; other < this.#routes.orderCount; other++) {
      const between = this.#distance(pickup, location[2 * other] ?? 0);
      const doors = this.#distance(dropoff, location[2 * other + 1] ?? 0);
      const apart = Math.abs(ready - (earliest[2 * other] ?? 0));
      this.#keys[other] =
        other === order ? -1 : Math.min(between, doors) + 0.5 * Math.max(between, doors) + this.#timeSpan * apart;
    }
    const row = this.#smallest(this.#routes.orderCount, this.nearOrderCount);
    this.#orderRows[order] = row;
    return row;
  }

  /** The couriers who could be first at the pickup, going by when and where they become free. */
  couriersNear(order: number): Int32Array {
    const known = this.#courierRows[order];
    if (known !== undefined) return known;
    const { couriers, stops, allowed } = this.#problem;
    const pickup = stops.location[2 * order] ?? 0;
    const ready = stops.earliest[2 * order] ?? 0;
    const { courierCount } = this.#routes;
    for (let courier = 0; courier < courierCount; courier++) {
      const hop = this.#routes.travelBetween(courier, couriers.location[courier] ?? 0, pickup);
      const arrival = (couriers.available[courier] ?? 0) + hop;
      const tooLate = arrival > (couriers.shiftEnd[courier] ?? NEVER) || hop >= UNREACHABLE;
      const forbidden = allowed !== undefined && allowed[order * courierCount + courier] === 0;
      // Among those who are there in time the nearest is best; for the rest it is who comes first.
      this.#keys[courier] = tooLate || forbidden ? Infinity : hop + 4 * Math.max(0, arrival - ready);
    }
    const row = this.#smallest(courierCount, this.nearCourierCount);
    this.#courierRows[order] = row;
    return row;
  }

  #distance(from: number, to: number): number {
    return this.#problem.travel[from * this.#problem.locationCount + to] ?? 0;
  }

  /** The indexes of the smallest of the first `count` keys, in rising order; a bounded heap keeps the largest on top. */
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
