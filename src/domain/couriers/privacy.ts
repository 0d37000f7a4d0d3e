// What a restaurant may learn about couriers whom it does not know: the pool's, until they have accepted one of its
// orders. Everything it is shown of them is a function of a square of two kilometers, never of the place itself.
// Showing bands of the exact distance would not do: by moving the pickup until a band changes, the edge of the band
// is found to the meter, and three such edges are a place.
import type { Candidate, Band } from './candidate.ts';
import type { Place } from '../geo.ts';
import { MINUTE_MS, SECOND_MS, type Instant } from '../time.ts';

/** Wider than half a square, so that a band is not more exact than what it is made from. */
const DISTANCE_EDGES_KM = [2, 5, 10] as const;
const TIME_EDGES_MINUTES = [10, 20, 40] as const;
/** An ETA with a courier whom the restaurant does not know is rounded up to this. */
export const ROUGH_ETA_MS = 10 * MINUTE_MS;

const SQUARE_KM = 2;
const KM_PER_DEGREE = 111.2;
const ROW_DEGREES = SQUARE_KM / KM_PER_DEGREE;

/** The middle of the square that a place lies in. Squares do not depend on who asks or for which order. */
export function toSquare(place: Place): Place {
  const latitude = middleOf(place.latitude, ROW_DEGREES);
  // As wide as they are high: the same for all of a row, or the middle would move with the place.
  const columnDegrees = ROW_DEGREES / Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
  return { latitude, longitude: middleOf(place.longitude, columnDegrees) };
}

function middleOf(degrees: number, step: number): number {
  return (Math.floor(degrees / step) + 0.5) * step;
}

/** A planned time as a restaurant gets it, by whether it knows the courier of the plan. */
export function showEta(at: Instant | null, isCourierKnown: boolean): Instant | null {
  return at === null || isCourierKnown ? at : Math.ceil(at / ROUGH_ETA_MS) * ROUGH_ETA_MS;
}

/** What is left of a candidate whose figures were worked out from squares alone. */
export function roughen(candidate: Candidate, now: Instant): Candidate {
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
