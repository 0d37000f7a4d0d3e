// Finds the best place for an order. Hard limits are checked in constant time against the slack kept with each route;
// soft costs of later stops are followed only until a wait absorbs the delay or the best place so far cannot be beaten.
// Values shared by the steps of a scan are fields: objects created here would be most of the garbage.
import { DropoffDetours } from './dropoff-detours.ts';
import { NEVER, NOBODY, type PlanningProblem } from './problem.ts';
import type { Routes } from './routes.ts';
import type { SeededRandom } from './seeded-random.ts';

export class Insertion {
  readonly #routes: Routes;
  readonly #problem: PlanningProblem;
  readonly #random: SeededRandom;
  /** Only with soft costs must later stops be followed beyond their hard limits. */
  readonly #hasSoftCosts: boolean;
  readonly #oneAtATime: boolean;

  /** Share of positions skipped at random, so that the greedy choice varies. */
  blinkShare = 0;

  order = NOBODY;
  /** The best place since `start`; the route is NOBODY if there is none. */
  route = NOBODY;
  pickupAt = 0;
  dropoffAt = 0;
  delta = Infinity;
  /** The best in any other route, used for regret and for explanations. */
  secondDelta = Infinity;
  secondRoute = NOBODY;

  // State of one route's scan: its best place so far, and the pickup position being tried.
  #route = 0;
  #bestDelta = Infinity;
  #bestPickupAt = 0;
  #bestDropoffAt = 0;
  #room = 0;
  #at = 0;
  #served = 0;
  #hop = 0;
  #waiting = 0;
  #placesToBlink = 0;
  /** Start of the courier's travel matrix. */
  #matrix = 0;
  readonly #detours: DropoffDetours;

  constructor(routes: Routes, random: SeededRandom) {
    this.#routes = routes;
    this.#problem = routes.problem;
    this.#random = random;
    const { delay, lateness, latenessSquared, waiting } = routes.problem.prices;
    this.#hasSoftCosts = delay > 0 || lateness > 0 || latenessSquared > 0 || waiting > 0;
    this.#detours = new DropoffDetours(routes);
    this.#oneAtATime = routes.problem.mixing === 'one-pickup-place';
  }

  start(order: number): void {
    this.order = order;
    this.route = NOBODY;
    this.delta = Infinity;
    this.secondDelta = Infinity;
    this.secondRoute = NOBODY;
  }

  /** Finds the best place in a route and keeps it if the route is among the best two since `start`. */
  tryRoute(route: number): void {
    const { allowed } = this.#problem;
    if (allowed !== undefined && allowed[this.order * this.#routes.courierCount + route] === 0) return;
    if ((this.#routes.length[route] ?? 0) + 2 > this.#routes.stride) return;
    const carry = this.#routes.carryPrice(route, this.order);
    // The search needs only the best place; otherwise, nothing better than the second best may be pruned.
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

  /** Tries the pickup at each position of the route. */
  #scan(): void {
    const { stops, couriers, prices, travel, locationCount } = this.#problem;
    const routes = this.#routes;
    const route = this.#route;
    const pickup = 2 * this.order;
    const place = stops.location[pickup] ?? 0;
    const latest = routes.latestIn(route, pickup);
    const earliest = stops.earliest[pickup] ?? 0;
    const arriving = stops.arriving[pickup] ?? 0;
    const base = route * routes.stride;
    const end = routes.length[route] ?? 0;
    const matrix = (couriers.profile[route] ?? 0) * locationCount * locationCount;
    this.#matrix = matrix;
    const rowFromPickup = matrix + place * locationCount;
    const direct = this.#directLeg(rowFromPickup);
    const soft = this.#hasSoftCosts;
    this.#detours.forget();
    this.#room = (couriers.capacity[route] ?? 0) - routes.roomFor(route, this.order);
    for (let at = routes.locked[route] ?? 0; at <= end; at++) {
      const cell = base + at;
      const before = at === 0 ? NOBODY : (routes.stop[cell - 1] ?? 0);
      const timeBefore = at === 0 ? (couriers.available[route] ?? 0) : (routes.time[cell - 1] ?? 0);
      // Later positions are only later in time, so the drop-off alone would already cost too much.
      if (timeBefore > latest || (soft && routes.dropoffCost(this.order, timeBefore + direct) >= this.#bestDelta))
        break;
      const loadBefore = at === 0 ? (routes.startLoad[route] ?? 0) : (routes.load[cell - 1] ?? 0);
      if (loadBefore > this.#room || this.#blinks()) continue;
      const from = at === 0 ? (couriers.location[route] ?? 0) : (routes.place[cell - 1] ?? 0);
      const hop = travel[matrix + from * locationCount + place] ?? 0;
      if (at < end) {
        // If the detour to the pickup alone costs too much, the drop-off cannot make up for it.
        const onward = (travel[rowFromPickup + (routes.place[cell] ?? 0)] ?? 0) - (routes.hop[cell] ?? 0);
        if (prices.travel * (hop + onward) >= this.#bestDelta) continue;
      }
      const shared = before !== NOBODY && (before & 1) === 0 && from === place;
      const leaving = before === NOBODY ? 0 : (stops.leaving[before] ?? 0);
      const arrival = shared ? timeBefore : timeBefore + leaving + hop + arriving;
      const served = arrival < earliest ? earliest : arrival;
      if (served > latest || (soft && routes.dropoffCost(this.order, served + direct) >= this.#bestDelta)) continue;
      this.#at = at;
      this.#served = served;
      this.#hop = hop;
      if (!this.#oneAtATime && this.#leastDetour(hop) * prices.travel >= this.#bestDelta) continue;
      this.#waiting = at === 0 ? 0 : prices.waiting * (served - arrival);
      const until = this.#oneAtATime ? this.#bundleEnd(base, end) : end;
      if (until !== NOBODY) this.#scanDropoffs(until);
    }
  }

  /** Seconds from the pickup to the drop-off without a stop in between. */
  #directLeg(rowFromPickup: number): number {
    const { stops, travel } = this.#problem;
    const pickup = 2 * this.order;
    const hop = travel[rowFromPickup + (stops.location[pickup + 1] ?? 0)] ?? 0;
    return (stops.leaving[pickup] ?? 0) + hop + (stops.arriving[pickup + 1] ?? 0);
  }

  #leastDetour(hop: number): number {
    this.#detours.measure(this.#route, this.order);
    return this.#detours.least(this.#at, hop);
  }

  /** Draws how many positions to try before the next skip, which is cheaper than drawing at each. */
  #blinks(): boolean {
    if (this.blinkShare === 0 || --this.#placesToBlink > 0) return false;
    const draw = Math.log(1 - this.#random.nextFraction()) / Math.log(1 - this.blinkShare);
    this.#placesToBlink = 1 + Math.floor(draw);
    return true;
  }

  /** A bundle has one pickup place and is delivered completely before the next pickup: join one, or start a new one. */
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

  /** With the pickup fixed: tries the drop-off before each position from there to `until`. */
  #scanDropoffs(until: number): void {
    const { stops, prices, travel, locationCount } = this.#problem;
    const { earliest, arriving, leaving } = stops;
    const routes = this.#routes;
    const route = this.#route;
    const base = route * routes.stride;
    const matrix = this.#matrix;
    const detours = this.#detours;
    const dropoff = 2 * this.order + 1;
    const dropoffPlace = matrix + (stops.location[dropoff] ?? 0);
    const earliestService = earliest[dropoff] ?? 0;
    const latestService = stops.latest[dropoff] ?? NEVER;
    const arrivingSeconds = arriving[dropoff] ?? 0;
    let previous = 2 * this.order;
    let place = stops.location[previous] ?? 0;
    let time = this.#served;
    // Travel in seconds; `soft` is the extra cost of the wait at the pickup and of the stops between the two new ones.
    let extraTravel = this.#hop;
    let soft = this.#waiting;
    for (let at = this.#at; at <= until; at++) {
      const cell = base + at;
      const left = time + (leaving[previous] ?? 0);
      const known = detours.isKnown && at > this.#at;
      if (!known || prices.travel * (extraTravel + (detours.detour[at] ?? 0)) + soft < this.#bestDelta) {
        const hopToDropoff = travel[dropoffPlace + place * locationCount] ?? 0;
        const arrival = left + hopToDropoff + arrivingSeconds;
        const servedAt = arrival < earliestService ? earliestService : arrival;
        if (servedAt <= latestService) {
          const dropoffCost = this.#hasSoftCosts ? routes.dropoffCost(this.order, servedAt) : 0;
          const cost = prices.travel * (extraTravel + hopToDropoff) + soft + dropoffCost;
          if (cost - this.#savedTravel(at) < this.#bestDelta) this.#closeRoute(at, servedAt, cost);
        }
      }
      if (at === until) break;
      const stop = routes.stop[cell] ?? 0;
      const next = routes.place[cell] ?? 0;
      let hop = routes.hop[cell] ?? 0;
      if (at === this.#at) {
        const fromPickup = travel[matrix + place * locationCount + next] ?? 0;
        extraTravel += fromPickup - hop;
        hop = fromPickup;
      }
      const shared = ((stop | previous) & 1) === 0 && place === next;
      const reached = shared ? time : left + hop + (arriving[stop] ?? 0);
      const opens = earliest[stop] ?? 0;
      time = reached < opens ? opens : reached;
      if (time > (routes.slackEnd[cell] ?? 0) || time > latestService || (routes.load[cell] ?? 0) > this.#room) break;
      if (this.#hasSoftCosts) soft += this.#costAt(stop, time, time - reached) - (routes.stopCost[cell] ?? 0);
      const least = detours.isKnown ? (detours.leastFrom[at + 1] ?? 0) : 0;
      if (prices.travel * (extraTravel + least) + soft >= this.#bestDelta) break;
      previous = stop;
      place = next;
    }
  }

  /** Travel cost saved by replacing the existing leg to this position. */
  #savedTravel(at: number): number {
    const routes = this.#routes;
    const { travel } = this.#problem.prices;
    if (at < (routes.length[this.#route] ?? 0)) return travel * (routes.hop[this.#route * routes.stride + at] ?? 0);
    return travel * (routes.endHop[this.#route] ?? 0);
  }

  #costAt(stop: number, time: number, wait: number): number {
    if ((stop & 1) === 0) return this.#problem.prices.waiting * wait;
    const order = stop >> 1;
    return this.#routes.dropoffCost(order, time) + this.#routes.carryPrice(this.#route, order);
  }

  /** Checks and prices the rest of the route if the drop-off is served at `servedAt` before position `at`. */
  #closeRoute(at: number, servedAt: number, cost: number): void {
    const { stops, prices, couriers } = this.#problem;
    const routes = this.#routes;
    const dropoff = 2 * this.order + 1;
    const place = stops.location[dropoff] ?? 0;
    const left = servedAt + (stops.leaving[dropoff] ?? 0);
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

  /** Adds the extra cost of all stops from a cell on if the first of them is reached at another time. */
  #followDelay(cell: number, reached: number, cost: number): number {
    const { location, earliest, arriving, leaving } = this.#problem.stops;
    const routes = this.#routes;
    const end = this.#route * routes.stride + (routes.length[this.#route] ?? 0);
    let total = cost;
    let arrival = reached;
    let stop = routes.stop[cell] ?? 0;
    for (let at = cell; ;) {
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
