// Converts orders and couriers, with ids and instants, to the planner's columns of integers.
import { servesRestaurant, VEHICLES } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import { type Demand, measureRemoteness, priceCourier } from '../../domain/planning/courier-value.ts';
import {
  emptyCourierColumns,
  emptyOrderColumns,
  NEVER,
  NOBODY,
  type PlanningProblem,
  type Prices,
} from '../../domain/planning/search/problem.ts';
import { MINUTE_MS, SECOND_MS, type Instant } from '../../domain/time.ts';
import type { CourierToPlan, OrderToPlan, PlanRequest } from '../areas/plan-request.ts';
import type { Rides } from '../travel/travel-time-cache.ts';

/**
 * In seconds of delay at the door. With the usual limits, an order without a courier is canceled before it is half an
 * hour late, so only due times that were wrong when the order came in lie further back.
 */
const PRICES: Prices = {
  travel: 0.1,
  waiting: 0.05,
  delay: 1,
  lateness: 2,
  latenessSquared: 0.001,
  maxPastSeconds: 1800,
};
/** More expensive than any delay that would still count as a delivery. */
const LEAVE_OUT_PRICE = 1e6;
/** A minute and a half of delay: how much a change of courier must save, because people can see the plan. */
const CHANGE_PRICE = 90;
/**
 * Per second that a courier is nearer to the demand. Less than the price of riding: the nearest courier still goes, and
 * of two equally near ones, the one whom the next order needs less.
 */
const NEARNESS_PRICE = 0.05;
const MAX_ROUTE_STOPS = 12;
/** A courier does not head for food that is ready later than this: they can take other orders first. */
const MAX_WAIT_MS = 30 * MINUTE_MS;

/** Parking and finding the counter, then waiting for the bag and leaving; the same at the customer's door. */
const PICKUP_SECONDS = { arriving: 60, leaving: 60 };
const DROPOFF_SECONDS = { arriving: 60, leaving: 60 };

/** About 55 m: couriers move all the time, and travel times are no more precise than that. */
const STEPS_PER_DEGREE = 2_000;

export interface Locations {
  places: Place[];
  /** The first `stopCount` places are stops of orders; the rest are only starting points of couriers. */
  stopCount: number;
  /** Indexes into `places`. By order: its pickup and its drop-off; by courier: the current position. */
  pickups: Int32Array;
  dropoffs: Int32Array;
  couriers: Int32Array;
}

type Slots = Pick<Locations, 'pickups' | 'dropoffs' | 'couriers'>;

/** Equal places later get the same slot, which is how the planner recognizes a restaurant's orders as one pickup. */
export function listLocations({ orders, couriers }: PlanRequest): Locations {
  const stopCount = 2 * orders.length;
  return {
    places: [
      ...orders.flatMap(({ pickup, dropoff }) => [pickup, dropoff]),
      ...couriers.map(({ place }) => snap(place)),
    ],
    stopCount,
    pickups: Int32Array.from(orders, (_, index) => 2 * index),
    dropoffs: Int32Array.from(orders, (_, index) => 2 * index + 1),
    couriers: Int32Array.from(couriers, (_, index) => stopCount + index),
  };
}

function snap({ latitude, longitude }: Place): Place {
  const round = (degrees: number): number => Math.round(degrees * STEPS_PER_DEGREE) / STEPS_PER_DEGREE;
  return { latitude: round(latitude), longitude: round(longitude) };
}

/** `yieldPoint` is called between small steps. */
export function buildProblem(
  request: PlanRequest,
  places: Locations,
  { rides, yieldPoint = (): void => undefined }: { rides: Rides; yieldPoint?: () => void },
): PlanningProblem {
  const toSlot = (place: number): number => rides.slots[place] ?? 0;
  const locations = {
    pickups: places.pickups.map(toSlot),
    dropoffs: places.dropoffs.map(toSlot),
    couriers: places.couriers.map(toSlot),
  };
  const numberOfCourier = new Map(request.couriers.map(({ id }, index) => [id, index]));
  const { lastRoutes, lockedStops } = readLastRoutes(request, numberOfCourier);
  yieldPoint();
  const orders = fillOrders(request, locations, numberOfCourier);
  yieldPoint();
  const couriers = fillCouriers(request, locations, rides);
  yieldPoint();
  const allowed = listAllowed(request, numberOfCourier);
  yieldPoint();
  return {
    locationCount: rides.locationCount,
    travel: rides.seconds,
    ...orders,
    couriers,
    prices: PRICES,
    mixing: 'any',
    allowed,
    maxRouteStops: MAX_ROUTE_STOPS,
    lastRoutes,
    lockedStops,
  };
}

/** One row per order, one cell per courier. */
function listAllowed({ orders, couriers }: PlanRequest, numberOfCourier: ReadonlyMap<string, number>): Uint8Array {
  const allowed = new Uint8Array(orders.length * couriers.length);
  // Nearly all orders are already assigned or have no special requirements. All orders of a restaurant without special
  // requirements have the same row.
  const usualRows = new Map<string, Uint8Array>();
  for (const [index, order] of orders.entries()) {
    const row = allowed.subarray(index * couriers.length, (index + 1) * couriers.length);
    const onlyOne = order.heldBy ?? order.lockedTo;
    if (onlyOne !== null) {
      const number = numberOf(numberOfCourier, onlyOne);
      const courier = couriers[number];
      if (courier !== undefined && mayCarry(order, courier)) row[number] = 1;
      continue;
    }
    const isUsual = order.vehicles.length === 0 && order.refusedBy.length === 0;
    const usual = isUsual ? usualRows.get(order.restaurantId) : undefined;
    if (usual !== undefined) row.set(usual);
    else for (const [column, courier] of couriers.entries()) if (mayCarry(order, courier)) row[column] = 1;
    if (isUsual) usualRows.set(order.restaurantId, row);
  }
  return allowed;
}

function mayCarry(order: OrderToPlan, courier: CourierToPlan): boolean {
  // An accepted order stays with its courier, even if the rules have changed since.
  if (order.heldBy !== null) return order.heldBy === courier.id;
  if (!courier.takesMore || order.refusedBy.includes(courier.id)) return false;
  if (order.lockedTo !== null) return order.lockedTo === courier.id;
  if (!servesRestaurant(courier, order.restaurantId)) return false;
  return order.vehicles.length === 0 || order.vehicles.includes(courier.vehicle);
}

function fillOrders(
  { now, orders }: PlanRequest,
  locations: Slots,
  numberOfCourier: ReadonlyMap<string, number>,
): Pick<PlanningProblem, 'stops' | 'orders'> {
  const { stops, orders: columns } = emptyOrderColumns(orders.length);
  for (const [index, order] of orders.entries()) {
    const [pickup, dropoff] = [2 * index, 2 * index + 1];
    const ready = secondsAfter(now, order.readyAt);
    const opens = secondsAfter(now, order.dropoffFrom ?? now);
    stops.location[pickup] = locations.pickups[index] ?? 0;
    stops.location[dropoff] = locations.dropoffs[index] ?? 0;
    stops.earliest[pickup] = ready;
    stops.earliest[dropoff] = opens;
    stops.arriving[pickup] = PICKUP_SECONDS.arriving;
    stops.arriving[dropoff] = DROPOFF_SECONDS.arriving;
    stops.leaving[pickup] = PICKUP_SECONDS.leaving;
    stops.leaving[dropoff] = DROPOFF_SECONDS.leaving;
    columns.size[index] = order.bags;
    columns.alone[index] = order.canCombine ? 0 : 1;
    columns.earliestDropoff[index] = Math.max(ready, opens);
    columns.due[index] = secondsAfter(now, order.dueAt);
    columns.leaveOutPrice[index] = LEAVE_OUT_PRICE;
    columns.pinnedTo[index] = numberOf(numberOfCourier, order.heldBy);
    columns.carried[index] = order.isCarried && order.heldBy !== null ? 1 : 0;
    columns.announcedTo[index] = numberOf(numberOfCourier, order.announcedTo);
    columns.changePrice[index] = CHANGE_PRICE;
  }
  return { stops, orders: columns };
}

function fillCouriers({ now, couriers }: PlanRequest, locations: Slots, rides: Rides): PlanningProblem['couriers'] {
  const columns = emptyCourierColumns(couriers.length);
  const matrix = { travel: rides.seconds, locationCount: rides.locationCount };
  const demand = findDemand(locations);
  for (const [index, courier] of couriers.entries()) {
    columns.location[index] = locations.couriers[index] ?? 0;
    columns.shiftEnd[index] = courier.shiftEndsAt === null ? NEVER : secondsAfter(now, courier.shiftEndsAt);
    columns.capacity[index] = courier.capacity;
    columns.profile[index] = VEHICLES.indexOf(courier.vehicle);
    const remotenessSeconds = measureRemoteness(matrix, columns.location[index] ?? 0, demand);
    const worth = { remotenessSeconds, shiftLeftSeconds: columns.shiftEnd[index] ?? 0 };
    columns.orderPrice[index] = priceCourier(worth, NEARNESS_PRICE);
  }
  // A price that all couriers share decides nothing, and would be shown to people as a cost of the order.
  const least = columns.orderPrice.reduce((lowest, price) => Math.min(lowest, price), Infinity);
  columns.orderPrice = columns.orderPrice.map((price) => price - least);
  return columns;
}

/** New orders are expected where the current ones came from. */
function findDemand({ pickups }: Slots): Demand {
  const counts = new Map<number, number>();
  for (const place of pickups) counts.set(place, (counts.get(place) ?? 0) + 1);
  return { places: Int32Array.from(counts.keys()), weights: Float64Array.from(counts.values()) };
}

/** The last plan, by courier. A stop that the courier may already be heading for stays first. */
function readLastRoutes(
  { now, orders, couriers }: PlanRequest,
  numberOfCourier: ReadonlyMap<string, number>,
): Pick<PlanningProblem, 'lastRoutes' | 'lockedStops'> {
  const visits = couriers.map((): { stop: number; place: number }[] => []);
  for (const [index, { planned, isCarried, heldBy }] of orders.entries()) {
    if (planned === null || (heldBy !== null && heldBy !== planned.courierId)) continue;
    const route = visits[numberOf(numberOfCourier, planned.courierId)];
    if (!isCarried && planned.pickupPlace !== null) route?.push({ stop: 2 * index, place: planned.pickupPlace });
    route?.push({ stop: 2 * index + 1, place: planned.dropoffPlace });
  }
  const lastRoutes = visits.map((route) => route.toSorted((a, b) => a.place - b.place).map(({ stop }) => stop));
  const lockedStops = Int32Array.from(lastRoutes, ([first], courier) => {
    const order = first === undefined ? undefined : orders[Math.floor(first / 2)];
    if (first === undefined || order === undefined || order.heldBy !== couriers[courier]?.id) return 0;
    const isFarOff = first % 2 === 0 && order.readyAt - now > MAX_WAIT_MS;
    return isFarOff ? 0 : 1;
  });
  return { lastRoutes, lockedStops };
}

function numberOf(numbers: ReadonlyMap<string, number>, id: string | null): number {
  return id === null ? NOBODY : (numbers.get(id) ?? NOBODY);
}

export function secondsAfter(now: Instant, at: Instant): number {
  return Math.min(NEVER, Math.max(-NEVER, Math.round((at - now) / SECOND_MS)));
}
