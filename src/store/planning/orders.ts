// What the planner reads: the current live orders, and the facts of an order, which never change and are read once.
import { REOFFER_PAUSE_MS, type Vehicle } from '../../domain/couriers/courier.ts';
import type { OrderTiming } from '../../domain/orders/due-time.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, factsOf, readOrders, type FactsRow, type ReadOrders } from '../orders/facts.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Areas are computed from the locations of restaurants. */
export interface PlanningRestaurant {
  id: string;
  place: Place | null;
  preparationMinutes: number;
}

export async function listPlanningRestaurants(db: Queryable): Promise<PlanningRestaurant[]> {
  const rows = await db.query<{
    id: string;
    latitude: number | null;
    longitude: number | null;
    preparationMinutes: number;
  }>({
    name: 'list_planning_restaurants',
    text: 'select id, latitude, longitude, preparation_minutes from restaurants order by id',
  });
  return rows.map(({ latitude, longitude, ...restaurant }) => ({ ...restaurant, place: toPlace(latitude, longitude) }));
}

export interface LiveOrder {
  id: string;
  restaurantId: string;
  state: OrderState;
  courierId: string | null;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  kitchenReadyAt: Instant | null;
  deadlineAt: Instant | null;
  /** Changes with every change to the order, including a fixed address. */
  revision: string;
  /** Changes with every change to its place in the plan; empty if it has none. */
  planRevision: string;
  /** Couriers who recently declined it or let the offer expire. */
  refusedBy: readonly string[];
  lockedTo: string | null;
  /** Its place in the previous plan. */
  planned: { courierId: string; pickupPlace: number | null; dropoffPlace: number } | null;
}

interface LiveRow extends Omit<LiveOrder, 'planned'> {
  plannedCourierId: string | null;
  pickupPlace: number | null;
  dropoffPlace: number | null;
}

const selectLive = (refusals: string) => `
  select o.id, o.restaurant_id, o.state, o.courier_id, o.courier_offered_at as offered_at,
    o.courier_accepted_at as accepted_at, o.kitchen_ready_at, o.deadline_at, o.xmin::text as revision,
    coalesce(p.xmin::text, '') as plan_revision, p.locked_to, p.courier_id as planned_courier_id,
    p.pickup_place, p.dropoff_place,
    case when o.courier_accepted_at is null and o.state in ('ASSIGNED', 'PREPARED') then array(
      select distinct h.courier_id::text from order_history h
      where h.order_id = o.id and h.kind in ('courier_declined', 'offer_withdrawn') and h.courier_id is not null
        ${refusals}
    ) else '{}' end as refused_by
  from orders o
  left join order_plans p on p.order_id = o.id
  where o.finished_at is null`;

// One text per restaurant instead of one row per order: reading a thousand rows would block the API's thread.
const LIST_REVISIONS = `
  select o.restaurant_id, string_agg(o.id || ' ' || o.xmin || ' ' || coalesce(p.xmin::text, ''), ',') as revisions
  from orders o
  left join order_plans p on p.order_id = o.id
  where o.finished_at is null and o.state <> 'NEW'
  group by o.restaurant_id`;

export type LiveRevision = Pick<LiveOrder, 'id' | 'revision' | 'planRevision'>;

/** One text for every restaurant with something to plan; it is parsed only where that restaurant is planned. */
export async function listLiveRevisions(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ restaurantId: string; revisions: string }>({
    name: 'list_live_revisions',
    text: LIST_REVISIONS,
  });
  return new Map(rows.map((row) => [row.restaurantId, row.revisions]));
}

const LIST_HOLDERS = `
  select courier_id, min(restaurant_id::text) as restaurant_id from orders
  where finished_at is null and courier_id is not null and restaurant_id = any($1::uuid[])
  group by courier_id`;

/** Couriers with an order or an offer from these restaurants, each with one of those restaurants. */
export async function listHolders(
  db: Queryable,
  restaurantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ courierId: string; restaurantId: string }>(
    { name: 'list_holders', text: LIST_HOLDERS },
    [restaurantIds],
  );
  return new Map(rows.map((row) => [row.courierId, row.restaurantId]));
}

export function readRevisions(text: string): LiveRevision[] {
  return text.split(',').map((one) => {
    const [id = '', revision = '', planRevision = ''] = one.split(' ');
    return { id, revision, planRevision };
  });
}

const LIST_LIVE = `${selectLive('and h.at > $2')}
  and o.id = any($1::uuid[]) order by o.id`;

/** The unfinished ones of the given orders. Refusals older than the rest period no longer count. */
export async function listLiveOrders(db: Queryable, orderIds: readonly string[], now: Instant): Promise<LiveOrder[]> {
  const rows = await db.query<LiveRow>({ name: 'list_planning_orders', text: LIST_LIVE }, [
    orderIds,
    toTimestamp(now - REOFFER_PAUSE_MS),
  ]);
  return rows.map(toLiveOrder);
}

const LIST_WITH_COURIERS = `${selectLive('')}
  and (o.id = $1 or o.courier_id = any($2::uuid[]) or (o.courier_id is null and p.courier_id = any($2::uuid[])))
  order by o.id`;

/** One order in any state, plus everything these couriers have or are planned for, from any restaurant. */
export async function listOrdersWithCouriers(
  db: Queryable,
  orderId: string,
  courierIds: readonly string[],
): Promise<LiveOrder[]> {
  const rows = await db.query<LiveRow>({ name: 'list_orders_with_couriers', text: LIST_WITH_COURIERS }, [
    orderId,
    courierIds,
  ]);
  return rows.map(toLiveOrder);
}

function toLiveOrder({ plannedCourierId: courierId, pickupPlace, dropoffPlace, ...order }: LiveRow): LiveOrder {
  const planned = courierId === null || dropoffPlace === null ? null : { courierId, pickupPlace, dropoffPlace };
  return { ...order, planned };
}

export interface OrderFacts extends OrderTiming {
  id: string;
  pickup: Place | null;
  dropoff: Place | null;
  bags: number;
  vehicles: readonly Vehicle[];
  canCombine: boolean;
}

interface PlanningFactsRow extends FactsRow {
  id: string;
  approvedAt: Instant;
  wantedAt: Instant | null;
}

const LIST_FACTS = `
  select o.id, o.wanted_at, ${FACTS_COLUMNS},
    coalesce((select e.occurred_at from events e where e.order_id = o.id and e.version = 1), o.created_at)
      as approved_at
  from orders o
  where o.id = any($1::uuid[])`;

export async function listOrderFacts(db: Queryable, orderIds: readonly string[]): Promise<ReadOrders<OrderFacts>> {
  const rows = await db.query<PlanningFactsRow>({ name: 'list_order_facts', text: LIST_FACTS }, [orderIds]);
  return readOrders(rows, toOrderFacts);
}

/** Only what a plan depends on, because facts are copied to the planning threads. */
function toOrderFacts(row: PlanningFactsRow): OrderFacts {
  const facts = factsOf(row);
  return {
    id: row.id,
    approvedAt: row.approvedAt,
    wantedAt: row.wantedAt,
    pickup: facts.pickup,
    dropoff: facts.dropoff,
    prepMinutes: facts.prepMinutes,
    readyAt: facts.readyAt,
    windowStart: facts.windowStart,
    windowEnd: facts.windowEnd,
    maxDeliveryMinutes: facts.maxDeliveryMinutes,
    bags: facts.bags,
    vehicles: facts.vehicles,
    canCombine: facts.canCombine,
  };
}
