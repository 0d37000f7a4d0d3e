import { expect, test } from 'vitest';
import { distanceMeters } from '../../../src/domain/geo.ts';
import { drawGrid, drawRing, goNorth, metersPerPixel, RING_METERS, ringsToLabel } from './geometry.ts';

const PLACE = { latitude: 40.9876, longitude: 29.0301 };

test('every point of a ring is at the ring’s distance, also where degrees of longitude are short', () => {
  for (const place of [PLACE, { latitude: 64.1, longitude: -21.9 }, { latitude: -33.9, longitude: 151.2 }]) {
    const ring = drawRing(place, 2_000);
    expect(ring.at(0)?.map((degrees) => degrees.toFixed(9))).toEqual(ring.at(-1)?.map((degrees) => degrees.toFixed(9)));
    for (const [longitude, latitude] of ring) {
      expect(Math.abs(distanceMeters(place, { latitude, longitude }) - 2_000)).toBeLessThan(10);
    }
  }
});

test('grid lines are one step apart in both directions', () => {
  const lines = drawGrid(PLACE, { stepMeters: 1_000, reachMeters: 3_000 });
  expect(lines).toHaveLength(14);
  const upright = lines.filter(([from, to]) => from?.[0] === to?.[0]).map(([from]) => from?.[0] ?? 0);
  const level = lines.filter(([from, to]) => from?.[1] === to?.[1]).map(([from]) => from?.[1] ?? 0);
  const east = distanceMeters(PLACE, { ...PLACE, longitude: PLACE.longitude + (upright[1] ?? 0) - (upright[0] ?? 0) });
  const north = distanceMeters(PLACE, { ...PLACE, latitude: PLACE.latitude + (level[1] ?? 0) - (level[0] ?? 0) });
  for (const step of [east, north]) expect(Math.abs(step - 1_000)).toBeLessThan(5);
});

test('ring labels never crowd, and there is one at every scale of a town', () => {
  for (let zoom = 10; zoom <= 16; zoom += 0.5) {
    const scale = metersPerPixel(PLACE.latitude, zoom);
    const places = ringsToLabel(scale).map((meters) => meters / scale);
    expect(places.length).toBeGreaterThan(0);
    for (const [index, place] of places.entries()) expect(place - (places[index - 1] ?? 4)).toBeGreaterThanOrEqual(40);
  }
  expect(goNorth(PLACE, RING_METERS[2]).latitude).toBeCloseTo(40.9966, 3);
});
