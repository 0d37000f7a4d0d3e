// Geometry of distances on a map: rings around a place, and a grid in meters.
import type { Place } from '../../../src/domain/geo.ts';

type Line = [number, number][];

const METERS_A_DEGREE = 111_320;
const CORNERS = 96;

export const RING_METERS = [250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000] as const;

export function goNorth({ latitude, longitude }: Place, meters: number): Place {
  return { latitude: latitude + meters / METERS_A_DEGREE, longitude };
}

/** A closed line, round on the globe rather than in degrees. */
export function drawRing({ latitude, longitude }: Place, radiusMeters: number): Line {
  const north = radiusMeters / METERS_A_DEGREE;
  const east = north / shrinkOf(latitude);
  return Array.from({ length: CORNERS + 1 }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / CORNERS;
    return [longitude + east * Math.sin(angle), latitude + north * Math.cos(angle)];
  });
}

/** Lines of latitude and longitude through and around a place. */
export function drawGrid({ latitude, longitude }: Place, grid: { stepMeters: number; reachMeters: number }): Line[] {
  const count = Math.round(grid.reachMeters / grid.stepMeters);
  const step = grid.stepMeters / METERS_A_DEGREE;
  const eastStep = step / shrinkOf(latitude);
  const [north, east] = [count * step, count * eastStep];
  return Array.from({ length: 2 * count + 1 }, (_, index) => index - count).flatMap((place): Line[] => [
    [
      [longitude + place * eastStep, latitude - north],
      [longitude + place * eastStep, latitude + north],
    ],
    [
      [longitude - east, latitude + place * step],
      [longitude + east, latitude + place * step],
    ],
  ]);
}

const FIRST_LABEL_PX = 44;
const BETWEEN_LABELS_PX = 40;

/** The rings whose labels fit at this scale. */
export function ringsToLabel(metersPerPixel: number): number[] {
  let last = FIRST_LABEL_PX - BETWEEN_LABELS_PX;
  return RING_METERS.filter((meters) => {
    const hasRoom = meters / metersPerPixel >= last + BETWEEN_LABELS_PX;
    if (hasRoom) last = meters / metersPerPixel;
    return hasRoom;
  });
}

const PIXELS_A_WORLD = 512;
const EARTH_METERS = 40_075_016;

export function metersPerPixel(latitude: number, zoom: number): number {
  return (EARTH_METERS * shrinkOf(latitude)) / (PIXELS_A_WORLD * 2 ** zoom);
}

/** Length of a degree of longitude relative to one of latitude. */
function shrinkOf(latitude: number): number {
  return Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
}
