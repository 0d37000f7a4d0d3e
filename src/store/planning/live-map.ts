// Data for the live map. The cost depends on what is live now, not on the history.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { POSITION_KEPT_MS } from '../../domain/couriers/courier.ts';
import type { OrderTiming } from '../../domain/orders/due-time.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from '../orders/facts.ts';
import { toInstant, toTimestamp } from '../database/timestamps.ts';
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

interface OrderRow extends FactsRow {
  id: string;
  restaurant_id: string;
  order_number: string;
  state: OrderState;
  courier_id: string | null;
  courier_name: string | null;
  courier_offered_at: Date | null;
  courier_accepted_at: Date | null;
  chosen_by: string | null;
  kitchen_ready_at: Date | null;
  approved_at: Date;
  wanted_at: Date | null;
  planned_courier_id: string | null;
  pickup_place: number | null;
  dropoff_place: number | null;
  pickup_at: Date | null;
  dropoff_at: Date | null;
  explanation: PlanExplanation | null;
  locked_to: string | null;
  total: string;
}

/** More than a person can tell apart on a map; the oldest are shown. */
const MAX_MAP_ORDERS = 2_000;

// An event is never older than its order, which lets the search for the approval skip earlier weeks.
const listOrdersWhere = (condition: string): string => `
  with live as (
    select o.id, count(*) over () as total from orders o
    where o.finished_at is null and ${condition}
    order by o.created_at, o.id limit ${MAX_MAP_ORDERS}
  )
  select o.id, o.restaurant_id, o.order_number, o.state, ${FACTS_COLUMNS}, o.courier_id, u.name as courier_name, o.courier_offered_at, o.courier_accepted_at, o.kitchen_ready_at,
    ${CHOSEN_BY} as chosen_by,
    coalesce((select e.occurred_at from events e
              where e.order_id = o.id and e.version = 1 and e.occurred_at >= o.created_at), o.created_at) as approved_at,
    o.wanted_at, p.courier_id as planned_courier_id, p.pickup_place, p.dropoff_place, p.pickup_at, p.dropoff_at, p.explanation,
    p.locked_to, live.total
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
  return { orders: rows.map(toOrder), total: Number(rows[0]?.total ?? 0) };
}

function toOrder(row: OrderRow): MapOrder {
  const facts = shownFactsOf(row);
  return {
    id: row.id,
    restaurantId: row.restaurant_id,
    orderNumber: row.order_number,
    displayId: facts.displayId,
    state: row.state,
    pickup: facts.pickup,
    dropoff: facts.dropoff,
    destination: facts.destination,
    courierId: row.courier_id,
    courierName: row.courier_name,
    offeredAt: toInstant(row.courier_offered_at),
    acceptedAt: toInstant(row.courier_accepted_at),
    chosenBy: row.chosen_by,
    kitchenReadyAt: toInstant(row.kitchen_ready_at),
    approvedAt: row.approved_at.getTime(),
    wantedAt: toInstant(row.wanted_at),
    prepMinutes: facts.prepMinutes,
    readyAt: facts.readyAt,
    windowStart: facts.windowStart,
    windowEnd: facts.windowEnd,
    maxDeliveryMinutes: facts.maxDeliveryMinutes,
    plan: {
      courierId: row.planned_courier_id,
      pickupPlace: row.pickup_place,
      dropoffPlace: row.dropoff_place,
      pickupAt: toInstant(row.pickup_at),
      dropoffAt: toInstant(row.dropoff_at),
      explanation: row.explanation,
      lockedTo: row.locked_to,
    },
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
  const rows = await db.query<{
    id: string;
    name: string;
    latitude: number | null;
    longitude: number | null;
    time_zone: string;
    preparation_minutes: number;
  }>(
    {
      name: 'list_map_restaurants',
      text: `select id, name, latitude, longitude, time_zone, preparation_minutes from restaurants
             where id = any($1::uuid[]) order by name, id`,
    },
    [ids],
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    place: toPlace(row.latitude, row.longitude),
    timeZone: row.time_zone,
    preparationMinutes: row.preparation_minutes,
  }));
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
  const rows = await db.query<{
    id: string;
    name: string;
    vehicle: Vehicle;
    latitude: number | null;
    longitude: number | null;
    located_at: Date | null;
    reported_at: Date | null;
  }>({ name: 'list_map_couriers', text: LIST_COURIERS }, [
    scope.restaurantId,
    toTimestamp(scope.now - POSITION_KEPT_MS),
  ]);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    vehicle: row.vehicle,
    place: toPlace(row.latitude, row.longitude),
    locatedAt: toInstant(row.located_at),
    reportedAt: toInstant(row.reported_at),
  }));
}
