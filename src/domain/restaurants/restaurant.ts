// A tenant, with the fields that decisions about its orders need.
import { isOpenAt, type OpeningHours } from './opening-hours.ts';
import type { Instant } from '../time.ts';

export interface Restaurant {
  id: string;
  /** The integrator's id: `restaurantId` in requests, `providerRestaurantId` in responses. */
  providerRestaurantId: string;
  name: string;
  timeZone: string;
  integrationEnabled: boolean;
  autoApprove: boolean;
  rateLimitPerMinute: number;
  preparationMinutes: number;
  courierWaitLimitMinutes: number;
  /** Null if unapproved orders are never canceled automatically. */
  approvalLimitMinutes: number | null;
  /** Null if always open. */
  openingHours: OpeningHours | null;
  deliveryMetadata: boolean;
}

export function isRestaurantOpen(restaurant: Restaurant, at: Instant): boolean {
  return restaurant.openingHours === null || isOpenAt(restaurant.openingHours, restaurant.timeZone, at);
}
