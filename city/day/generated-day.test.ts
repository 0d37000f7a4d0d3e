import { expect, test } from 'vitest';
import { distanceMeters } from '../../src/domain/geo.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { generateDay } from './generated-day.ts';

const SIZE = { orders: 500, hours: 10 };
const day = generateDay({ seed: 7, ...SIZE });

test('the same seed gives the same day, and another seed another day', () => {
  expect(generateDay({ seed: 7, ...SIZE })).toEqual(day);
  expect(generateDay({ seed: 8, ...SIZE }).orders).not.toEqual(day.orders);
});

test('it has the requested number of orders within opening hours, each with an id and a restaurant of that day', () => {
  expect(day.orders).toHaveLength(500);
  expect(new Set(day.orders.map(({ id }) => id)).size).toBe(500);
  expect(day.orders.every(({ placedAtMs }) => placedAtMs >= 0 && placedAtMs < 10 * HOUR_MS)).toBe(true);
  expect(day.orders.every(({ restaurant }) => day.restaurants[restaurant] !== undefined)).toBe(true);
});

test('the two meals are the busiest hours, with a quiet afternoon in between', () => {
  const inHour = (hour: number): number =>
    day.orders.filter(({ placedAtMs }) => Math.floor(placedAtMs / HOUR_MS) === hour).length;
  expect(inHour(1)).toBeGreaterThan(3 * inHour(4));
  expect(inHour(8)).toBeGreaterThan(3 * inHour(4));
});

test('couriers are on shift for every order until its delivery, with more at busy hours', () => {
  const onDutyAt = (atMs: number): number =>
    day.couriers.filter(({ onAtMs, offAtMs }) => onAtMs <= atMs && offAtMs > atMs).length;
  for (const { placedAtMs } of day.orders) {
    expect(onDutyAt(placedAtMs + 15 * MINUTE_MS)).toBeGreaterThan(0);
    expect(onDutyAt(placedAtMs + HOUR_MS)).toBeGreaterThan(0);
  }
  expect(onDutyAt(8 * HOUR_MS)).toBeGreaterThan(2 * onDutyAt(5.5 * HOUR_MS));
});

test('a few things go wrong: orders are canceled, couriers decline or lose their connection during their shift', () => {
  const canceled = day.orders.filter(({ cancellation }) => cancellation !== null);
  expect(canceled.length).toBeGreaterThan(0);
  expect(canceled.length).toBeLessThan(50);
  expect(day.couriers.every(({ declineShare }) => declineShare > 0 && declineShare < 0.1)).toBe(true);
  const dark = day.couriers.flatMap((courier) => (courier.dark === null ? [] : [{ ...courier, dark: courier.dark }]));
  expect(dark.length).toBeGreaterThan(0);
  expect(dark.every(({ onAtMs, offAtMs, dark: { fromMs, toMs } }) => fromMs > onAtMs && toMs < offAtMs)).toBe(true);
});

test('everything is located in one town', () => {
  const [first] = day.restaurants;
  const places = [...day.restaurants.map(({ place }) => place), ...day.orders.map(({ dropoff }) => dropoff)];
  const farthest = Math.max(...places.map((place) => distanceMeters(first?.place ?? place, place)));
  expect(farthest).toBeGreaterThan(1_000);
  expect(farthest).toBeLessThan(20_000);
});
