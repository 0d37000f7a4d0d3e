// How long rides take. Every provider answers the same question; the estimate is always there, so that no plan ever
// waits for one.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../../domain/geo.ts';

/** A provider answers at most so many sources and targets at once. */
export const TILE_SIZE = 50;

/** The cell of a pair between which there is no way. */
export const NO_WAY = -1;
/** The cell of a pair of which the provider knows nothing, such as a place off its map: the estimate stands in. */
export const CANNOT_TELL = -2;

export interface TravelTimes {
  /** As plans name it. */
  name: string;
  /** Seconds from each source to each target, row by row; NO_WAY in gaps, CANNOT_TELL off the map. May fail, may take its time. */
  measure(tile: TravelTile): Promise<Int32Array>;
}

export interface TravelTile {
  vehicle: Vehicle;
  sources: readonly Place[];
  targets: readonly Place[];
}

/** Streets are longer than the great circle by about this much, and speeds are those of a whole ride with its stops. */
const DETOUR = 1.35;
const METERS_PER_SECOND: Record<Vehicle, number> = { FOOT: 1.35, BICYCLE: 4.2, MOTORCYCLE: 7.5, CAR: 6.5 };

/** For a metre of the great circle. */
export function secondsPerMeter(vehicle: Vehicle): number {
  return DETOUR / METERS_PER_SECOND[vehicle];
}

export function estimateSeconds(vehicle: Vehicle, from: Place, to: Place): number {
  return Math.round(distanceMeters(from, to) * secondsPerMeter(vehicle));
}
