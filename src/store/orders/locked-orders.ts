// Locks and reads, in one statement, the orders that a transaction is going to change.
import type { CancelReasonId, CanceledBy } from '../../domain/orders/cancellation.ts';
import type { OrderIdentity } from '../../domain/webhooks/events.ts';
import type { Order, OrderState } from '../../domain/orders/order.ts';
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../domain/time.ts';
import { uuidArray } from '../database/array-parameter.ts';
import type { Queryable } from '../database/database.ts';
import { toCancellation } from './rows.ts';

/** An order locked by this transaction, with the other data that decisions and payloads need. */
export interface LockedOrder {
  order: Order;
  identity: OrderIdentity;
  restaurantId: string;
  limits: Pick<Restaurant, 'courierWaitLimitMinutes' | 'approvalLimitMinutes'>;
}

// A commit reads hundreds of rows: as arrays, with times as numbers, they cost a little more than half of what objects
// and dates would.
type LockedRow = [
  id: string,
  state: OrderState,
  version: number,
  restaurantId: string,
  providerOrderId: string,
  orderNumber: string,
  providerRestaurantId: string,
  timeZone: string,
  courierWaitLimitMinutes: number,
  approvalLimitMinutes: number | null,
  courierId: string | null,
  lastChangedAt: number,
  courierOfferedAt: number | null,
  courierAcceptedAt: number | null,
  kitchenReadyAt: number | null,
  wantedAt: number | null,
  deadlineAt: number | null,
  reasonId: CancelReasonId | null,
  reason: string | null,
  canceledBy: CanceledBy | null,
];

const LOCK_ORDERS = `
  select o.id, o.state, o.version, o.restaurant_id, o.provider_order_id, o.order_number, r.provider_restaurant_id,
    r.time_zone, r.courier_wait_limit_minutes, r.approval_limit_minutes, o.courier_id,
    date_part('epoch', o.last_changed_at), date_part('epoch', o.courier_offered_at),
    date_part('epoch', o.courier_accepted_at), date_part('epoch', o.kitchen_ready_at),
    date_part('epoch', o.wanted_at), date_part('epoch', o.deadline_at),
    o.cancel_reason_id, o.cancel_reason, o.canceled_by
  from orders o join restaurants r on r.id = o.restaurant_id
  where o.id = any($1::uuid[])
  order by o.id
  for update of o`;

/** Locks in id order, as every transaction that locks several orders does. */
export async function lockOrders(tx: Queryable, orderIds: readonly string[]): Promise<Map<string, LockedOrder>> {
  const rows = await tx.query<LockedRow>({ name: 'lock_orders', text: LOCK_ORDERS, rowMode: 'array' }, [
    uuidArray(orderIds, (id) => id),
  ]);
  return new Map(rows.map((row) => [row[0], toLockedOrder(row)]));
}

function toLockedOrder([
  id,
  state,
  version,
  restaurantId,
  providerOrderId,
  orderNumber,
  providerRestaurantId,
  timeZone,
  courierWaitLimitMinutes,
  approvalLimitMinutes,
  courierId,
  lastChangedAt,
  courierOfferedAt,
  courierAcceptedAt,
  kitchenReadyAt,
  wantedAt,
  deadlineAt,
  reasonId,
  reason,
  canceledBy,
]: LockedRow): LockedOrder {
  return {
    order: {
      id,
      state,
      version,
      courierId,
      lastChangedAt: inMilliseconds(lastChangedAt),
      courierOfferedAt: toInstant(courierOfferedAt),
      courierAcceptedAt: toInstant(courierAcceptedAt),
      kitchenReadyAt: toInstant(kitchenReadyAt),
      wantedAt: toInstant(wantedAt),
      deadlineAt: toInstant(deadlineAt),
      cancellation: toCancellation({ cancel_reason_id: reasonId, cancel_reason: reason, canceled_by: canceledBy }),
    },
    identity: { providerOrderId, serviceOrderId: id, orderNumber, providerRestaurantId, timeZone },
    restaurantId,
    limits: { courierWaitLimitMinutes, approvalLimitMinutes },
  };
}

function toInstant(seconds: number | null): Instant | null {
  return seconds === null ? null : inMilliseconds(seconds);
}

function inMilliseconds(seconds: number): Instant {
  return Math.round(seconds * 1000);
}
