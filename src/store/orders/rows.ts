// Converts orders to and from rows: the columns that decisions read and write.
import type { Cancellation, CancelReasonId, CanceledBy } from '../../domain/orders/cancellation.ts';
import type { Order, OrderState } from '../../domain/orders/order.ts';
import { toInstant } from '../database/timestamps.ts';

export interface OrderRow {
  id: string;
  state: OrderState;
  version: number;
  last_changed_at: Date;
  courier_id: string | null;
  courier_offered_at: Date | null;
  courier_accepted_at: Date | null;
  kitchen_ready_at: Date | null;
  wanted_at: Date | null;
  deadline_at: Date | null;
  cancel_reason_id: CancelReasonId | null;
  cancel_reason: string | null;
  canceled_by: CanceledBy | null;
}

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    state: row.state,
    version: row.version,
    lastChangedAt: row.last_changed_at.getTime(),
    courierId: row.courier_id,
    courierOfferedAt: toInstant(row.courier_offered_at),
    courierAcceptedAt: toInstant(row.courier_accepted_at),
    kitchenReadyAt: toInstant(row.kitchen_ready_at),
    wantedAt: toInstant(row.wanted_at),
    deadlineAt: toInstant(row.deadline_at),
    cancellation: toCancellation(row),
  };
}

export function toCancellation(
  row: Pick<OrderRow, 'cancel_reason_id' | 'cancel_reason' | 'canceled_by'>,
): Cancellation | null {
  if (row.cancel_reason_id === null || row.canceled_by === null) return null;
  return { reasonId: row.cancel_reason_id, by: row.canceled_by, text: row.cancel_reason ?? '' };
}
