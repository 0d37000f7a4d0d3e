// A courier's work: their open offers and the orders they have accepted.
import type { CanceledBy } from '../../domain/orders/cancellation.ts';
import type { OrderOfCourier } from '../../domain/orders/courier-blocked-reasons.ts';
import type { ActKind } from '../../domain/couriers/courier.ts';
import type { JsonValue } from '../../domain/canonical-json.ts';
import type { ContentFacts } from '../../domain/orders/content-facts.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from './facts.ts';

export interface CourierOrder {
  id: string;
  orderNumber: string;
  state: OrderState;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  /** For the courier to read; decisions use the facts. */
  content: JsonValue;
  facts: ContentFacts;
  restaurant: { name: string; phone: string | null; address: string | null; place: Place | null };
  /** Positions of its stops in the courier's route, while the planner has one. */
  pickupPlace: number | null;
  dropoffPlace: number | null;
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
  acts: readonly ActKind[];
}

interface WorkRow extends Omit<CourierOrder, 'facts' | 'restaurant'>, FactsRow {
  restaurantName: string;
  restaurantPhone: string | null;
  restaurantAddress: string | null;
  latitude: number | null;
  longitude: number | null;
}

const LIST_WORK = `
  select o.id, o.order_number, o.state, o.courier_offered_at as offered_at, o.courier_accepted_at as accepted_at,
    o.content, ${FACTS_COLUMNS}, r.name as restaurant_name, r.phone as restaurant_phone,
    r.address as restaurant_address, r.latitude, r.longitude, p.pickup_place, p.dropoff_place, p.pickup_at, p.dropoff_at,
    array(
      select a.kind from courier_acts a where a.order_id = o.id and a.courier_id = $1 order by a.acted_at
    ) as acts
  from orders o
  join restaurants r on r.id = o.restaurant_id
  left join order_plans p on p.order_id = o.id and p.courier_id = $1
  where o.courier_id = $1 and o.finished_at is null
  order by o.courier_offered_at, o.id`;

export async function listCourierWork(db: Queryable, courierId: string): Promise<CourierOrder[]> {
  const rows = await db.query<WorkRow>({ name: 'list_courier_work', text: LIST_WORK }, [courierId]);
  return rows.map(toCourierOrder);
}

function toCourierOrder(row: WorkRow): CourierOrder {
  const { facts, unreadContent, restaurantName, restaurantPhone, restaurantAddress, latitude, longitude, ...order } =
    row;
  return {
    ...order,
    facts: shownFactsOf({ facts, unreadContent }),
    restaurant: {
      name: restaurantName,
      phone: restaurantPhone,
      address: restaurantAddress,
      place: toPlace(latitude, longitude),
    },
  };
}

export interface OrderEnding extends OrderOfCourier {
  orderNumber: string;
  canceledBy: CanceledBy | null;
  /** When the current or final courier accepted it. */
  acceptedAt: Instant | null;
}

/** Only for an order that the courier was ever offered or assigned; otherwise undefined. */
export async function findOrderEnding(
  db: Queryable,
  courierId: string,
  orderId: string,
): Promise<OrderEnding | undefined> {
  const [ending] = await db.query<OrderEnding>(
    {
      name: 'find_order_ending',
      text: `select o.order_number, o.state, o.canceled_by, o.courier_id is not distinct from $1 as is_theirs,
               o.courier_accepted_at is not null as is_accepted, o.courier_accepted_at as accepted_at
             from orders o
             where o.id = $2
               and (o.courier_id = $1 or exists (select from order_history h where h.order_id = $2 and h.courier_id = $1))`,
    },
    [courierId, orderId],
  );
  return ending;
}

/** State of an order that the courier declined and was not offered again; otherwise undefined. */
export async function findDeclinedState(
  db: Queryable,
  courierId: string,
  orderId: string,
): Promise<OrderState | undefined> {
  const [row] = await db.query<{ state: OrderState }>(
    {
      name: 'find_declined_state',
      // Sorted by `id + 0`, because a plan made while a week is empty would later scan the whole week by the id index.
      text: `select o.state from orders o
             where o.id = $2 and 'courier_declined' = (
               select h.kind from order_history h
               where h.order_id = $2 and h.courier_id = $1 order by h.id + 0 desc limit 1
             )`,
    },
    [courierId, orderId],
  );
  return row?.state;
}
