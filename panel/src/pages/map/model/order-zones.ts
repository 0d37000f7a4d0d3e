// What was promised to a customer was promised in the time of the restaurant, whoever looks on from wherever.
import type { MapAnswer } from '../../../../../src/contract/panel/planning/map.ts';

/** The time zone of each order, by its id. */
export type OrderZones = ReadonlyMap<string, string>;

const UNKNOWN = 'UTC';

export function listZones({ orders, restaurants }: Pick<MapAnswer, 'orders' | 'restaurants'>): OrderZones {
  const zones = new Map(restaurants.map(({ id, timeZone }) => [id, timeZone]));
  return new Map(orders.map(({ id, restaurantId }) => [id, zones.get(restaurantId) ?? UNKNOWN]));
}

/** Of an order that ended a moment ago nothing is known. */
export function zoneOf(zones: OrderZones, orderId: string): string {
  return zones.get(orderId) ?? UNKNOWN;
}
