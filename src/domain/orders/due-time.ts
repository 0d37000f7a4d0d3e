// When the food of an order is expected to be ready, and when it is to be at the door.
import { MINUTE_MS, type Instant } from '../time.ts';

/** Without a wish of the customer, food is to be at the door so long after it is ready. */
const USUAL_DELIVERY_MINUTES = 30;
/** The kitchen of an order for later begins so long before the window opens, besides the time it needs. */
export const RIDE_MINUTES = 20;

/** What the integrator said about times; null where it said nothing. */
export interface OrderTiming {
  approvedAt: Instant;
  /** Null: as soon as possible. */
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
