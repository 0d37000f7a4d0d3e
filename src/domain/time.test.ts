import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { describeDuration, findTimeZone, formatUtc, formatWithOffset, offsetMinutesAt } from './time.ts';

test('an instant is written in UTC for programs, and a missing instant has no text', () => {
  expect(formatUtc(Date.parse('2026-03-01T12:00:00.123+03:00'))).toBe('2026-03-01T09:00:00.123Z');
  expect(formatUtc(null)).toBeNull();
});

test('an instant is written with milliseconds and the numeric offset of its zone, never with Z', () => {
  const at = Date.parse('2026-03-01T09:00:00.123Z');
  expect(formatWithOffset(at, 'Europe/Istanbul')).toBe('2026-03-01T12:00:00.123+03:00');
  expect(formatWithOffset(at, 'UTC')).toBe('2026-03-01T09:00:00.123+00:00');
  expect(formatWithOffset(at, 'America/St_Johns')).toBe('2026-03-01T05:30:00.123-03:30');
  expect(formatWithOffset(at, 'Asia/Kathmandu')).toBe('2026-03-01T14:45:00.123+05:45');
});

test('a duration is shown in minutes, and a long one in hours or days', () => {
  const minutes = [-3, 0, 1, 17, 119, 120, 47 * 60 + 59, 48 * 60, 9_700_000];
  expect(minutes.map((count) => describeDuration(count * 60_000))).toEqual([
    '0 minutes',
    '0 minutes',
    '1 minute',
    '17 minutes',
    '119 minutes',
    '2 hours',
    '47 hours',
    '2 days',
    '6,736 days',
  ]);
});

test('the offset changes in the exact millisecond when daylight saving time begins', () => {
  const change = Date.parse('2026-03-29T01:00:00.000Z');
  expect(offsetMinutesAt('Europe/Berlin', change - 1)).toBe(60);
  expect(offsetMinutesAt('Europe/Berlin', change)).toBe(120);
  // Backward as well: a cached span must not be used for another time.
  expect(offsetMinutesAt('Europe/Berlin', change - 1)).toBe(60);
});

test('the written time denotes the same instant in every zone', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const instants = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2050-01-01') });
  fc.assert(
    fc.property(instants, fc.constantFrom(...zones), (at, zone) => {
      const text = formatWithOffset(at, zone);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
      expect(Date.parse(text)).toBe(at);
    }),
  );
});

test('each time zone has one canonical name in any spelling, and an invalid one has none', () => {
  expect(['Europe/London', 'europe/LONDON', 'GB', 'utc', '+0300'].map(findTimeZone)).toEqual([
    'Europe/London',
    'Europe/London',
    'Europe/London',
    'UTC',
    '+03:00',
  ]);
  expect(['Europe/Nowhere', '', ' UTC', '+3'].map(findTimeZone)).toEqual(Array(4).fill(undefined));
});

test('a thousand spellings of time zone names do not fill the memory', () => {
  const at = Date.parse('2026-07-01T12:00:00Z');
  const create = vi.spyOn(Intl, 'DateTimeFormat');
  const zones = { 'America/Argentina/Buenos_Aires': -180, 'Europe/London': 60 };
  const variants = Object.entries(zones).flatMap(([name, offset]) =>
    Array.from({ length: 1_500 }, (_, number) => ({ name: varyCase(name, number), offset })),
  );
  for (const { name, offset } of variants) expect(offsetMinutesAt(name, at)).toBe(offset);
  create.mockClear();
  for (const { name } of variants.slice(-1)) offsetMinutesAt(name, at);
  expect(create, 'what was used last is known').not.toHaveBeenCalled();
  for (const { name } of variants.slice(0, 100)) offsetMinutesAt(name, at);
  expect(create.mock.calls.length, 'what was used long ago is forgotten').toBe(100);
  create.mockRestore();
});

/** Sets each letter of a name to upper or lower case according to the bits of a number. */
function varyCase(name: string, number: number): string {
  return name.replaceAll(/./g, (letter, index: number) =>
    (number >> index) & 1 ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
