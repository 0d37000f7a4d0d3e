// A courier's work: what they are asked, and what they have accepted.
import type { CanceledBy } from '../domain/cancellation.ts';
import type { ActKind } from '../domain/courier.ts';
import type { JsonValue } from '../domain/canonical-json.ts';
import type { Place } from '../domain/geo.ts';
import type { OrderState } from '../domain/order.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toInstant } from './order-rows.ts';

export interface CourierOrder {
  id: string;
  orderNumber: string;
  state: OrderState;
  offeredAt: Instant | null;
  acceptedAt: Instant | null;
  content: JsonValue;
  restaurant: { name: string; address: string | null; place: Place | null };
  /** Its stops in the courier's route, for as long as the planner knows it. */
  pickupPlace: number | null;
  dropoffPlace: number | null;
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
  acts: readonly ActKind[];
}

interface WorkRow {
  id: string;
  order_number: string;
  state: OrderState;
  courier_offered_at: Date | null;
  courier_accepted_at: Date | null;
  content: JsonValue;
  restaurant_name: string;
  restaurant_address: string | null;
  latitude: number | null;
  longitude: number | null;
  pickup_place: number | null;
  dropoff_place: number | null;
  pickup_at: Date | null;
  dropoff_at: Date | null;
  acts: ActKind[];
}

const LIST_WORK = `
  select o.id, o.order_number, o.state, o.courier_offered_at, o.courier_accepted_at, o.content,
    r.name as restaurant_name, r.address as restaurant_address, r.latitude, r.longitude, p.pickup_place, p.dropoff_place, p.pickup_at, p.dropoff_at,
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
  return rows.map((row) => ({
    id: row.id,
    orderNumber: row.order_number,
    state: row.state,
    offeredAt: toInstant(row.courier_offered_at),
    acceptedAt: toInstant(row.courier_accepted_at),
    content: row.content,
    restaurant: {
      name: row.restaurant_name,
      address: row.restaurant_address,
      place:
        row.latitude === null || row.longitude === null ? null : { latitude: row.latitude, longitude: row.longitude },
    },
    pickupPlace: row.pickup_place,
    dropoffPlace: row.dropoff_place,
    pickupAt: toInstant(row.pickup_at),
    dropoffAt: toInstant(row.dropoff_at),
    acts: row.acts,
  }));
}

/** Whether the courier has accepted the order and it is not finished. */
export async function isWithCourier(db: Queryable, orderId: string, courierId: string): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'is_with_courier',
      text: `select from orders
             where id = $1 and courier_id = $2 and courier_accepted_at is not null and finished_at is null`,
    },
    [orderId, courierId],
  );
  return rows.length > 0;
}

export interface OrderEnding {
  orderNumber: string;
  state: OrderState;
  canceledBy: CanceledBy | null;
  /** Whether it is with this courier, or was until its end. */
  isTheirs: boolean;
}

/** Of an order that the courier was asked about or given at some time; undefined for any other. */
export async function findOrderEnding(
  db: Queryable,
  courierId: string,
  orderId: string,
): Promise<OrderEnding | undefined> {
  const [row] = await db.query<{
    order_number: string;
    state: OrderState;
    canceled_by: CanceledBy | null;
    is_theirs: boolean;
  }>(
    {
      name: 'find_order_ending',
      text: `select o.order_number, o.state, o.canceled_by, o.courier_id is not distinct from $1 as is_theirs
             from orders o
             where o.id = $2 and exists (select from order_history h where h.order_id = $2 and h.courier_id = $1)`,
    },
    [courierId, orderId],
  );
  return (
    row && {
      orderNumber: row.order_number,
      state: row.state,
      canceledBy: row.canceled_by,
      isTheirs: row.is_theirs,
    }
  );
}
