// Simulates a day of the Meal Delivery Routing Problem minute by minute with the service's planner. A plan is tentative
// until waiting another minute would delay it; only then is it committed, and the courier sent.
import { findLatestDeparture } from '../../src/domain/planning/commitment.ts';
import { planRoutes, type Plan } from '../../src/domain/planning/plan.ts';
import {
  emptyCourierColumns,
  emptyOrderColumns,
  NEVER,
  type PlanningProblem,
  type Prices,
} from '../../src/domain/planning/search/problem.ts';
import { type Demand, measureRemoteness, priceCourier } from '../../src/domain/planning/courier-value.ts';
import type { MdrpInstance, MdrpTrip, Place } from '../../harness/instances/mdrp-instance.ts';

const SECONDS = 60;

/** Initial demand weight of each restaurant, before its first order. */
const FIRST_WEIGHT = 0.2;

/** The same parameters for all instances. */
export interface MdrpPolicy {
  prices: Prices;
  leaveOutPrice: number;
  /** Price per order of a courier who has earned the guaranteed pay, in seconds of delay. */
  payPrice: number;
  /** Price per second by which a courier is closer to demand than half an hour: saves central couriers for later. */
  nearnessPrice: number;
  bundleLimit: number;
  /** Plans include couriers whose shift starts within this many minutes. */
  courierHorizon: number;
  /** Search rounds: a base number, plus a number per open order. */
  rounds: number;
  roundsPerOrder: number;
  seed: number;
}

export const POLICY: MdrpPolicy = {
  prices: { travel: 0.03, waiting: 0, delay: 1, lateness: 0, latenessSquared: 0, maxPastSeconds: NEVER },
  leaveOutPrice: 7200,
  payPrice: 40,
  nearnessPrice: 0.2,
  bundleLimit: 4,
  courierHorizon: 60,
  rounds: 20,
  roundsPerOrder: 8,
  seed: 0,
};

/** A plan with its input: the open orders and the present couriers, by their index in the instance. */
interface MadePlan {
  problem: PlanningProblem;
  plan: Plan;
  open: readonly number[];
  present: readonly number[];
}

interface CourierState {
  place: number;
  freeAt: number;
  carried: number;
}

export class MdrpDay {
  readonly #instance: MdrpInstance;
  readonly #policy: MdrpPolicy;
  readonly #locationCount: number;
  readonly #travel: Int32Array;
  readonly #couriers: CourierState[];
  readonly #open = new Set<number>();
  /** Demand from the orders so far. */
  readonly #demand: Demand;
  readonly #trips: MdrpTrip[] = [];
  /** The last plan in instance indexes: stops by courier, two per order, as in a route. */
  #tentative = new Map<number, number[]>();
  #made: MadePlan | undefined;
  plans = 0;

  constructor(instance: MdrpInstance, policy: MdrpPolicy) {
    this.#instance = instance;
    this.#policy = policy;
    const places: Place[] = [...instance.restaurants, ...instance.orders, ...instance.couriers];
    this.#locationCount = places.length;
    this.#travel = buildMatrix(places, instance.metersPerMinute);
    this.#demand = {
      places: Int32Array.from(instance.restaurants.keys()),
      weights: new Float64Array(instance.restaurants.length).fill(FIRST_WEIGHT),
    };
    const firstCourier = instance.restaurants.length + instance.orders.length;
    this.#couriers = instance.couriers.map(({ on }, index) => ({
      place: firstCourier + index,
      freeAt: on,
      carried: 0,
    }));
  }

  run(): MdrpTrip[] {
    const { orders, couriers } = this.#instance;
    const byPlacement = orders
      .map((_, order) => order)
      .toSorted((a, b) => placementOf(orders, a) - placementOf(orders, b));
    const lastMinute = Math.max(...couriers.map(({ off }) => off));
    let next = 0;
    for (let minute = 0; minute <= lastMinute; minute++) {
      while (next < byPlacement.length && placementOf(orders, byPlacement[next] ?? 0) <= minute) {
        this.#take(byPlacement[next++] ?? 0);
      }
      if (this.#open.size === 0) continue;
      // Until something changes, the last plan stays valid and only due commitments are made.
      this.#made ??= this.#planAt(minute);
      if (this.#commit(minute, this.#made)) this.#made = undefined;
    }
    return this.#trips;
  }

  #take(order: number): void {
    this.#open.add(order);
    this.#made = undefined;
    const restaurant = this.#instance.orders[order]?.restaurant ?? 0;
    this.#demand.weights[restaurant] = (this.#demand.weights[restaurant] ?? 0) + 1;
  }

  #planAt(minute: number): MadePlan {
    const { couriers } = this.#instance;
    const open = [...this.#open];
    const present = couriers.flatMap(({ on, off }, index) =>
      off >= minute && on <= minute + this.#policy.courierHorizon ? [index] : [],
    );
    const problem = this.#buildProblem(minute, open, present);
    const maxRounds = this.#policy.rounds + this.#policy.roundsPerOrder * open.length;
    const plan = planRoutes(problem, { seed: 1 + minute + 10_000 * this.#policy.seed, maxRounds });
    this.plans++;
    this.#tentative = new Map(
      plan.routes.map((route, index) => {
        const stops = route.map(({ stop }) => 2 * (open[stop >> 1] ?? 0) + (stop & 1));
        return [present[index] ?? 0, stops];
      }),
    );
    return { problem, plan, open, present };
  }

  #buildProblem(minute: number, open: readonly number[], present: readonly number[]): PlanningProblem {
    const { policy, instance } = { policy: this.#policy, instance: this.#instance };
    const { stops, orders } = emptyOrderColumns(open.length);
    for (const [index, number] of open.entries()) {
      const order = instance.orders[number];
      if (order === undefined) throw new Error(`order ${number} is unknown`);
      const dropoff = instance.restaurants.length + number;
      stops.location.set([order.restaurant, dropoff], 2 * index);
      stops.earliest[2 * index] = order.ready * SECONDS;
      stops.arriving.set([(instance.pickupService / 2) * SECONDS, (instance.dropoffService / 2) * SECONDS], 2 * index);
      stops.leaving.set([(instance.pickupService / 2) * SECONDS, (instance.dropoffService / 2) * SECONDS], 2 * index);
      const direct = this.#travel[order.restaurant * this.#locationCount + dropoff] ?? 0;
      const service = ((instance.pickupService + instance.dropoffService) / 2) * SECONDS;
      orders.earliestDropoff[index] = order.ready * SECONDS + direct + service;
      orders.due[index] = (order.placement + instance.targetClickToDoor) * SECONDS;
      orders.leaveOutPrice[index] = policy.leaveOutPrice;
    }
    const columns = emptyCourierColumns(present.length);
    for (const [index, number] of present.entries()) this.#fillCourier(columns, index, { number, minute });
    columns.capacity.fill(policy.bundleLimit);
    const openIndex = new Map(open.map((number, index) => [number, index]));
    return {
      locationCount: this.#locationCount,
      travel: this.#travel,
      stops,
      orders,
      couriers: columns,
      prices: policy.prices,
      mixing: 'one-pickup-place',
      maxRouteStops: 16,
      lastRoutes: present.map((number) =>
        (this.#tentative.get(number) ?? []).flatMap((stop) => {
          const index = openIndex.get(stop >> 1);
          return index === undefined ? [] : [2 * index + (stop & 1)];
        }),
      ),
      lockedStops: new Int32Array(present.length),
    };
  }

  #fillCourier(
    columns: PlanningProblem['couriers'],
    index: number,
    { number, minute }: { number: number; minute: number },
  ): void {
    const courier = this.#instance.couriers[number];
    const state = this.#couriers[number];
    if (courier === undefined || state === undefined) throw new Error(`courier ${number} is unknown`);
    const { payPerOrder, payPerHour } = this.#instance;
    const guaranteed = ((courier.off - courier.on) / 60) * payPerHour;
    columns.location[index] = state.place;
    columns.available[index] = Math.max(minute, state.freeAt) * SECONDS;
    columns.shiftEnd[index] = courier.off * SECONDS;
    const pay = (state.carried + 1) * payPerOrder > guaranteed ? this.#policy.payPrice : 0;
    const matrix = { travel: this.#travel, locationCount: this.#locationCount };
    const remotenessSeconds = measureRemoteness(matrix, state.place, this.#demand);
    const worth = { remotenessSeconds, shiftLeftSeconds: (courier.off - minute) * SECONDS };
    columns.orderPrice[index] = pay + priceCourier(worth, this.#policy.nearnessPrice);
  }

  #commit(minute: number, made: MadePlan): boolean {
    const tripsBefore = this.#trips.length;
    for (const [index, route] of made.plan.routes.entries()) {
      const courier = made.present[index] ?? 0;
      const state = this.#couriers[courier];
      const leaveBy = findLatestDeparture(made.problem, index, route);
      if (leaveBy === undefined || state === undefined || state.freeAt > minute) continue;
      // Leaving in the next minute is early enough, so the plan stays tentative.
      if (leaveBy >= (minute + 1) * SECONDS) continue;
      const bundle: number[] = [];
      let pickups = 0;
      for (const { stop } of route) {
        if ((stop & 1) === 0 && bundle.length > 0) break;
        if ((stop & 1) === 0) pickups++;
        else bundle.push(made.open[stop >> 1] ?? 0);
      }
      const trip = this.#makeTrip(minute, courier, bundle);
      const planned = (route[pickups - 1]?.time ?? 0) / SECONDS;
      if (trip.pickup !== planned) throw new Error(`pickup at ${trip.pickup}, planned at ${planned}`);
      this.#send(trip, state);
    }
    return this.#trips.length > tripsBefore;
  }

  #makeTrip(departure: number, courier: number, bundle: readonly number[]): MdrpTrip {
    const { orders, restaurants, pickupService, dropoffService } = this.#instance;
    const restaurant = orders[bundle[0] ?? 0]?.restaurant ?? 0;
    const ready = Math.max(...bundle.map((order) => orders[order]?.ready ?? 0));
    const arrival = departure + this.#minutes(this.#couriers[courier]?.place ?? 0, restaurant);
    const pickup = Math.max(ready, arrival + pickupService / 2);
    let time = pickup + pickupService / 2;
    let place = restaurant;
    const drops = bundle.map((order) => {
      const dropoff = restaurants.length + order;
      const drop = time + this.#minutes(place, dropoff) + dropoffService / 2;
      time = drop + dropoffService / 2;
      place = dropoff;
      return { order, time: drop };
    });
    return { courier, assignedAt: departure, departure, pickup, drops };
  }

  #send(trip: MdrpTrip, state: CourierState): void {
    this.#trips.push(trip);
    const last = trip.drops.at(-1);
    state.place = this.#instance.restaurants.length + (last?.order ?? 0);
    state.freeAt = (last?.time ?? 0) + this.#instance.dropoffService / 2;
    state.carried += trip.drops.length;
    for (const { order } of trip.drops) this.#open.delete(order);
  }

  #minutes(from: number, to: number): number {
    return (this.#travel[from * this.#locationCount + to] ?? 0) / SECONDS;
  }
}

function placementOf(orders: MdrpInstance['orders'], order: number): number {
  return orders[order]?.placement ?? Infinity;
}

function buildMatrix(places: readonly Place[], metersPerMinute: number): Int32Array {
  const travel = new Int32Array(places.length * places.length);
  for (const [from, a] of places.entries()) {
    for (const [to, b] of places.entries()) {
      const meters = Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2);
      travel[from * places.length + to] = Math.ceil(meters / metersPerMinute) * SECONDS;
    }
  }
  return travel;
}
