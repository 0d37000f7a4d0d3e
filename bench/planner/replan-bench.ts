// Time of a re-plan when one order is new and all others are already planned, for several sizes of a synthetic city.
import { findFaults } from '../../src/domain/planning/plan-check.ts';
import { type Plan, planRoutes } from '../../src/domain/planning/plan.ts';
import {
  emptyCourierColumns,
  emptyOrderColumns,
  type PlanningProblem,
} from '../../src/domain/planning/search/problem.ts';
import { SeededRandom } from '../../src/domain/planning/search/seeded-random.ts';
import type { Place } from '../../harness/instances/mdrp-instance.ts';
import { threadCpuMs } from './thread-cpu.ts';

const CITY_METERS = 12_000;
const METERS_PER_SECOND = 5.3;
const SERVICE_SECONDS = 120;
/** The search's part of the 100 ms for a re-plan; the rest is for reading, insertion and explanations. */
const SEARCH_MS = 25;
const COLD_SEARCH_MS = 700;

export interface ReplanFigures {
  orders: number;
  couriers: number;
  coldMs: number;
  medianMs: number;
  p99Ms: number;
  /** The same in CPU time of the thread, which does not depend on the machine's load. */
  cpuP99Ms: number;
  /** A re-plan with insertion only, without search and explanations. */
  insertionMedianMs: number;
  /** How much the search lowers a plan's cost compared with insertion, in seconds of delay. */
  meanGain: number;
}

class City {
  readonly #random: SeededRandom;
  readonly #places: Place[];
  readonly #restaurantCount: number;
  readonly problem: PlanningProblem;

  constructor(size: { orders: number; couriers: number }, seed: number) {
    this.#random = new SeededRandom(seed);
    this.#restaurantCount = Math.ceil(size.orders / 5);
    const locationCount = this.#restaurantCount + size.orders + size.couriers;
    this.#places = Array.from({ length: locationCount }, () => this.#draw());
    const couriers = emptyCourierColumns(size.couriers);
    for (let courier = 0; courier < size.couriers; courier++) {
      couriers.location[courier] = this.#restaurantCount + size.orders + courier;
      couriers.available[courier] = this.#random.nextBelow(900);
      couriers.shiftEnd[courier] = 3600 + this.#random.nextBelow(4 * 3600);
    }
    couriers.capacity.fill(4);
    this.problem = {
      locationCount,
      travel: new Int32Array(locationCount * locationCount),
      ...emptyOrderColumns(size.orders),
      couriers,
      prices: { travel: 0.1, waiting: 0.05, delay: 1, lateness: 2, latenessSquared: 0.001, maxPastSeconds: 1800 },
      mixing: 'any',
      maxRouteStops: 24,
      lastRoutes: [],
      lockedStops: new Int32Array(size.couriers),
    };
    for (let location = 0; location < locationCount; location++) this.#measure(location);
    for (let order = 0; order < size.orders; order++) this.newOrder(order);
  }

  #draw(): Place {
    return { x: this.#random.nextBelow(CITY_METERS), y: this.#random.nextBelow(CITY_METERS) };
  }

  #measure(location: number): void {
    const { travel, locationCount } = this.problem;
    const from = this.#places[location] ?? { x: 0, y: 0 };
    for (const [other, to] of this.#places.entries()) {
      const seconds = Math.round(Math.hypot(from.x - to.x, from.y - to.y) / METERS_PER_SECOND);
      travel[location * locationCount + other] = seconds;
      travel[other * locationCount + location] = seconds;
    }
  }

  /** Replaces the order with this number, which is done, by a new one. */
  newOrder(order: number): void {
    const { stops, orders } = this.problem;
    const restaurant = this.#random.nextBelow(this.#restaurantCount);
    const dropoff = this.#restaurantCount + order;
    const from = this.#places[restaurant] ?? { x: 0, y: 0 };
    // Customers live within about 4 km of the restaurant.
    this.#places[dropoff] = {
      x: from.x + this.#random.nextBelow(6000) - 3000,
      y: from.y + this.#random.nextBelow(6000) - 3000,
    };
    this.#measure(dropoff);
    const ready = this.#random.nextBelow(2400);
    stops.location.set([restaurant, dropoff], 2 * order);
    stops.earliest[2 * order] = ready;
    stops.arriving.fill(SERVICE_SECONDS, 2 * order, 2 * order + 2);
    stops.leaving.fill(SERVICE_SECONDS, 2 * order, 2 * order + 2);
    orders.earliestDropoff[order] = ready;
    orders.due[order] = ready + 1800;
    orders.leaveOutPrice[order] = 1e6;
  }

  draw(below: number): number {
    return this.#random.nextBelow(below);
  }
}

export function benchReplan(size: { orders: number; couriers: number }, repetitions: number): ReplanFigures {
  const city = new City(size, 42);
  // Warm-up: the first plans of a process are slow because code is not compiled yet; a running service is past that.
  timePlan(city.problem, { seed: 1, searchMs: COLD_SEARCH_MS });
  const cold = timePlan(city.problem, { seed: 2, searchMs: COLD_SEARCH_MS });
  let last = cold.plan;
  const times: number[] = [];
  const cpuTimes: number[] = [];
  const insertionTimes: number[] = [];
  let gain = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const order = city.draw(size.orders);
    city.newOrder(order);
    const lastRoutes = last.routes.map((route) => route.map(({ stop }) => stop).filter((stop) => stop >> 1 !== order));
    const problem = { ...city.problem, lastRoutes };
    const inserted = timePlan(problem, { seed: repetition, searchMs: 0 });
    insertionTimes.push(inserted.elapsedMs);
    const { plan, elapsedMs, cpuMs } = timePlan(problem, { seed: repetition, searchMs: SEARCH_MS });
    const faults = findFaults(problem, plan);
    if (faults.length > 0) throw new Error(`an invalid plan: ${faults.slice(0, 3).join('; ')}`);
    times.push(elapsedMs);
    cpuTimes.push(cpuMs);
    gain += inserted.plan.cost - plan.cost;
    last = plan;
  }
  return {
    ...size,
    coldMs: cold.elapsedMs,
    medianMs: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuP99Ms: quantile(cpuTimes, 0.99),
    insertionMedianMs: quantile(insertionTimes, 0.5),
    meanGain: gain / repetitions,
  };
}

function timePlan(
  problem: PlanningProblem,
  { seed, searchMs }: { seed: number; searchMs: number },
): { plan: Plan; elapsedMs: number; cpuMs: number } {
  const start = performance.now();
  const cpuStart = threadCpuMs();
  const plan = planRoutes(problem, {
    seed,
    maxRounds: searchMs === 0 ? 0 : 1e9,
    elapsedShare: () => (performance.now() - start) / searchMs,
    polish: 'changed',
    ...(searchMs > 0 && { explain: 'changed' as const }),
  });
  return { plan, elapsedMs: performance.now() - start, cpuMs: threadCpuMs() - cpuStart };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
