// Orders as rows and back: the columns that decisions read and write.
import type { Cancellation, CancelReasonId, CanceledBy } from '../../domain/orders/cancellation.ts';
import type { Order, OrderState } from '../../domain/orders/order.ts';
import type { Instant } from '../../domain/time.ts';

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

export function toInstant(date: Date | null): Instant | null {
  return date === null ? null : date.getTime();
}

export function toTimestamp(at: Instant): string;
export function toTimestamp(at: Instant | null): string | null;
export function toTimestamp(at: Instant | null): string | null {
  if (at === null) return null;
  if (at !== lastInstant) {
    lastInstant = at;
    lastTimestamp = formatTimestamp(at);
  }
  return lastTimestamp;
}

// One commit writes the same instant many times over.
let lastInstant: Instant = 0;
let lastTimestamp = new Date(0).toISOString();

/** PostgreSQL's oldest day is in 4713 BC. */
const OLDEST_YEAR = -4711;

/**
 * As PostgreSQL reads it. ISO 8601 writes years before 1 and after 9999 in a form that it refuses, and people can send such
 * times wherever a request takes one.
 */
function formatTimestamp(at: Instant): string {
  const date = new Date(at);
  const text = date.toISOString();
  const year = date.getUTCFullYear();
  if (year >= 1 && year <= 9_999) return text;
  if (year < OLDEST_YEAR) return '-infinity';
  const rest = text.slice(text.indexOf('-', 1));
  return year > 9_999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
