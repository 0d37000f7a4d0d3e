// How long rides take. Every provider implements the same interface; estimates are always available, so that no plan
// ever waits for a provider.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { distanceMeters, type Place } from '../../domain/geo.ts';

/** The most sources and targets that a provider answers in one request. */
export const TILE_SIZE = 50;

/** The cell of a pair without a route. */
export const NO_ROUTE = -1;
/** The cell of a pair unknown to the provider, for example a place off its map: the estimate is used instead. */
export const NOT_COVERED = -2;

export interface TravelTimes {
  /** As shown in plans. */
  name: string;
  /** Seconds from each source to each target, row by row, or NO_ROUTE or NOT_COVERED. May fail, and may be slow. */
  measure(tile: TravelTile): Promise<Int32Array>;
}

export interface TravelTile {
  vehicle: Vehicle;
  sources: readonly Place[];
  targets: readonly Place[];
}

/** Streets are longer than the great circle by about this factor; speeds are averages of whole rides with stops. */
const DETOUR = 1.35;
const METERS_PER_SECOND: Record<Vehicle, number> = { FOOT: 1.35, BICYCLE: 4.2, MOTORCYCLE: 7.5, CAR: 6.5 };

/** Per meter of the great circle. */
export function secondsPerMeter(vehicle: Vehicle): number {
  return DETOUR / METERS_PER_SECOND[vehicle];
}

export function estimateSeconds(vehicle: Vehicle, from: Place, to: Place): number {
  return Math.round(distanceMeters(from, to) * secondsPerMeter(vehicle));
}
