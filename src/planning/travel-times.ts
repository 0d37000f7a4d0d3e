// How long rides take. Every provider answers the same question; the estimate is always there, so that no plan ever
// waits for one.
import type { Vehicle } from '../domain/courier.ts';
import { distanceMeters, type Place } from '../domain/geo.ts';

/** A provider answers at most so many sources and targets at once. */
export const TILE_SIZE = 50;

/** The cell of a pair between which there is no way. */
export const NO_WAY = -1;

export interface TravelTimes {
  /** As plans name it. */
  name: string;
  /** Seconds from each source to each target, row by row; NO_WAY in gaps. May fail, may take its time. */
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

export function estimateSeconds(vehicle: Vehicle, from: Place, to: Place): number {
  return Math.round((distanceMeters(from, to) * DETOUR) / METERS_PER_SECOND[vehicle]);
}

const EQUATOR_METERS_PER_DEGREE = 111_195;

/** The same for all pairs of a city at once, on a flat map of it: the error is far below that of the estimate. */
export function estimateAll(vehicle: Vehicle, places: readonly Place[]): Int32Array {
  const count = places.length;
  const middle = places.reduce((sum, place) => sum + place.latitude, 0) / Math.max(1, count);
  const secondsPerDegree = (EQUATOR_METERS_PER_DEGREE * DETOUR) / METERS_PER_SECOND[vehicle];
  const narrowing = Math.cos((middle * Math.PI) / 180);
  const x = Float64Array.from(places, (place) => place.longitude * narrowing * secondsPerDegree);
  const y = Float64Array.from(places, (place) => place.latitude * secondsPerDegree);
  const cells = new Int32Array(count * count);
  for (let from = 0; from < count; from++) {
    for (let to = from + 1; to < count; to++) {
      const east = (x[from] ?? 0) - (x[to] ?? 0);
      const north = (y[from] ?? 0) - (y[to] ?? 0);
      const seconds = Math.round(Math.sqrt(east * east + north * north));
      cells[from * count + to] = seconds;
      cells[to * count + from] = seconds;
    }
  }
  return cells;
}
