import { expect, test } from 'vitest';
import { isOpenAt, type OpeningHours } from './opening-hours.ts';

const DAILY: OpeningHours = {
  weekly: Array.from({ length: 7 }, () => [{ from: '11:00', to: '22:00' }]),
  exceptions: [{ date: '2026-12-25', spans: [] }],
};
const BAR: OpeningHours = {
  // Friday night until three.
  weekly: [[], [], [], [], [{ from: '18:00', to: '03:00' }], [], []],
  exceptions: [],
};

test('hours are those of the restaurant’s own clock: open from the first minute, closed from the last', () => {
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T10:59:59.999+03:00'))).toBe(false);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T11:00:00+03:00'))).toBe(true);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T21:59:59+03:00'))).toBe(true);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T22:00:00+03:00'))).toBe(false);
  // The same hours in another zone are another time.
  expect(isOpenAt(DAILY, 'America/New_York', Date.parse('2026-11-15T11:00:00+03:00'))).toBe(false);
});

test('a span that ends before it begins runs into the next day, and not before', () => {
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-20T23:30:00+01:00'))).toBe(true);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-21T02:59:00+01:00'))).toBe(true);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-21T03:00:00+01:00'))).toBe(false);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-20T02:00:00+01:00'))).toBe(false);
});

test('an exception replaces the hours of its date', () => {
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-12-25T12:00:00+03:00'))).toBe(false);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-12-26T12:00:00+03:00'))).toBe(true);
});
