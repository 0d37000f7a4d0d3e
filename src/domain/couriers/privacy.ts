// What a restaurant may learn about couriers whom it does not know: those of the pool, until they accept one of its
// orders. All values are computed from a square of two kilometers, never from the exact location. Bands of the exact
// distance would not be safe: by moving the pickup until the band changes, a restaurant could find the edge to the
// meter, and three edges give the location.
import type { Candidate, Band } from './candidate.ts';
import type { Place } from '../geo.ts';
import { MINUTE_MS, SECOND_MS, type Instant } from '../time.ts';

/** Wider than half a square, so that a band is not more precise than its input. */
const DISTANCE_EDGES_KM = [2, 5, 10] as const;
const TIME_EDGES_MINUTES = [10, 20, 40] as const;
/** ETAs with a courier whom the restaurant does not know are rounded up to a multiple of this. */
export const ROUGH_ETA_MS = 10 * MINUTE_MS;

const SQUARE_KM = 2;
const KM_PER_DEGREE = 111.2;
const ROW_DEGREES = SQUARE_KM / KM_PER_DEGREE;

/** The center of the square that contains a location. Squares do not depend on the restaurant or the order. */
export function toSquare(place: Place): Place {
  const latitude = middleOf(place.latitude, ROW_DEGREES);
  // As wide as they are high, and constant within a row; otherwise the center would move with the location.
  const columnDegrees = ROW_DEGREES / Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
  return { latitude, longitude: middleOf(place.longitude, columnDegrees) };
}

function middleOf(degrees: number, step: number): number {
  return (Math.floor(degrees / step) + 0.5) * step;
}

/** A planned time as shown to a restaurant, depending on whether it knows the planned courier. */
export function showEta(at: Instant | null, isCourierKnown: boolean): Instant | null {
  return at === null || isCourierKnown ? at : Math.ceil(at / ROUGH_ETA_MS) * ROUGH_ETA_MS;
}

/** What a restaurant may see of a candidate whose figures were computed from squares only. */
export function coarsen(candidate: Candidate, now: Instant): Candidate {
  const { distanceMeters, figures } = candidate;
  return {
    ...candidate,
    distanceMeters: null,
    figures: null,
    rough: {
      distanceKm: distanceMeters === null ? null : bandOf(distanceMeters / 1_000, DISTANCE_EDGES_KM),
      figures: figures && {
        pickupMinutes: bandOf((figures.pickupAt - now) / MINUTE_MS, TIME_EDGES_MINUTES),
        detourMinutes: bandOf((figures.detourSeconds * SECOND_MS) / MINUTE_MS, TIME_EDGES_MINUTES),
        lateMinutes:
          figures.lateSeconds === 0 ? null : bandOf((figures.lateSeconds * SECOND_MS) / MINUTE_MS, TIME_EDGES_MINUTES),
      },
    },
  };
}

function bandOf(value: number, edges: readonly number[]): Band {
  const index = edges.findIndex((edge) => value < edge);
  if (index === -1) return { from: edges.at(-1) ?? 0, under: null };
  return { from: edges[index - 1] ?? 0, under: edges[index] ?? null };
}
