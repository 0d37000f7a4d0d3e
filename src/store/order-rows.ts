// Orders as rows and back: the columns that decisions read and write.
import type { Cancellation, CancelReasonId, CanceledBy } from '../domain/cancellation.ts';
import type { Order, OrderState } from '../domain/order.ts';
import type { Instant } from '../domain/time.ts';

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

/** The same columns on their way in; timestamps as text, because they travel inside one JSON parameter. */
export function fromOrder(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    state: order.state,
    version: order.version,
    last_changed_at: toTimestamp(order.lastChangedAt),
    courier_id: order.courierId,
    courier_offered_at: toTimestamp(order.courierOfferedAt),
    courier_accepted_at: toTimestamp(order.courierAcceptedAt),
    kitchen_ready_at: toTimestamp(order.kitchenReadyAt),
    wanted_at: toTimestamp(order.wantedAt),
    deadline_at: toTimestamp(order.deadlineAt),
    cancel_reason_id: order.cancellation?.reasonId ?? null,
    cancel_reason: order.cancellation?.text ?? null,
    canceled_by: order.cancellation?.by ?? null,
    finished_at: order.state === 'DELIVERED' || order.state === 'CANCELED' ? toTimestamp(order.lastChangedAt) : null,
  };
}

/** What a newly placed order can have; a field that is left out is null. */
export function fromNewOrder(order: Order): Record<string, unknown> {
  const row: Record<string, unknown> = {
    id: order.id,
    state: order.state,
    version: order.version,
    last_changed_at: toTimestamp(order.lastChangedAt),
  };
  if (order.wantedAt !== null) row['wanted_at'] = toTimestamp(order.wantedAt);
  if (order.deadlineAt !== null) row['deadline_at'] = toTimestamp(order.deadlineAt);
  if (order.cancellation !== null) {
    row['cancel_reason_id'] = order.cancellation.reasonId;
    row['cancel_reason'] = order.cancellation.text;
    row['canceled_by'] = order.cancellation.by;
    row['finished_at'] = toTimestamp(order.lastChangedAt);
  }
  return row;
}

export function toInstant(date: Date | null): Instant | null {
  return date === null ? null : date.getTime();
}

export function toTimestamp(at: Instant): string;
export function toTimestamp(at: Instant | null): string | null;
export function toTimestamp(at: Instant | null): string | null {
  if (at === null) return null;
  if (at !== lastInstant) {
    lastInstant = at;
    lastTimestamp = new Date(at).toISOString();
  }
  return lastTimestamp;
}

// One commit writes the same instant many times over.
let lastInstant: Instant = 0;
let lastTimestamp = new Date(0).toISOString();
