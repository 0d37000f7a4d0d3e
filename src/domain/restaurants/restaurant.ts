// A tenant, as far as decisions about its orders need to know it.
import { isOpenAt, type OpeningHours } from './opening-hours.ts';
import type { Instant } from '../time.ts';

export interface Restaurant {
  id: string;
  /** What the integrator calls it: `restaurantId` in, `providerRestaurantId` out. */
  providerRestaurantId: string;
  name: string;
  timeZone: string;
  integrationEnabled: boolean;
  autoApprove: boolean;
  rateLimitPerMinute: number;
  preparationMinutes: number;
  courierWaitLimitMinutes: number;
  /** Null: an unapproved order is never cancelled by itself. */
  approvalLimitMinutes: number | null;
  /** Null: always open. */
  openingHours: OpeningHours | null;
  deliveryMetadata: boolean;
}

export function isRestaurantOpen(restaurant: Restaurant, at: Instant): boolean {
  return restaurant.openingHours === null || isOpenAt(restaurant.openingHours, restaurant.timeZone, at);
}
