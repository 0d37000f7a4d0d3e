import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceMeters } from '../../domain/geo.ts';
import type { PlanningRestaurant } from '../../store/planning/orders.ts';
import { findAreaOf, groupIntoAreas } from './areas.ts';

const restaurant = (id: string, latitude: number | null, longitude = 29): PlanningRestaurant => ({
  id,
  place: latitude === null ? null : { latitude, longitude },
  preparationMinutes: 15,
});

test('restaurants within reach of each other, also through others, share an area; distant ones do not', () => {
  const areas = groupIntoAreas([
    restaurant('c', 41.2),
    restaurant('a', 41),
    restaurant('b', 41.1),
    restaurant('far', 42),
    restaurant('nowhere', null),
  ]);
  expect(Object.fromEntries(areas)).toEqual({ a: 'a', b: 'a', c: 'a', far: 'far', nowhere: 'nowhere' });
});

test('restaurants within 15 km always share an area, anywhere on Earth and in any input order', () => {
  const place = fc.record({
    latitude: fc.double({ min: -75, max: 75, noNaN: true }),
    longitude: fc.double({ min: -179, max: 179, noNaN: true }),
    north: fc.double({ min: -0.15, max: 0.15, noNaN: true }),
    east: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 8 }), (pairs) => {
      const restaurants = pairs.flatMap(({ latitude, longitude, north, east }, index) => [
        restaurant(`one-${index}`, latitude, longitude),
        restaurant(`two-${index}`, latitude + north, longitude + east),
      ]);
      const areas = groupIntoAreas(restaurants);
      expect(groupIntoAreas(restaurants.toReversed())).toEqual(new Map([...areas].toReversed()));
      for (const one of restaurants) {
        for (const other of restaurants) {
          if (one.place === null || other.place === null || distanceMeters(one.place, other.place) > 15_000) continue;
          expect(areas.get(one.id)).toBe(areas.get(other.id));
        }
      }
    }),
  );
});

test('a courier belongs to the area of their orders, else of their restaurant, else of their position', () => {
  const restaurants = [restaurant('a', 41), restaurant('b', 45)];
  const areas = groupIntoAreas(restaurants);
  const place = { latitude: 45.1, longitude: 29 };
  expect(findAreaOf({ restaurantId: 'b', place, busyWith: 'a' }, restaurants, areas)).toBe('a');
  expect(findAreaOf({ restaurantId: 'a', place, busyWith: undefined }, restaurants, areas)).toBe('a');
  expect(findAreaOf({ restaurantId: null, place, busyWith: undefined }, restaurants, areas)).toBe('b');
  expect(findAreaOf({ restaurantId: null, place: null, busyWith: undefined }, restaurants, areas)).toBe('a');
});
