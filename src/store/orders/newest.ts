import type { OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';

export interface OrderSummary {
  id: string;
  orderNumber: string;
  /** The integrator's order id. */
  orderId: string;
  restaurantName: string;
  state: OrderState;
  courierName: string | null;
  cancelReasonId: string | null;
  createdAt: Instant;
  changedAt: Instant;
}

// Ids begin with the time, so the newest orders are at the end of the primary key, however long the history is.
const LIST_NEWEST = `
  select o.id, o.order_number, o.provider_order_id as order_id, r.name as restaurant_name, o.state,
    c.name as courier_name, o.cancel_reason_id, o.created_at, o.last_changed_at as changed_at
  from (
    select id, restaurant_id, order_number, provider_order_id, state, courier_id, cancel_reason_id, created_at,
      last_changed_at
    from orders order by id desc limit $1
  ) o
  join restaurants r on r.id = o.restaurant_id
  left join couriers c on c.id = o.courier_id
  order by o.id desc`;

/** Orders of all restaurants, newest first. */
export function listNewestOrders(db: Queryable, limit: number): Promise<OrderSummary[]> {
  return db.query<OrderSummary>({ name: 'list_newest_orders', text: LIST_NEWEST }, [limit]);
}
