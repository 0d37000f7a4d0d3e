// When an order's age begins to worry people. The board colours by it, the operator's console counts by it.
import { MINUTE_MS } from './time.ts';

/** Nobody cooks before an order is approved, so each minute counts. */
export const APPROVAL_AGE_MS = { soon: 2 * MINUTE_MS, late: 5 * MINUTE_MS } as const;
/** What customers wait without asking. What is wanted later ages from `soon` before that time. */
export const DELIVERY_AGE_MS = { soon: 30 * MINUTE_MS, late: 45 * MINUTE_MS } as const;
