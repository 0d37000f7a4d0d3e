// What couriers are and how long they may take: limits that pages, planner and store share.
import type { Place } from '../geo.ts';
import { MINUTE_MS, SECOND_MS, type Instant } from '../time.ts';

export const VEHICLES = ['FOOT', 'BICYCLE', 'MOTORCYCLE', 'CAR'] as const;
export type Vehicle = (typeof VEHICLES)[number];

export const DEFAULT_CAPACITY = 4;
export const MOST_CAPACITY = 99;

/** How long a courier may think about an offer before it goes to the next one. */
export const OFFER_LIMIT_MS = 60 * SECOND_MS;

/** An answer given in the last moment may be so long on its way. */
export const OFFER_GRACE_MS = 5 * SECOND_MS;

/** Whoever declined an order or let its offer lapse is not asked about it again for so long. */
export const REFUSAL_REST_MS = 5 * MINUTE_MS;

/** A courier who was heard of and then falls silent for so long is left out of plans. */
export const DARK_AFTER_MS = 3 * MINUTE_MS;

/** Positions that come faster are ignored: nothing is planned more finely, and a phone's battery is small. */
export const POSITION_INTERVAL_MS = 3 * SECOND_MS;

/** How long it is known where a courier was. */
export const POSITION_KEPT_MS = 10 * MINUTE_MS;

export interface CourierSignal {
  /** Null where nothing was heard since the courier came on duty: such a courier is taken at their word. */
  reportedAt: Instant | null;
  place: Place | null;
}

export function isDark(signal: CourierSignal, now: Instant): boolean {
  return signal.reportedAt !== null && now - signal.reportedAt >= DARK_AFTER_MS;
}

export const ACT_KINDS = ['arrived', 'picked_up', 'arrived_dropoff', 'delivered', 'problem'] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** Their own restaurant, or any for somebody of the operator's pool. */
export function servesRestaurant(courier: { restaurantId: string | null }, restaurantId: string): boolean {
  return courier.restaurantId === null || courier.restaurantId === restaurantId;
}
