// Data for the live map. The cost depends on what is live now, not on the history.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { POSITION_KEPT_MS } from '../../domain/couriers/courier.ts';
import type { OrderTiming } from '../../domain/orders/due-time.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from '../orders/facts.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { CHOSEN_BY, type PlanExplanation } from './plans.ts';

export interface MapOrder extends OrderTiming {
  id: string;
  restaurantId: string;
  orderNumber: string;
  displayId: string | null;
  state: OrderState;
  /** Null means the restaurant's location. */
  pickup: Place | null;
  dropoff: Place | null;
  destination: string | null;
  courierId: string | null;
  courierName: string | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  /** Who assigned it to the courier. */
  chosenBy: string | null;
  kitchenReadyAt: Instant | null;
  plan: {
    courierId: string | null;
    pickupPlace: number | null;
    dropoffPlace: number | null;
    pickupAt: Instant | null;
    dropoffAt: Instant | null;
    explanation: PlanExplanation | null;
    lockedTo: string | null;
  };
}

/** What the facts say about an order. */
type OrderFact =
  | Exclude<keyof OrderTiming, 'approvedAt' | 'wantedAt'>
  | 'displayId'
  | 'pickup'
  | 'dropoff'
  | 'destination';

interface OrderRow extends Omit<MapOrder, OrderFact | 'plan'>, Omit<MapOrder['plan'], 'courierId'>, FactsRow {
  plannedCourierId: string | null;
  total: number;
}

/** More than a person can distinguish on a map; the oldest are shown. */
const MAX_MAP_ORDERS = 2_000;

// An event is never older than its order, which lets the search for the approval skip earlier weeks.
const listOrdersWhere = (condition: string): string => `
  with live as (
    select o.id, (count(*) over ())::int as total from orders o
    where o.finished_at is null and ${condition}
    order by o.created_at, o.id limit ${MAX_MAP_ORDERS}
  )
  select o.id, o.restaurant_id, o.order_number, o.state, ${FACTS_COLUMNS}, o.courier_id, u.name as courier_name,
    o.courier_offered_at as offered_at, o.courier_accepted_at as accepted_at, o.kitchen_ready_at,
    ${CHOSEN_BY} as chosen_by,
    coalesce((select e.occurred_at from events e
              where e.order_id = o.id and e.version = 1 and e.occurred_at >= o.created_at), o.created_at) as approved_at,
    o.wanted_at, p.courier_id as planned_courier_id, p.pickup_place, p.dropoff_place, p.pickup_at,
    p.dropoff_at, p.explanation, p.locked_to, live.total
  from live
  join orders o on o.id = live.id
  left join couriers u on u.id = o.courier_id
  left join order_plans p on p.order_id = o.id
  order by o.created_at, o.id`;

// Two statements, so that each gets a suitable plan.
const LIST_OF_RESTAURANT = { name: 'list_map_orders_of_restaurant', text: listOrdersWhere('o.restaurant_id = $1') };
const LIST_ALL = { name: 'list_map_orders', text: listOrdersWhere('true') };

/** `restaurantId` null: all restaurants. `total` includes orders over the limit. */
export async function listMapOrders(
  db: Queryable,
  restaurantId: string | null,
): Promise<{ orders: MapOrder[]; total: number }> {
  const rows =
    restaurantId === null
      ? await db.query<OrderRow>(LIST_ALL)
      : await db.query<OrderRow>(LIST_OF_RESTAURANT, [restaurantId]);
  return { orders: rows.map(toOrder), total: rows[0]?.total ?? 0 };
}

function toOrder({ facts, unreadContent, total: _total, ...row }: OrderRow): MapOrder {
  const { plannedCourierId, pickupPlace, dropoffPlace, pickupAt, dropoffAt, explanation, lockedTo, ...order } = row;
  const shown = shownFactsOf({ facts, unreadContent });
  return {
    ...order,
    displayId: shown.displayId,
    pickup: shown.pickup,
    dropoff: shown.dropoff,
    destination: shown.destination,
    prepMinutes: shown.prepMinutes,
    readyAt: shown.readyAt,
    windowStart: shown.windowStart,
    windowEnd: shown.windowEnd,
    maxDeliveryMinutes: shown.maxDeliveryMinutes,
    plan: { courierId: plannedCourierId, pickupPlace, dropoffPlace, pickupAt, dropoffAt, explanation, lockedTo },
  };
}

export interface MapRestaurant {
  id: string;
  name: string;
  place: Place | null;
  timeZone: string;
  preparationMinutes: number;
}

export async function listMapRestaurants(db: Queryable, ids: readonly string[]): Promise<MapRestaurant[]> {
  const rows = await db.query<Unplaced<MapRestaurant>>(
    {
      name: 'list_map_restaurants',
      text: `select id, name, latitude, longitude, time_zone, preparation_minutes from restaurants
             where id = any($1::uuid[]) order by name, id`,
    },
    [ids],
  );
  return rows.map(withPlace);
}

export interface MapCourier {
  id: string;
  name: string;
  vehicle: Vehicle;
  /** Their usual waiting place until they report a position, as the planner assumes too. */
  place: Place | null;
  /** When they were there; null if it is only their usual waiting place. */
  locatedAt: Instant | null;
  /** Time of their last report. */
  reportedAt: Instant | null;
}

// A courier who reported and then fell silent is not assumed to be at their usual waiting place.
const LIST_COURIERS = `
  select c.id, c.name, c.vehicle, p.located_at, p.reported_at,
    case when p.reported_at is null then c.latitude when p.located_at >= $2 then p.latitude end as latitude,
    case when p.reported_at is null then c.longitude when p.located_at >= $2 then p.longitude end as longitude
  from couriers c
  left join courier_positions p on p.courier_id = c.id
  where c.on_duty and ($1::uuid is null or c.restaurant_id = $1 or c.id in (
    select o.courier_id from orders o
    where o.restaurant_id = $1 and o.finished_at is null and o.courier_accepted_at is not null
  ))
  order by c.name, c.id`;

/** Couriers on duty: with `restaurantId`, its own and those who have accepted an order of it; otherwise all. */
export async function listMapCouriers(
  db: Queryable,
  scope: { restaurantId: string | null; now: Instant },
): Promise<MapCourier[]> {
  const rows = await db.query<Unplaced<MapCourier>>({ name: 'list_map_couriers', text: LIST_COURIERS }, [
    scope.restaurantId,
    toTimestamp(scope.now - POSITION_KEPT_MS),
  ]);
  return rows.map(withPlace);
}

type Unplaced<Value> = Omit<Value, 'place'> & { latitude: number | null; longitude: number | null };

function withPlace<Row extends { latitude: number | null; longitude: number | null }>(row: Row) {
  const { latitude, longitude, ...value } = row;
  return { ...value, place: toPlace(latitude, longitude) };
}
