// Validates every rule of the problem from the instance alone, and computes the published figures. It shares only the
// trip type with the simulation.
import type { MdrpInstance, MdrpTrip, Place } from '../../harness/instances/mdrp-instance.ts';

export interface MdrpFigures {
  faults: string[];
  delivered: number;
  undeliveredPct: number;
  /** Means over the delivered orders, in minutes. */
  clickToDoor: number;
  readyToPickup: number;
  costPerOrder: number;
  ordersPerTrip: number;
  overTargetPct: number;
}

function travelMinutes(instance: MdrpInstance, from: Place, to: Place): number {
  return Math.ceil(Math.sqrt((from.x - to.x) ** 2 + (from.y - to.y) ** 2) / instance.metersPerMinute);
}

export function validateMdrp(instance: MdrpInstance, trips: readonly MdrpTrip[]): MdrpFigures {
  const faults: string[] = [];
  const dropoffTimes = new Map<number, number>();
  const pickupTimes = new Map<number, number>();
  for (const trip of trips) {
    for (const { order, time } of trip.drops) {
      if (dropoffTimes.has(order)) faults.push(`order ${order} is assigned twice`);
      dropoffTimes.set(order, time);
      pickupTimes.set(order, trip.pickup);
    }
  }
  for (const [courier] of instance.couriers.entries()) {
    const own = trips.filter((trip) => trip.courier === courier).toSorted((a, b) => a.departure - b.departure);
    faults.push(...checkCourier(instance, courier, own));
  }
  if (trips.some(({ courier }) => instance.couriers[courier] === undefined)) faults.push('an unknown courier');
  return { faults, ...computeFigures(instance, trips, { dropoffTimes, pickupTimes }) };
}

function checkCourier(instance: MdrpInstance, number: number, trips: readonly MdrpTrip[]): string[] {
  const faults: string[] = [];
  const courier = instance.couriers[number];
  if (courier === undefined) return [`courier ${number} is unknown`];
  let place: Place = courier;
  let free = courier.on;
  for (const trip of trips) {
    const fault = (text: string): number => faults.push(`courier ${number} at ${trip.departure}: ${text}`);
    const orders = trip.drops.map((drop) => instance.orders[drop.order]);
    const first = orders[0];
    const restaurant = instance.restaurants[first?.restaurant ?? -1];
    if (first === undefined || restaurant === undefined) {
      fault('a trip without an order');
      continue;
    }
    if (orders.some((order) => order?.restaurant !== first.restaurant)) fault('orders of several restaurants');
    if (orders.some((order) => (order?.placement ?? Infinity) > trip.assignedAt))
      fault('assigned before it was placed');
    if (trip.departure < trip.assignedAt) fault('left before the assignment');
    if (trip.departure < free) fault('left before the courier was free');
    const ready = Math.max(...orders.map((order) => order?.ready ?? Infinity));
    const arrival = trip.departure + travelMinutes(instance, place, restaurant);
    if (trip.pickup < Math.max(ready, arrival + instance.pickupService / 2)) fault('picked up too early');
    if (trip.pickup > courier.off) fault('picked up after the shift');
    let time = trip.pickup + instance.pickupService / 2;
    place = restaurant;
    for (const drop of trip.drops) {
      const dropoff = instance.orders[drop.order];
      if (dropoff === undefined) continue;
      const earliest = time + travelMinutes(instance, place, dropoff) + instance.dropoffService / 2;
      if (drop.time < earliest) fault(`order ${drop.order} dropped off at ${drop.time}, not before ${earliest}`);
      time = drop.time + instance.dropoffService / 2;
      place = dropoff;
    }
    free = time;
  }
  return faults;
}

function computeFigures(
  instance: MdrpInstance,
  trips: readonly MdrpTrip[],
  times: { dropoffTimes: Map<number, number>; pickupTimes: Map<number, number> },
): Omit<MdrpFigures, 'faults'> {
  const delivered = times.dropoffTimes.size;
  let clickToDoor = 0;
  let readyToPickup = 0;
  let overTarget = 0;
  for (const [number, order] of instance.orders.entries()) {
    const dropoff = times.dropoffTimes.get(number);
    if (dropoff === undefined) continue;
    clickToDoor += dropoff - order.placement;
    readyToPickup += (times.pickupTimes.get(number) ?? 0) - order.ready;
    if (dropoff - order.placement > instance.targetClickToDoor) overTarget++;
  }
  let pay = 0;
  for (const [number, courier] of instance.couriers.entries()) {
    const carried = trips.filter((trip) => trip.courier === number).reduce((sum, trip) => sum + trip.drops.length, 0);
    pay += Math.max(carried * instance.payPerOrder, ((courier.off - courier.on) / 60) * instance.payPerHour);
  }
  return {
    delivered,
    undeliveredPct: (100 * (instance.orders.length - delivered)) / instance.orders.length,
    clickToDoor: clickToDoor / delivered,
    readyToPickup: readyToPickup / delivered,
    costPerOrder: pay / delivered,
    ordersPerTrip: delivered / trips.length,
    overTargetPct: (100 * overTarget) / delivered,
  };
}
