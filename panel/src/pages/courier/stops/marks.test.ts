import { expect, test } from 'vitest';
import { listMarks, type MapStop } from './marks.ts';

const KITCHEN = { latitude: 41, longitude: 29 };

const stopOf = (kind: MapStop['kind'], name: string, location: MapStop['place']['location']): MapStop => ({
  kind,
  restaurant: name,
  place: { location },
  customer: kind === 'dropoff' ? { name } : null,
});

test('two orders from one kitchen share a marker with both numbers, and each drop-off has its own', () => {
  const stops = [
    stopOf('pickup', 'Testaurant', KITCHEN),
    stopOf('pickup', 'Testaurant', { ...KITCHEN }),
    stopOf('dropoff', 'Ada', { ...KITCHEN, latitude: 41.01 }),
    stopOf('dropoff', 'Nowhere', undefined),
    stopOf('dropoff', 'Bo', { ...KITCHEN, latitude: 41.02 }),
  ];
  const marks = listMarks(stops, stops[1]);
  expect(marks.map(({ numbers, label, isPickup, isShown }) => [numbers, label, isPickup, isShown])).toEqual([
    ['1, 2', 'Pick up at Testaurant', true, true],
    ['3', 'Deliver to Ada', false, false],
    ['5', 'Deliver to Bo', false, false],
  ]);
});
