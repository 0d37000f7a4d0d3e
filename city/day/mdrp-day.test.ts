import { expect, test } from 'vitest';
import type { MdrpInstance } from '../../harness/instances/mdrp-instance.ts';
import { distanceMeters } from '../../src/domain/geo.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { readMdrpDay } from './mdrp-day.ts';

const instance: MdrpInstance = {
  name: 'tiny',
  restaurants: [
    { x: 0, y: 0 },
    { x: 3_000, y: 4_000 },
  ],
  orders: [5, 1, 9, 7].map((placement, index) => ({
    id: `o${index + 1}`,
    x: 0,
    y: 1_000,
    placement: 100 + placement,
    restaurant: 1,
    ready: 112 + placement,
  })),
  couriers: [{ id: 'c1', x: 0, y: 0, on: 90, off: 200 }],
  metersPerMinute: 320,
  pickupService: 4,
  dropoffService: 2,
  targetClickToDoor: 40,
  maxClickToDoor: 90,
  payPerOrder: 10,
  payPerHour: 15,
};

test('times count from the first shift, kitchens follow the instance, and service times are halved', () => {
  const day = readMdrpDay(instance);
  expect(day.opensAtMinute).toBe(90);
  expect(day.orders.map(({ id, placedAtMs }) => [id, placedAtMs / MINUTE_MS])).toEqual([
    ['tiny-o2', 11],
    ['tiny-o1', 15],
    ['tiny-o4', 17],
    ['tiny-o3', 19],
  ]);
  expect(day.orders.every(({ cookingMs, prepMinutes }) => cookingMs === 12 * MINUTE_MS && prepMinutes === 12)).toBe(
    true,
  );
  expect(day.stops.pickup).toEqual({ arrivingMs: 2 * MINUTE_MS, leavingMs: 2 * MINUTE_MS });
  expect(day.stops.dropoff).toEqual({ arrivingMs: MINUTE_MS, leavingMs: MINUTE_MS });
});

test('meters stay meters, and only restaurants with orders are included', () => {
  const day = readMdrpDay(instance);
  expect(day.restaurants).toHaveLength(1);
  const [restaurant, courier] = [day.restaurants[0], day.couriers[0]];
  const meters = restaurant && courier ? distanceMeters(restaurant.place, courier.home) : 0;
  expect(Math.abs(meters - 5_000)).toBeLessThan(10);
});

test('a reduced number of orders is spread over the day like the full number', () => {
  expect(readMdrpDay(instance, 2).orders.map(({ id }) => id)).toEqual(['tiny-o1', 'tiny-o3']);
  expect(readMdrpDay(instance, 10).orders).toHaveLength(4);
});
