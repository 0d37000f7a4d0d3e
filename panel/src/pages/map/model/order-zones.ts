// Promised times are shown in the restaurant's zone, wherever the user is.
import type { MapAnswer } from '../../../../../src/contract/panel/planning/map.ts';

/** The time zone of each order, by its id. */
export type OrderZones = ReadonlyMap<string, string>;

const UNKNOWN = 'UTC';

export function listZones({ orders, restaurants }: Pick<MapAnswer, 'orders' | 'restaurants'>): OrderZones {
  const zones = new Map(restaurants.map(({ id, timeZone }) => [id, timeZone]));
  return new Map(orders.map(({ id, restaurantId }) => [id, zones.get(restaurantId) ?? UNKNOWN]));
}

/** UTC for orders that have just ended and are no longer on the map. */
export function zoneOf(zones: OrderZones, orderId: string): string {
  return zones.get(orderId) ?? UNKNOWN;
}
