// Reads orders. Writes are in writes.ts.
import type { Cancellation } from '../../domain/orders/cancellation.ts';
import type { JsonValue } from '../../domain/canonical-json.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { CONFIRM_REPLICATED } from '../database/replicated.ts';
import { toSentContent } from './dropoff.ts';
import { toCancellation, type CancellationColumns } from './order-columns.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

/** Enough of a placed order to answer a repeated request. */
export interface ExistingOrder {
  id: string;
  restaurantId: string;
  providerOrderId: string;
  orderNumber: string;
  state: OrderState;
  createdAt: Instant;
  /** As the integrator sent it, without later fixes. */
  content: JsonValue;
  /** The content was erased because the order finished long ago. */
  isErased: boolean;
  warnings: string[];
  issues: JsonValue[];
}

/** What is found is on the standby too, because a success may be answered from it. */
export async function findExistingOrders(
  db: Queryable,
  keys: readonly { restaurantId: string; providerOrderId: string }[],
): Promise<ExistingOrder[]> {
  const rows = await db.query<ExistingOrder & { firstFix: string | null; confirmed: unknown }>(
    {
      name: 'find_existing_orders',
      text: `
        select o.id, o.restaurant_id, o.provider_order_id, o.order_number, o.state, o.created_at, o.content,
          o.erased_at is not null as is_erased, o.warnings, o.issues, (
            select h.detail from order_history h
            where h.order_id = o.id and h.kind = 'dropoff_fixed' order by h.id limit 1
          ) as first_fix, ${CONFIRM_REPLICATED} as confirmed
        from unnest($1::uuid[], $2::text[]) as k(restaurant_id, provider_order_id)
        join orders o on o.restaurant_id = k.restaurant_id and o.provider_order_id = k.provider_order_id`,
    },
    [keys.map((key) => key.restaurantId), keys.map((key) => key.providerOrderId)],
  );
  return rows.map(({ firstFix, confirmed: _confirmed, ...order }) => ({
    ...order,
    content: toSentContent(order.content, firstFix),
  }));
}

export interface OrderView {
  id: string;
  restaurantId: string;
  providerOrderId: string;
  providerRestaurantId: string;
  timeZone: string;
  orderNumber: string;
  state: OrderState;
  createdAt: Instant;
  content: JsonValue;
  /** The content was erased because the order finished long ago. */
  isErased: boolean;
  warnings: string[];
  issues: JsonValue[];
  courier: OrderCourier | null;
  cancellation: (Cancellation & { at: Instant }) | null;
}

/** The courier who has the order or an offer for it. */
export interface OrderCourier {
  id: string;
  name: string;
  hasAccepted: boolean;
  /** Null until they accept: an offer alone must not reveal a courier's contact details. */
  phone: string | null;
  /** When the photo was last changed; null until they accept. */
  photoAt: Instant | null;
}

interface ViewRow extends Omit<OrderView, 'courier' | 'cancellation'>, CancellationColumns {
  finishedAt: Instant | null;
  courierId: string | null;
  courierName: string | null;
  hasAccepted: boolean;
  courierPhone: string | null;
  courierPhotoAt: Instant | null;
}

const SELECT_VIEW = `
  select o.id, o.restaurant_id, o.provider_order_id, r.provider_restaurant_id, r.time_zone, o.order_number, o.state,
    o.created_at, o.finished_at, o.content, o.erased_at is not null as is_erased, o.warnings, o.issues,
    o.cancel_reason_id, o.cancel_reason, o.canceled_by, c.id as courier_id, c.name as courier_name,
    o.courier_accepted_at is not null as has_accepted,
    case when o.courier_accepted_at is not null then c.phone end as courier_phone,
    case when o.courier_accepted_at is not null then ph.changed_at end as courier_photo_at
  from orders o
  join restaurants r on r.id = o.restaurant_id
  left join couriers c on c.id = o.courier_id
  left join courier_photos ph on ph.courier_id = c.id`;

export async function findOrderByProviderId(
  db: Queryable,
  restaurantId: string,
  providerOrderId: string,
): Promise<OrderView | undefined> {
  const [row] = await db.query<ViewRow>(
    {
      name: 'find_order_by_provider_id',
      text: `${SELECT_VIEW} where o.restaurant_id = $1 and o.provider_order_id = $2`,
    },
    [restaurantId, providerOrderId],
  );
  return row && toView(row);
}

export async function findOrderById(db: Queryable, orderId: string): Promise<OrderView | undefined> {
  if (!isUuid(orderId)) return undefined;
  const [row] = await db.query<ViewRow>({ name: 'find_order_by_id', text: `${SELECT_VIEW} where o.id = $1` }, [
    orderId,
  ]);
  return row && toView(row);
}

function toView({ cancelReasonId, cancelReason, canceledBy, finishedAt, ...row }: ViewRow): OrderView {
  const { courierId, courierName, hasAccepted, courierPhone, courierPhotoAt, ...order } = row;
  const cancellation = toCancellation({ cancelReasonId, cancelReason, canceledBy });
  return {
    ...order,
    courier:
      courierId === null || courierName === null
        ? null
        : { id: courierId, name: courierName, hasAccepted, phone: courierPhone, photoAt: courierPhotoAt },
    cancellation: cancellation && { ...cancellation, at: finishedAt ?? 0 },
  };
}

/** Live orders whose deadline has passed. Orders checked too early are rescheduled to their deadline. */
export async function takeOverdueOrderIds(db: Queryable, now: Instant, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    {
      name: 'take_overdue_order_ids',
      // Skips locked orders: the transaction that holds one is about to change it, and the next run checks it.
      text: `
        with looked_at as materialized (
          select id, deadline_at from orders where look_at <= $1 order by look_at limit $2 for update skip locked
        ),
        put_off as (
          update orders o set look_at = o.deadline_at from looked_at l
          where o.id = l.id and (l.deadline_at <= $1) is not true
        )
        select id from looked_at where deadline_at <= $1`,
    },
    [toTimestamp(now), limit],
  );
  return rows.map((row) => row.id);
}

/** Reschedules live orders that could not be handled when their deadline passed. */
export async function postponeCheck(db: Queryable, orderIds: readonly string[], until: Instant): Promise<void> {
  await db.query('update orders set look_at = $2 where id = any($1::uuid[]) and finished_at is null', [
    orderIds,
    toTimestamp(until),
  ]);
}

export interface HistoryEntry {
  at: Instant;
  kind: string;
  actor: string;
  courierId: string | null;
  courierName: string | null;
  detail: string | null;
}

export function listOrderHistory(db: Queryable, orderId: string): Promise<HistoryEntry[]> {
  return db.query<HistoryEntry>(
    `select h.at, h.kind, h.actor, h.courier_id, c.name as courier_name, h.detail
     from order_history h left join couriers c on c.id = h.courier_id
     where h.order_id = $1 order by h.id`,
    [orderId],
  );
}
