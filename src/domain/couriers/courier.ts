// What couriers are, and their time limits, shared by pages, planner and store.
import type { Place } from '../geo.ts';
import { MINUTE_MS, SECOND_MS, type Instant } from '../time.ts';

export const VEHICLES = ['FOOT', 'BICYCLE', 'MOTORCYCLE', 'CAR'] as const;
export type Vehicle = (typeof VEHICLES)[number];

export const DEFAULT_CAPACITY = 4;
export const MAX_CAPACITY = 99;

/** How long a courier may consider an offer before it goes to the next one. */
export const OFFER_LIMIT_MS = 60 * SECOND_MS;

/** Allows for the time that an answer given at the last moment spends in transit. */
export const OFFER_GRACE_MS = 5 * SECOND_MS;

/** How long an order is not offered again to a courier who declined it or let its offer expire. */
export const REOFFER_PAUSE_MS = 5 * MINUTE_MS;

/** A courier who reported and then falls silent for this long is left out of plans. */
export const OUT_OF_CONTACT_AFTER_MS = 3 * MINUTE_MS;

/** More frequent positions are ignored: plans are not that precise, and phone batteries are limited. */
export const POSITION_INTERVAL_MS = 3 * SECOND_MS;

/** How long a courier's location is kept. */
export const POSITION_KEPT_MS = 10 * MINUTE_MS;

export interface CourierSignal {
  /** Null if there was no report since the courier came on duty: such a courier counts as present. */
  reportedAt: Instant | null;
  place: Place | null;
}

export function isOutOfContact(signal: CourierSignal, now: Instant): boolean {
  return signal.reportedAt !== null && now - signal.reportedAt >= OUT_OF_CONTACT_AFTER_MS;
}

export const ACT_KINDS = ['arrived', 'picked_up', 'arrived_dropoff', 'delivered', 'problem'] as const;
export type ActKind = (typeof ACT_KINDS)[number];

/** True for a courier's own restaurant, and for every restaurant if they belong to the operator's pool. */
export function servesRestaurant(courier: { restaurantId: string | null }, restaurantId: string): boolean {
  return courier.restaurantId === null || courier.restaurantId === restaurantId;
}
