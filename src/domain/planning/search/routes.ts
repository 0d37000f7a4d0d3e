// The plan during the search: every courier's stops in order, with time, slack, load and cost at each. Flat columns
// with a fixed stride, so that the search allocates nothing.
import { limitPastTimes } from './past-times.ts';
import { countCouriers, countOrders, NEVER, NOBODY, type PlanningProblem, UNREACHABLE } from './problem.ts';

export class Routes {
  readonly problem: PlanningProblem;
  readonly orderCount: number;
  readonly courierCount: number;
  readonly stride: number;

  /** The number of stops of each route, and how many of the first are locked. */
  readonly length: Int32Array;
  readonly locked: Int32Array;
  /** At `route * stride + position`: stop, location, service time, and the latest one that keeps the rest feasible. */
  readonly stop: Int32Array;
  readonly place: Int32Array;
  readonly time: Int32Array;
  readonly slackEnd: Int32Array;
  /** Units and orders on board after the stop. */
  readonly load: Int32Array;
  readonly aboard: Int32Array;
  /** Seconds of travel to the stop, and the stop's cost at its time. */
  readonly hop: Int32Array;
  readonly stopCost: Float64Array;

  readonly endHop: Int32Array;
  readonly startLoad: Int32Array;
  readonly startAboard: Int32Array;
  readonly routeCost: Float64Array;
  /** Counts the changes of each route, so that copies can detect that they are stale. */
  readonly version: Int32Array;

  readonly routeOf: Int32Array;
  readonly absent: Int32Array;
  absentCount = 0;
  absentCost = 0;
  totalRouteCost = 0;
  readonly #absentIndex: Int32Array;
  /** As in the problem, with times too far in the past limited. */
  readonly #earliestDropoff: Int32Array;
  readonly #due: Int32Array;

  constructor(problem: PlanningProblem) {
    const orders = countOrders(problem);
    const couriers = countCouriers(problem);
    this.problem = problem;
    this.orderCount = orders;
    this.courierCount = couriers;
    this.stride = Math.max(longestGiven(problem), Math.min(problem.maxRouteStops, 2 * orders));
    const cells = couriers * this.stride;
    this.length = new Int32Array(couriers);
    this.locked = new Int32Array(couriers);
    this.stop = new Int32Array(cells);
    this.place = new Int32Array(cells);
    this.time = new Int32Array(cells);
    this.slackEnd = new Int32Array(cells);
    this.load = new Int32Array(cells);
    this.aboard = new Int32Array(cells);
    this.hop = new Int32Array(cells);
    this.stopCost = new Float64Array(cells);
    this.endHop = new Int32Array(couriers);
    this.startLoad = new Int32Array(couriers);
    this.startAboard = new Int32Array(couriers);
    this.routeCost = new Float64Array(couriers);
    this.version = new Int32Array(couriers);
    this.routeOf = new Int32Array(orders).fill(NOBODY);
    this.absent = new Int32Array(orders);
    this.#absentIndex = new Int32Array(orders).fill(NOBODY);
    const { earliestDropoff, due } = limitPastTimes(problem);
    this.#earliestDropoff = earliestDropoff;
    this.#due = due;
    for (let order = 0; order < orders; order++) {
      this.#addAbsent(order);
      const courier = problem.orders.pinnedTo[order] ?? NOBODY;
      if (courier === NOBODY || problem.orders.carried[order] !== 1) continue;
      this.startLoad[courier] = (this.startLoad[courier] ?? 0) + this.roomFor(courier, order);
      this.startAboard[courier] = (this.startAboard[courier] ?? 0) + 1;
    }
  }

  get cost(): number {
    return this.totalRouteCost + this.absentCost;
  }

  #addAbsent(order: number): void {
    this.#absentIndex[order] = this.absentCount;
    this.absent[this.absentCount++] = order;
    this.absentCost += this.problem.orders.leaveOutPrice[order] ?? 0;
  }

  /** Records the route of an order; the caller writes the stops. */
  setRoute(order: number, route: number): void {
    const before = this.routeOf[order] ?? NOBODY;
    if (before === route) return;
    this.routeOf[order] = route;
    if (route === NOBODY) {
      this.#addAbsent(order);
    } else if (before === NOBODY) {
      const index = this.#absentIndex[order] ?? 0;
      const last = this.absent[--this.absentCount] ?? 0;
      this.absent[index] = last;
      this.#absentIndex[last] = index;
      this.#absentIndex[order] = NOBODY;
      this.absentCost -= this.problem.orders.leaveOutPrice[order] ?? 0;
      // Subtracting prices one by one accumulates rounding errors; an empty list must cost exactly 0.
      if (this.absentCount === 0) this.absentCost = 0;
    }
  }

  travelBetween(route: number, from: number, to: number): number {
    const { locationCount, travel, couriers } = this.problem;
    return travel[((couriers.profile[route] ?? 0) * locationCount + from) * locationCount + to] ?? 0;
  }

  /** The hard limit of a stop in a route. Accepted orders have none: they are delivered, however late. */
  latestIn(route: number, stop: number): number {
    if ((this.problem.orders.pinnedTo[stop >> 1] ?? NOBODY) !== NOBODY) return NEVER;
    const latest = this.problem.stops.latest[stop] ?? NEVER;
    if ((stop & 1) === 1) return latest;
    const shiftEnd = this.problem.couriers.shiftEnd[route] ?? NEVER;
    return shiftEnd < latest ? shiftEnd : latest;
  }

  /** How much of a courier's capacity an order takes: all of it if it must be alone. */
  roomFor(route: number, order: number): number {
    const { orders, couriers } = this.problem;
    const size = orders.size[order] ?? 0;
    if (orders.alone[order] !== 1) return size;
    const capacity = couriers.capacity[route] ?? 0;
    return capacity > size ? capacity : size;
  }

  /** Cost of serving the drop-off at a given time. */
  dropoffCost(order: number, time: number): number {
    const { prices } = this.problem;
    const cost = prices.delay * (time - (this.#earliestDropoff[order] ?? 0));
    const late = time - (this.#due[order] ?? 0);
    return late > 0 ? cost + late * (prices.lateness + prices.latenessSquared * late) : cost;
  }

  /** Cost of this courier carrying the order, independent of time. */
  carryPrice(route: number, order: number): number {
    const { orders, couriers } = this.problem;
    const price = couriers.orderPrice[route] ?? 0;
    const announced = orders.announcedTo[order] ?? NOBODY;
    return announced === NOBODY || announced === route ? price : price + (orders.changePrice[order] ?? 0);
  }

  /** Recomputes times, loads, costs and slack of a route after its stops changed. */
  refresh(route: number): void {
    const { stops, couriers, prices } = this.problem;
    const base = route * this.stride;
    const length = this.length[route] ?? 0;
    let place = couriers.location[route] ?? 0;
    let time = couriers.available[route] ?? 0;
    let leaving = 0;
    let load = this.startLoad[route] ?? 0;
    let aboard = this.startAboard[route] ?? 0;
    let cost = 0;
    let pickupBefore = false;
    for (let at = base; at < base + length; at++) {
      const stop = this.stop[at] ?? 0;
      const order = stop >> 1;
      const isPickup = (stop & 1) === 0;
      const next = stops.location[stop] ?? 0;
      const hop = this.travelBetween(route, place, next);
      const shared = isPickup && pickupBefore && place === next;
      const arrival = shared ? time : time + leaving + hop + (stops.arriving[stop] ?? 0);
      const earliest = stops.earliest[stop] ?? 0;
      time = arrival < earliest ? earliest : arrival;
      // Caps the time after an unreachable leg: sums of such legs would overflow and look early.
      if (time > UNREACHABLE) time = UNREACHABLE;
      const room = this.roomFor(route, order);
      load += isPickup ? room : -room;
      aboard += isPickup ? 1 : -1;
      let stopCost = 0;
      if (isPickup) stopCost = at === base ? 0 : prices.waiting * (time - arrival);
      else stopCost = this.dropoffCost(order, time) + this.carryPrice(route, order);
      this.place[at] = next;
      this.time[at] = time;
      this.load[at] = load;
      this.aboard[at] = aboard;
      this.hop[at] = hop;
      this.stopCost[at] = stopCost;
      cost += stopCost + prices.travel * hop;
      place = next;
      leaving = stops.leaving[stop] ?? 0;
      pickupBefore = isPickup;
    }
    const end = couriers.endLocation[route] ?? NOBODY;
    const endHop = end === NOBODY || length === 0 ? 0 : this.travelBetween(route, place, end);
    this.endHop[route] = endHop;
    cost += prices.travel * endHop;
    this.totalRouteCost += cost - (this.routeCost[route] ?? 0);
    this.routeCost[route] = cost;
    this.version[route] = (this.version[route] ?? 0) + 1;
    this.#refreshSlack(route, endHop + leaving);
  }

  #refreshSlack(route: number, endLeg: number): void {
    const { couriers } = this.problem;
    const base = route * this.stride;
    const length = this.length[route] ?? 0;
    const hasEnd = (couriers.endLocation[route] ?? NOBODY) !== NOBODY;
    let slackEnd = hasEnd ? (couriers.endLatest[route] ?? NEVER) - endLeg : NEVER;
    let later = NOBODY;
    for (let at = base + length - 1; at >= base; at--) {
      const stop = this.stop[at] ?? 0;
      if (later !== NOBODY) slackEnd -= this.#legWithin(at, stop, later);
      const latest = this.latestIn(route, stop);
      if (latest < slackEnd) slackEnd = latest;
      else if (slackEnd < -UNREACHABLE) slackEnd = -UNREACHABLE;
      this.slackEnd[at] = slackEnd;
      later = stop;
    }
  }

  /** Whether every stop is in time. The slack of the first is not enough: it excludes waits on the way. */
  isInTime(route: number): boolean {
    const base = route * this.stride;
    const end = base + (this.length[route] ?? 0);
    for (let at = base; at < end; at++) if ((this.time[at] ?? 0) > (this.slackEnd[at] ?? 0)) return false;
    return true;
  }

  #legWithin(at: number, stop: number, later: number): number {
    const { location, leaving, arriving } = this.problem.stops;
    if (((stop | later) & 1) === 0 && location[stop] === location[later]) return 0;
    return (leaving[stop] ?? 0) + (this.hop[at + 1] ?? 0) + (arriving[later] ?? 0);
  }

  /** Recomputes the sums, because thousands of differences accumulate rounding errors. */
  resum(): void {
    let routes = 0;
    for (let route = 0; route < this.courierCount; route++) routes += this.routeCost[route] ?? 0;
    this.totalRouteCost = routes;
    let absent = 0;
    for (let index = 0; index < this.absentCount; index++) {
      absent += this.problem.orders.leaveOutPrice[this.absent[index] ?? 0] ?? 0;
    }
    this.absentCost = absent;
  }

  /** Inserts an order: its pickup before position `pickupAt`, its drop-off before `dropoffAt`, counted without them. */
  insert(order: number, route: number, places: { pickupAt: number; dropoffAt: number }): void {
    const base = route * this.stride;
    const length = this.length[route] ?? 0;
    const { pickupAt, dropoffAt } = places;
    this.stop.copyWithin(base + dropoffAt + 2, base + dropoffAt, base + length);
    this.stop[base + dropoffAt + 1] = 2 * order + 1;
    this.stop.copyWithin(base + pickupAt + 1, base + pickupAt, base + dropoffAt);
    this.stop[base + pickupAt] = 2 * order;
    this.length[route] = length + 2;
    this.setRoute(order, route);
    this.refresh(route);
  }

  /** Removes the orders marked with the stamp from a route. */
  removeMarked(route: number, marks: Int32Array, stamp: number): void {
    const base = route * this.stride;
    const length = this.length[route] ?? 0;
    let kept = base;
    for (let at = base; at < base + length; at++) {
      const stop = this.stop[at] ?? 0;
      if (marks[stop >> 1] === stamp) this.setRoute(stop >> 1, NOBODY);
      else this.stop[kept++] = stop;
    }
    this.length[route] = kept - base;
    this.refresh(route);
  }
}

/** Enough for everything planned and accepted, however long. */
function longestGiven(problem: PlanningProblem): number {
  const stops = new Int32Array(countCouriers(problem));
  for (const [route, last] of problem.lastRoutes.entries()) stops[route] = last.length;
  for (const courier of problem.orders.pinnedTo) if (courier !== NOBODY) stops[courier] = (stops[courier] ?? 0) + 2;
  return stops.reduce((longest, count) => Math.max(longest, count), 2);
}
