// Places of the city and ways between them.
import type { Vehicle } from '../../src/domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../../src/domain/geo.ts';

const METERS_PER_DEGREE = 111_195;

/** Streets are longer than the great circle, and nobody rides without stopping. The city's own truth, not the planner's. */
const DETOUR = 1.35;
const METERS_PER_SECOND: Record<Vehicle, number> = { FOOT: 1.35, BICYCLE: 4.2, MOTORCYCLE: 7.5, CAR: 6.5 };

export function rideSeconds(vehicle: Vehicle, from: Place, to: Place): number {
  return (distanceMeters(from, to) * DETOUR) / METERS_PER_SECOND[vehicle];
}

export function moveMeters(from: Place, by: { east: number; north: number }): Place {
  const narrowing = Math.cos((from.latitude * Math.PI) / 180);
  return {
    latitude: round(from.latitude + by.north / METERS_PER_DEGREE),
    longitude: round(from.longitude + by.east / (METERS_PER_DEGREE * narrowing)),
  };
}

/** On the way from one to the other, `share` of it behind. */
export function between(from: Place, to: Place, share: number): Place {
  return {
    latitude: round(from.latitude + (to.latitude - from.latitude) * share),
    longitude: round(from.longitude + (to.longitude - from.longitude) * share),
  };
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}

/** A tenth of a metre. */
function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
