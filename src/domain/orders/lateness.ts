// The age at which an order needs attention. The board's colors and the operator's counts use it.
import { MINUTE_MS, type Instant } from '../time.ts';

/** The kitchen does not start before approval, so each minute counts. */
export const APPROVAL_AGE_MS = { soon: 2 * MINUTE_MS, late: 5 * MINUTE_MS } as const;
/** How long customers wait without asking. An order wanted later ages from `soon` before that time. */
export const DELIVERY_AGE_MS = { soon: 30 * MINUTE_MS, late: 45 * MINUTE_MS } as const;

/** Expected delay at the drop-off, as far as known: negative while there is time left. */
export function expectedLatenessMs(order: { dueAt: Instant; expectedAt: Instant | null }, now: Instant): number {
  // An arrival cannot be in the past, even if it was planned for then.
  return Math.max(order.expectedAt ?? now, now) - order.dueAt;
}
