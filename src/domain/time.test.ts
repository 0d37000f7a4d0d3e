import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatWithOffset, isTimeZone, offsetMinutesAt } from './time.ts';

test('an instant is written with milliseconds and the numeric offset of its zone, never with Z', () => {
  const at = Date.parse('2026-03-01T09:00:00.123Z');
  expect(formatWithOffset(at, 'Europe/Istanbul')).toBe('2026-03-01T12:00:00.123+03:00');
  expect(formatWithOffset(at, 'UTC')).toBe('2026-03-01T09:00:00.123+00:00');
  expect(formatWithOffset(at, 'America/St_Johns')).toBe('2026-03-01T05:30:00.123-03:30');
  expect(formatWithOffset(at, 'Asia/Kathmandu')).toBe('2026-03-01T14:45:00.123+05:45');
});

test('the offset changes in the very millisecond in which summer time begins', () => {
  const change = Date.parse('2026-03-29T01:00:00.000Z');
  expect(offsetMinutesAt('Europe/Berlin', change - 1)).toBe(60);
  expect(offsetMinutesAt('Europe/Berlin', change)).toBe(120);
  // Backwards as well: the remembered span must not be used for another time.
  expect(offsetMinutesAt('Europe/Berlin', change - 1)).toBe(60);
});

test('whatever the zone and the instant, the written time is the same instant', () => {
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

test('a name that is no time zone is not taken for one', () => {
  expect(isTimeZone('Europe/Istanbul')).toBe(true);
  expect(isTimeZone('Europe/Nowhere')).toBe(false);
});
