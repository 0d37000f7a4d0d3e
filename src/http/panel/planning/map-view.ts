// The live map of one restaurant or of all. Stops come only from orders that the viewer may see, so a courier's work
// for others can't show, not even as a gap in the numbers.
import type { MapAnswer, MapCourier, MapOrder } from '../../../contract/panel/planning/map.ts';
import { showEta } from '../../../domain/couriers/privacy.ts';
import { isOutOfContact } from '../../../domain/couriers/courier.ts';
import { dueTimeOf, expectReady } from '../../../domain/orders/due-time.ts';
import type { Place } from '../../../domain/geo.ts';
import { formatUtc, type Instant } from '../../../domain/time.ts';
import { listCourierNames } from '../../../store/couriers/couriers.ts';
import type { Queryable } from '../../../store/database/database.ts';
import {
  listMapCouriers,
  listMapOrders,
  listMapRestaurants,
  type MapOrder as StoredOrder,
  type MapRestaurant,
} from '../../../store/planning/live-map.ts';
import { listAlarms, type AlarmView } from '../../../store/planning/alarms.ts';
import {
  couriersIn,
  explainNow,
  showCourier,
  toWhyView,
  type KnownCouriers,
  type Explanation,
} from './explanation-view.ts';

/** `restaurantId` null: everything. */
export async function readLiveMap(
  db: Queryable,
  { restaurantId, now }: { restaurantId: string | null; now: Instant },
): Promise<MapAnswer> {
  const [{ orders, total }, couriers, alarms] = await Promise.all([
    listMapOrders(db, restaurantId),
    listMapCouriers(db, { restaurantId, now }),
    listAlarms(db, restaurantId),
  ]);
  const shown = restaurantId === null ? [...new Set(orders.map((order) => order.restaurantId))] : [restaurantId];
  const explanations = new Map(orders.map((order) => [order.id, explainOrder(order)]));
  const [restaurants, names] = await Promise.all([
    listMapRestaurants(db, shown),
    listCourierNames(db, listMentioned(orders, explanations), restaurantId),
  ]);
  const known = new Set(names.keys());
  for (const { courierId, courierName } of orders) {
    if (courierId !== null && courierName !== null) names.set(courierId, courierName);
  }
  const places = new Map(restaurants.map((restaurant) => [restaurant.id, restaurant]));
  const knownCouriers: KnownCouriers = { names, isKnown: (id) => restaurantId === null || known.has(id) };
  const stops = listStops(orders, places);
  const context = { knownCouriers, places, explanations, alarms: Map.groupBy(alarms, (alarm) => alarm.orderId) };
  return {
    restaurants: restaurants.map(({ id, name, place, timeZone }) => ({ id, name, place, timeZone })),
    orders: orders.map((order) => toMapOrder(order, context)),
    total,
    couriers: couriers.map(({ place, locatedAt, reportedAt, ...courier }) => ({
      ...courier,
      position: place && { ...place, reportedAt: formatUtc(locatedAt) },
      isDark: isOutOfContact({ place, reportedAt }, now),
      stops: stops.get(courier.id) ?? [],
    })),
  };
}

type Explanations = ReadonlyMap<string, Explanation | null>;

function explainOrder({ plan, ...order }: StoredOrder): Explanation | null {
  return explainNow({ ...order, lockedTo: plan.lockedTo }, plan.explanation);
}

function listMentioned(orders: readonly StoredOrder[], explanations: Explanations): string[] {
  const mentioned = orders.flatMap(({ id, plan }) => {
    const explanation = explanations.get(id) ?? null;
    return [
      ...(plan.courierId === null ? [] : [plan.courierId]),
      ...(explanation === null ? [] : couriersIn(explanation)),
    ];
  });
  return [...new Set(mentioned)];
}

interface Context {
  explanations: Explanations;
  knownCouriers: KnownCouriers;
  places: ReadonlyMap<string, MapRestaurant>;
  alarms: ReadonlyMap<string, AlarmView[]>;
}

function toMapOrder(order: StoredOrder, { explanations, knownCouriers, places, alarms }: Context): MapOrder {
  const restaurant = places.get(order.restaurantId);
  const readyAt = order.kitchenReadyAt ?? expectReady(order, restaurant?.preparationMinutes ?? 0);
  const courierId = order.courierId ?? order.plan.courierId;
  const explanation = explanations.get(order.id) ?? null;
  const { plan } = order;
  const isCourierKnown = plan.courierId !== null && knownCouriers.isKnown(plan.courierId);
  return {
    id: order.id,
    restaurantId: order.restaurantId,
    orderNumber: order.orderNumber,
    displayId: order.displayId,
    state: order.state,
    pickup: order.pickup ?? restaurant?.place ?? null,
    dropoff: order.dropoff,
    destination: order.destination,
    dueAt: formatUtc(dueTimeOf(order, readyAt)),
    pickupAt: formatUtc(showEta(plan.pickupAt, isCourierKnown)),
    dropoffAt: formatUtc(showEta(plan.dropoffAt, isCourierKnown)),
    courier: courierId === null ? null : { ...showCourier(courierId, knownCouriers), standing: standingOf(order) },
    why: explanation && toWhyView(explanation, knownCouriers),
    alarms: (alarms.get(order.id) ?? []).map(({ kind, detail, raisedAt }) => ({
      kind,
      detail,
      raisedAt: formatUtc(raisedAt),
    })),
  };
}

function standingOf({ courierId, acceptedAt }: StoredOrder): 'planned' | 'offered' | 'accepted' {
  if (courierId === null) return 'planned';
  return acceptedAt === null ? 'offered' : 'accepted';
}

type Stop = MapCourier['stops'][number];

/** By courier, in the order of the plan; orders assigned since then come last. */
function listStops(orders: readonly StoredOrder[], places: ReadonlyMap<string, MapRestaurant>): Map<string, Stop[]> {
  const placed = orders.flatMap((order) => stopsOf(order, places.get(order.restaurantId)?.place ?? null));
  const byCourier = Map.groupBy(placed, ({ courierId }) => courierId);
  return new Map(
    [...byCourier].map(([courierId, stops]) => [
      courierId,
      stops.toSorted((one, other) => one.place - other.place).map(({ stop }) => stop),
    ]),
  );
}

function stopsOf(order: StoredOrder, restaurant: Place | null): { courierId: string; place: number; stop: Stop }[] {
  const { plan } = order;
  const courierId = order.courierId ?? plan.courierId;
  if (courierId === null) return [];
  // A plan for another courier says nothing about where this one goes first.
  const isPlanned = plan.courierId === courierId;
  const orderId = order.id;
  const pickup = order.pickup ?? restaurant;
  const ahead = Number.MAX_SAFE_INTEGER;
  const stops: { courierId: string; place: number; stop: Stop }[] = [];
  if (order.state !== 'ON_DELIVERY' && pickup !== null) {
    const place = isPlanned ? (plan.pickupPlace ?? ahead) : ahead;
    const at = formatUtc(plan.pickupAt);
    stops.push({ courierId, place, stop: { orderId, kind: 'pickup', ...pickup, at } });
  }
  if (order.dropoff !== null) {
    const place = isPlanned ? (plan.dropoffPlace ?? ahead) : ahead;
    const at = formatUtc(plan.dropoffAt);
    stops.push({ courierId, place, stop: { orderId, kind: 'dropoff', ...order.dropoff, at } });
  }
  return stops;
}
