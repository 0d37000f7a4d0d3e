// Where an order fits best. Hard limits are checked against the slack kept with each route in constant time; soft costs
// of later stops are followed only until a wait has swallowed the delay or the best place so far is out of reach.
// What the steps of one scan hand to one another lies in fields: objects made here would be most of the garbage.
import { NEVER, NOBODY, type PlanningProblem } from './problem.ts';
import type { Routes } from './routes.ts';
import type { SeededRandom } from './seeded-random.ts';

export class Insertion {
  readonly #routes: Routes;
  readonly #problem: PlanningProblem;
  readonly #random: SeededRandom;
  /** Only then do later stops have to be followed beyond their hard limits. */
  readonly #hasSoftCosts: boolean;
  readonly #oneAtATime: boolean;

  /** Share of places that are passed over at random, so that the greedy choice is not always the same. */
  blinkShare = 0;

  order = NOBODY;
  /** The best place found since `start`; the route is NOBODY when there is none. */
  route = NOBODY;
  pickupAt = 0;
  dropoffAt = 0;
  delta = Infinity;
  /** The best in any other route, for regret and for explanations. */
  secondDelta = Infinity;
  secondRoute = NOBODY;

  // The scan of one route: the best of it so far, and the pickup place being tried.
  #route = 0;
  #bestDelta = Infinity;
  #bestPickupAt = 0;
  #bestDropoffAt = 0;
  #room = 0;
  #at = 0;
  #served = 0;
  #hop = 0;
  #waiting = 0;

  constructor(routes: Routes, random: SeededRandom) {
    this.#routes = routes;
    this.#problem = routes.problem;
    this.#random = random;
    const { delay, lateness, latenessSquared, waiting } = routes.problem.prices;
    this.#hasSoftCosts = delay > 0 || lateness > 0 || latenessSquared > 0 || waiting > 0;
    this.#oneAtATime = routes.problem.mixing === 'one-pickup-place';
  }

  start(order: number): void {
    this.order = order;
    this.route = NOBODY;
    this.delta = Infinity;
    this.secondDelta = Infinity;
    this.secondRoute = NOBODY;
  }

  /** Looks for the best place in a route and keeps it when it is among the best two routes tried since `start`. */
  tryRoute(route: number): void {
    const { allowed } = this.#problem;
    if (allowed !== undefined && allowed[this.order * this.#routes.courierCount + route] === 0) return;
    if ((this.#routes.length[route] ?? 0) + 2 > this.#routes.stride) return;
    const carry = this.#routes.carryPrice(route, this.order);
    // In the search only the best matters; else nothing better than the second best may be cut off.
    const limit = (this.blinkShare > 0 ? this.delta : this.secondDelta) - carry;
    this.#route = route;
    this.#bestDelta = limit;
    this.#scan();
    if (this.#bestDelta < limit) this.#keep(route, this.#bestDelta + carry);
  }

  #keep(route: number, delta: number): void {
    if (delta < this.delta) {
      this.secondDelta = this.delta;
      this.secondRoute = this.route;
      this.delta = delta;
      this.route = route;
      this.pickupAt = this.#bestPickupAt;
      this.dropoffAt = this.#bestDropoffAt;
    } else if (delta < this.secondDelta) {
      this.secondDelta = delta;
      this.secondRoute = route;
    }
  }

  /** Tries the pickup at each place of the route. */
  #scan(): void {
    const { stops, couriers, orders, prices } = this.#problem;
    const routes = this.#routes;
    const route = this.#route;
    const pickup = 2 * this.order;
    const place = stops.location[pickup] ?? 0;
    const latest = routes.latestIn(route, pickup);
    const earliest = stops.earliest[pickup] ?? 0;
    const arriving = stops.arriving[pickup] ?? 0;
    const base = route * routes.stride;
    const end = routes.length[route] ?? 0;
    const blinkShare = this.blinkShare;
    this.#room = (couriers.capacity[route] ?? 0) - (orders.size[this.order] ?? 0);
    for (let at = routes.locked[route] ?? 0; at <= end; at++) {
      const before = at === 0 ? NOBODY : (routes.stop[base + at - 1] ?? 0);
      const timeBefore = at === 0 ? (couriers.available[route] ?? 0) : (routes.time[base + at - 1] ?? 0);
      if (timeBefore > latest) break;
      const loadBefore = at === 0 ? (routes.startLoad[route] ?? 0) : (routes.load[base + at - 1] ?? 0);
      if (loadBefore > this.#room) continue;
      if (blinkShare > 0 && this.#random.nextFraction() < blinkShare) continue;
      const from = before === NOBODY ? (couriers.location[route] ?? 0) : (stops.location[before] ?? 0);
      const hop = routes.travelBetween(route, from, place);
      const shared = before !== NOBODY && (before & 1) === 0 && from === place;
      const leaving = before === NOBODY ? 0 : (stops.leaving[before] ?? 0);
      const arrival = shared ? timeBefore : timeBefore + leaving + hop + arriving;
      const served = arrival < earliest ? earliest : arrival;
      if (served > latest) continue;
      this.#at = at;
      this.#served = served;
      this.#hop = hop;
      this.#waiting = at === 0 ? 0 : prices.waiting * (served - arrival);
      const until = this.#oneAtATime ? this.#bundleEnd(base, end) : end;
      if (until !== NOBODY) this.#scanDropoffs(until);
    }
  }

  /** A bundle is of one place and all delivered before the next pickup: join one, or be one between two others. */
  #bundleEnd(base: number, end: number): number {
    const { stop, aboard, startAboard } = this.#routes;
    const { location } = this.#problem.stops;
    const at = this.#at;
    const aboardBefore = at === 0 ? (startAboard[this.#route] ?? 0) : (aboard[base + at - 1] ?? 0);
    if (aboardBefore === 0) return at;
    const before = at === 0 ? NOBODY : (stop[base + at - 1] ?? 0);
    if (before === NOBODY || (before & 1) === 1 || location[before] !== location[2 * this.order]) return NOBODY;
    if (at < end && ((stop[base + at] ?? 0) & 1) === 0) return NOBODY;
    let until = at;
    while (until < end && ((stop[base + until] ?? 0) & 1) === 1) until++;
    return until;
  }

  /** With the pickup in its place: tries the drop-off before each position from there to `until`. */
  #scanDropoffs(until: number): void {
    const { stops, prices } = this.#problem;
    const { location, earliest, arriving, leaving } = stops;
    const routes = this.#routes;
    const route = this.#route;
    const base = route * routes.stride;
    const dropoff = 2 * this.order + 1;
    const doorPlace = location[dropoff] ?? 0;
    const doorEarliest = earliest[dropoff] ?? 0;
    const doorLatest = stops.latest[dropoff] ?? NEVER;
    const doorArriving = arriving[dropoff] ?? 0;
    let previous = 2 * this.order;
    let time = this.#served;
    // Travel is in seconds; `soft` is what the wait at the pickup and the stops between the two new ones cost more.
    let travel = this.#hop;
    let soft = this.#waiting;
    for (let at = this.#at; at <= until; at++) {
      const place = location[previous] ?? 0;
      const left = time + (leaving[previous] ?? 0);
      const hopToDoor = routes.travelBetween(route, place, doorPlace);
      const arrival = left + hopToDoor + doorArriving;
      const door = arrival < doorEarliest ? doorEarliest : arrival;
      if (door <= doorLatest) {
        const cost = prices.travel * (travel + hopToDoor) + soft + routes.doorCost(this.order, door);
        if (cost - this.#savedTravel(at) < this.#bestDelta) this.#closeRoute(at, door, cost);
      }
      if (at === until) break;
      const stop = routes.stop[base + at] ?? 0;
      const next = location[stop] ?? 0;
      const hop = routes.travelBetween(route, place, next);
      const shared = ((stop | previous) & 1) === 0 && place === next;
      const reached = shared ? time : left + hop + (arriving[stop] ?? 0);
      const opens = earliest[stop] ?? 0;
      time = reached < opens ? opens : reached;
      if (time > (routes.slackEnd[base + at] ?? 0) || (routes.load[base + at] ?? 0) > this.#room) break;
      if (this.#hasSoftCosts) soft += this.#costAt(stop, time, time - reached) - (routes.stopCost[base + at] ?? 0);
      travel += hop - (routes.hop[base + at] ?? 0);
      previous = stop;
    }
  }

  /** The travel that falls away when the drop-off stands before this position. */
  #savedTravel(at: number): number {
    const routes = this.#routes;
    const { travel } = this.#problem.prices;
    if (at < (routes.length[this.#route] ?? 0)) return travel * (routes.hop[this.#route * routes.stride + at] ?? 0);
    return travel * (routes.endHop[this.#route] ?? 0);
  }

  #costAt(stop: number, time: number, wait: number): number {
    if ((stop & 1) === 0) return this.#problem.prices.waiting * wait;
    const order = stop >> 1;
    return this.#routes.doorCost(order, time) + this.#routes.carryPrice(this.#route, order);
  }

  /** The drop-off is served at `door` before position `at`: does the rest of the route hold, and what does it cost? */
  #closeRoute(at: number, door: number, cost: number): void {
    const { stops, prices, couriers } = this.#problem;
    const routes = this.#routes;
    const dropoff = 2 * this.order + 1;
    const place = stops.location[dropoff] ?? 0;
    const left = door + (stops.leaving[dropoff] ?? 0);
    let total = cost;
    if (at === routes.length[this.#route]) {
      const depot = couriers.endLocation[this.#route] ?? NOBODY;
      if (depot !== NOBODY) {
        const hop = routes.travelBetween(this.#route, place, depot);
        if (left + hop > (couriers.endLatest[this.#route] ?? NEVER)) return;
        total += prices.travel * (hop - (routes.endHop[this.#route] ?? 0));
      }
    } else {
      const cell = this.#route * routes.stride + at;
      const next = routes.stop[cell] ?? 0;
      const hop = routes.travelBetween(this.#route, place, stops.location[next] ?? 0);
      const reached = left + hop + (stops.arriving[next] ?? 0);
      if (reached > (routes.slackEnd[cell] ?? 0)) return;
      total += prices.travel * (hop - (routes.hop[cell] ?? 0));
      if (this.#hasSoftCosts && total < this.#bestDelta) total = this.#followDelay(cell, reached, total);
    }
    if (total >= this.#bestDelta) return;
    this.#bestDelta = total;
    this.#bestPickupAt = this.#at;
    this.#bestDropoffAt = at;
  }

  /** Adds what the stops from a cell on cost more when the first of them is reached at another time. */
  #followDelay(cell: number, reached: number, cost: number): number {
    const { location, earliest, arriving, leaving } = this.#problem.stops;
    const routes = this.#routes;
    const end = this.#route * routes.stride + (routes.length[this.#route] ?? 0);
    let total = cost;
    let arrival = reached;
    let stop = routes.stop[cell] ?? 0;
    for (let at = cell; ; ) {
      const opens = earliest[stop] ?? 0;
      const time = arrival < opens ? opens : arrival;
      total += this.#costAt(stop, time, time - arrival) - (routes.stopCost[at] ?? 0);
      if (time === routes.time[at] || total >= this.#bestDelta || ++at === end) return total;
      const next = routes.stop[at] ?? 0;
      const shared = ((stop | next) & 1) === 0 && location[stop] === location[next];
      arrival = shared ? time : time + (leaving[stop] ?? 0) + (routes.hop[at] ?? 0) + (arriving[next] ?? 0);
      stop = next;
    }
  }
}
