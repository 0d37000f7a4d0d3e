// Derives an order's urgency from its age, and the reminder interval for unapproved ones. Pure.
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { APPROVAL_AGE_MS, DELIVERY_AGE_MS } from '../../../../../src/domain/orders/lateness.ts';
import { isFinal } from '../../../../../src/domain/orders/order.ts';
import { MINUTE_MS } from '../../../../../src/domain/time.ts';

export type Urgency = 'calm' | 'soon' | 'late';

export type Aging = Pick<BoardOrder, 'state' | 'createdAt' | 'wantedAt' | 'dropoffAt'>;

export function urgencyOf(order: Aging, now: number): Urgency {
  if (isFinal(order.state)) return 'calm';
  if (order.state === 'NEW') return compare(now - Date.parse(order.createdAt), APPROVAL_AGE_MS);
  const createdAt = Date.parse(order.createdAt);
  // A scheduled order ages from when work on it should start. A wanted time before its creation is ignored.
  const from =
    order.wantedAt === null ? createdAt : Math.max(createdAt, Date.parse(order.wantedAt)) - DELIVERY_AGE_MS.soon;
  return compare(now - from, DELIVERY_AGE_MS);
}

function compare(ageMs: number, limits: { soon: number; late: number }): Urgency {
  if (ageMs >= limits.late) return 'late';
  return ageMs >= limits.soon ? 'soon' : 'calm';
}

export interface Reminder {
  count: number;
  oldestMs: number;
  urgency: Exclude<Urgency, 'calm'>;
  /** Interval between sounds; shorter the longer the oldest order waits. */
  everyMs: number;
}

const FIRST_REMINDER_MS = MINUTE_MS;
const MIN_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 60_000;

/** Null if no order has waited long enough. */
export function reminderFor(orders: readonly Aging[], now: number): Reminder | null {
  const ages = orders.filter(({ state }) => state === 'NEW').map(({ createdAt }) => now - Date.parse(createdAt));
  const waiting = ages.filter((ageMs) => ageMs >= FIRST_REMINDER_MS);
  if (waiting.length === 0) return null;
  const oldestMs = Math.max(...waiting);
  const everyMs = Math.max(MIN_PAUSE_MS, MAX_PAUSE_MS / (oldestMs / FIRST_REMINDER_MS));
  return { count: waiting.length, oldestMs, urgency: oldestMs >= APPROVAL_AGE_MS.late ? 'late' : 'soon', everyMs };
}
