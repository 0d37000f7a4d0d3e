import { expect, test } from 'vitest';
import { findOverlap, isOpenAt, type OpeningHours } from './opening-hours.ts';

const DAILY: OpeningHours = {
  weekly: Array.from({ length: 7 }, () => [{ from: '11:00', to: '22:00' }]),
  exceptions: [{ date: '2026-12-25', spans: [] }],
};
const BAR: OpeningHours = {
  // Friday night until 3:00.
  weekly: [[], [], [], [], [{ from: '18:00', to: '03:00' }], [], []],
  exceptions: [],
};

test('hours follow the restaurant’s local clock: open from the first minute, closed from the last', () => {
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T10:59:59.999+03:00'))).toBe(false);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T11:00:00+03:00'))).toBe(true);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T21:59:59+03:00'))).toBe(true);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-11-15T22:00:00+03:00'))).toBe(false);
  // The same local hours are a different time in another zone.
  expect(isOpenAt(DAILY, 'America/New_York', Date.parse('2026-11-15T11:00:00+03:00'))).toBe(false);
});

test('a span that ends before it begins continues into the next day, and not before', () => {
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-20T23:30:00+01:00'))).toBe(true);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-21T02:59:00+01:00'))).toBe(true);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-21T03:00:00+01:00'))).toBe(false);
  expect(isOpenAt(BAR, 'Europe/Berlin', Date.parse('2026-11-20T02:00:00+01:00'))).toBe(false);
});

test('an exception replaces the hours of its date', () => {
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-12-25T12:00:00+03:00'))).toBe(false);
  expect(isOpenAt(DAILY, 'Europe/Istanbul', Date.parse('2026-12-26T12:00:00+03:00'))).toBe(true);
});

test('two spans of one day may touch but not overlap', () => {
  const lunch = { from: '11:00', to: '15:00' };
  expect(findOverlap([lunch, { from: '15:00', to: '22:00' }])).toBeUndefined();
  expect(findOverlap([{ from: '18:00', to: '02:00' }, lunch])).toBeUndefined();
  expect(findOverlap([lunch, { from: '14:59', to: '22:00' }])).toBe(1);
  expect(findOverlap([lunch, { from: '12:00', to: '13:00' }])).toBe(1);
  expect(findOverlap([{ from: '18:00', to: '02:00' }, lunch, { from: '23:00', to: '23:30' }])).toBe(2);
  // From 9:00 to 9:00 is 24 hours: until midnight and on into the next day.
  expect(findOverlap([{ from: '09:00', to: '09:00' }, lunch])).toBe(1);
});
