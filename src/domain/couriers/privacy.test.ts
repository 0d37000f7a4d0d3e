import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate } from './candidate.ts';
import { coarsen, ROUGH_ETA_MS, showEta, toSquare } from './privacy.ts';
import { distanceMeters } from '../geo.ts';

const inhabited = fc.record({
  latitude: fc.double({ min: -70, max: 70, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

test('all places in a square share one center, at most 1.5 km away', () => {
  fc.assert(
    fc.property(inhabited, (place) => {
      const square = toSquare(place);
      expect(toSquare(square)).toEqual(square);
      expect(distanceMeters(place, square)).toBeLessThan(1_500);
    }),
  );
});

test('a square is two kilometers wide in each direction, at any latitude', () => {
  fc.assert(
    fc.property(inhabited, (place) => {
      const middle = toSquare(place);
      for (const [north, east] of [
        [0.9, 0],
        [-0.9, 0],
        [0, 0.9],
        [0, -0.9],
      ] as const) {
        const near = {
          latitude: middle.latitude + north / 111.2,
          longitude: middle.longitude + east / 111.2 / Math.cos((middle.latitude * Math.PI) / 180),
        };
        expect(toSquare(near)).toEqual(middle);
      }
    }),
  );
});

test('the poles and the edges of the map have a square too', () => {
  for (const latitude of [-90, 90]) {
    for (const longitude of [-180, 180]) {
      const square = toSquare({ latitude, longitude });
      expect(Number.isFinite(square.latitude) && Number.isFinite(square.longitude)).toBe(true);
    }
  }
});

test('a candidate without exact values shows ranges and no other measurement', () => {
  const now = 1_000_000;
  const figures = {
    pickupAt: now + 11 * 60_000,
    dropoffAt: now + 30 * 60_000,
    lateSeconds: 61,
    detourSeconds: 3_000,
    pushesBackSeconds: 77,
    extraCost: 123,
  };
  const candidate: Candidate = {
    id: 'c',
    name: 'Ada',
    isOwn: false,
    onDuty: true,
    vehicle: 'BICYCLE',
    bags: 0,
    capacity: 4,
    promised: 0,
    carried: 0,
    distanceMeters: 2_345,
    figures,
    rough: null,
    warnings: [],
    bar: null,
  };
  expect(coarsen(candidate, now)).toEqual({
    ...candidate,
    distanceMeters: null,
    figures: null,
    rough: {
      distanceKm: { from: 2, under: 5 },
      figures: {
        pickupMinutes: { from: 10, under: 20 },
        detourMinutes: { from: 40, under: null },
        lateMinutes: { from: 0, under: 10 },
      },
    },
  });
});

test('a planned time is exact for a known courier and rounded up to full steps for any other', () => {
  expect(showEta(1, true)).toBe(1);
  expect(showEta(1, false)).toBe(ROUGH_ETA_MS);
  expect(showEta(ROUGH_ETA_MS, false)).toBe(ROUGH_ETA_MS);
  expect(showEta(null, false)).toBeNull();
});
