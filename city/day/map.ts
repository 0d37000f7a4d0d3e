// Places in the city and travel times between them.
import type { Vehicle } from '../../src/domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../../src/domain/geo.ts';

const METERS_PER_DEGREE = 111_195;

/** Streets are longer than the great circle. These are the city's actual values; the planner has its own estimates. */
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

/** The point at `share` of the way from one place to the other. */
export function between(from: Place, to: Place, share: number): Place {
  return {
    latitude: round(from.latitude + (to.latitude - from.latitude) * share),
    longitude: round(from.longitude + (to.longitude - from.longitude) * share),
  };
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}

/** Rounds to about a tenth of a meter. */
function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
