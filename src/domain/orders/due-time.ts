// When an order's food is expected to be ready, and when it is due at the drop-off.
import { MINUTE_MS, type Instant } from '../time.ts';

/** Unless the customer asks otherwise, food is due at the drop-off this long after it is ready. */
const USUAL_DELIVERY_MINUTES = 30;
/** For a later order, the kitchen starts this long before the window opens, plus its preparation time. */
export const RIDE_MINUTES = 20;

/** Times given by the integrator; null if not given. */
export interface OrderTiming {
  approvedAt: Instant;
  /** Null means as soon as possible. */
  wantedAt: Instant | null;
  prepMinutes: number | null;
  readyAt: Instant | null;
  windowStart: Instant | null;
  windowEnd: Instant | null;
  maxDeliveryMinutes: number | null;
}

export function expectReady(timing: OrderTiming, usualPrepMinutes: number): Instant {
  if (timing.readyAt !== null) return timing.readyAt;
  const soonest = timing.approvedAt + (timing.prepMinutes ?? usualPrepMinutes) * MINUTE_MS;
  if (timing.wantedAt === null || timing.windowStart === null) return soonest;
  return Math.max(soonest, timing.windowStart - RIDE_MINUTES * MINUTE_MS);
}

/** `readyAt`: when the food is or was ready. */
export function dueTimeOf(timing: OrderTiming, readyAt: Instant): Instant {
  return timing.windowEnd ?? readyAt + (timing.maxDeliveryMinutes ?? USUAL_DELIVERY_MINUTES) * MINUTE_MS;
}
