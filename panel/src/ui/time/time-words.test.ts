import { expect, test } from 'vitest';
import { formatDuration, formatNear, formatRelative, formatZoned, zoneName } from './time-words.ts';

const NOON = Date.parse('2026-07-01T12:00:00Z');

test('durations use only the units that they need', () => {
  expect([0, 59_999, 60_000, 3_600_000, 7_500_000, 86_400_000 * 3].map(formatDuration)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 h 00 min',
    '2 h 05 min',
    '3 d',
  ]);
});

test('the future and the past are distinguished, and a few seconds count as now', () => {
  expect(formatRelative(NOON - 2000, NOON)).toBe('now');
  expect(formatRelative(NOON - 120_000, NOON)).toBe('2 min ago');
  expect(formatRelative(NOON + 120_000, NOON)).toBe('in 2 min');
});

test('a time that is not close to now includes its day', () => {
  const hours = (count: number): number => NOON + count * 3_600_000;
  expect(formatNear(hours(11), 'UTC', NOON)).toBe('23:00');
  expect(formatNear(hours(-11), 'UTC', NOON)).toBe('01:00');
  expect(formatNear(hours(24), 'UTC', NOON)).toBe('2 Jul 2026, 12:00');
  expect(formatNear(Date.parse('2000-01-01T12:00:00Z'), 'UTC', NOON)).toBe('1 Jan 2000, 12:00');
});

test('times use the given zone, regardless of the machine’s zone', () => {
  expect(formatZoned(NOON, 'Europe/Istanbul', 'time')).toBe('15:00');
  expect(formatZoned(NOON, 'America/New_York', 'seconds')).toBe('08:00:00');
  expect(formatZoned(NOON, 'America/New_York', 'minute')).toBe('1 Jul, 08:00');
  expect(formatZoned(Date.parse('2026-12-25'), 'UTC', 'weekday')).toBe('Fri, 25 Dec 2026');
  expect(zoneName(NOON, 'Europe/Istanbul')).toBe('GMT+3');
  // A minus sign as wide as the plus: a hyphen is hard to see between digits.
  expect(zoneName(NOON, 'America/New_York')).toBe('GMT−4');
  expect(zoneName(NOON, 'UTC')).toBe('UTC');
});
