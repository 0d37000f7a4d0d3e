import { expect, test } from 'vitest';
import { readZonedInput, toQueryTime, writeZonedInput } from './zoned-input.ts';

test('a field is read in the restaurant’s time zone, in summer and in winter', () => {
  expect(toQueryTime('2026-03-01T12:00', 'Europe/Istanbul')).toBe('2026-03-01T09:00:00.000Z');
  expect(toQueryTime('2026-01-15T12:00', 'Europe/Berlin')).toBe('2026-01-15T11:00:00.000Z');
  expect(toQueryTime('2026-07-15T12:00', 'Europe/Berlin')).toBe('2026-07-15T10:00:00.000Z');
  expect(toQueryTime('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z');
  expect(toQueryTime('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
});

test('a formatted value is parsed back to the same time', () => {
  const at = Date.parse('2026-10-25T12:34:00Z');
  expect(readZonedInput(writeZonedInput(at, 'America/New_York'), 'America/New_York')).toBe(at);
});

test('an empty or invalid time gives no query value', () => {
  expect(toQueryTime('', 'UTC')).toBeUndefined();
  expect(toQueryTime(undefined, 'UTC')).toBeUndefined();
  expect(toQueryTime('soon', 'UTC')).toBeUndefined();
});
