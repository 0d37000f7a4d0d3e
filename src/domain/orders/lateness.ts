// When an order's age begins to worry people. The board colours by it, the operator's console counts by it.
import { MINUTE_MS, type Instant } from '../time.ts';

/** Nobody cooks before an order is approved, so each minute counts. */
export const APPROVAL_AGE_MS = { soon: 2 * MINUTE_MS, late: 5 * MINUTE_MS } as const;
/** What customers wait without asking. What is wanted later ages from `soon` before that time. */
export const DELIVERY_AGE_MS = { soon: 30 * MINUTE_MS, late: 45 * MINUTE_MS } as const;

/** How late an order will be at the door, as far as is known: negative while there is time. */
export function expectedLatenessMs(order: { dueAt: Instant; expectedAt: Instant | null }, now: Instant): number {
  // Nobody arrives in the past, whatever was planned.
  return Math.max(order.expectedAt ?? now, now) - order.dueAt;
}
