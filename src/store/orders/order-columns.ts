// The columns of an order that decisions read.
import type { Cancellation, CancelReasonId, CanceledBy } from '../../domain/orders/cancellation.ts';
import type { Order } from '../../domain/orders/order.ts';

export const ORDER_COLUMNS = `o.id, o.state, o.version, o.last_changed_at, o.courier_id, o.courier_offered_at,
  o.courier_accepted_at, o.kitchen_ready_at, o.wanted_at, o.deadline_at, o.cancel_reason_id, o.cancel_reason,
  o.canceled_by`;

export interface CancellationColumns {
  cancelReasonId: CancelReasonId | null;
  cancelReason: string | null;
  canceledBy: CanceledBy | null;
}

export type OrderRow = Omit<Order, 'cancellation'> & CancellationColumns;

export function toOrder({ cancelReasonId, cancelReason, canceledBy, ...order }: OrderRow): Order {
  return { ...order, cancellation: toCancellation({ cancelReasonId, cancelReason, canceledBy }) };
}

export function toCancellation({ cancelReasonId, cancelReason, canceledBy }: CancellationColumns): Cancellation | null {
  if (cancelReasonId === null || canceledBy === null) return null;
  return { reasonId: cancelReasonId, by: canceledBy, text: cancelReason ?? '' };
}
