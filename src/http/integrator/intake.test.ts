import { expect, test } from 'vitest';
import { wantedAtOf } from './intake.ts';

const start = '2026-03-01T19:00:00+03:00';
const dropoffWindow = { start, end: '2026-03-01T19:30:00+03:00' };
const readyAt = '2026-03-01T18:30:00+03:00';

test('a scheduled order is wanted when its window opens, or else when its food is ready', () => {
  expect(wantedAtOf({ timing: { dropoffWindow, readyAt } })).toBe(Date.UTC(2026, 2, 1, 16));
  expect(wantedAtOf({ timing: { asap: false, readyAt } })).toBe(Date.UTC(2026, 2, 1, 15, 30));
});

test('an order is immediate unless it gives a time', () => {
  for (const timing of [undefined, {}, { asap: false }, { prepMinutes: 20 }, { asap: true, readyAt }]) {
    expect(wantedAtOf({ timing })).toBeNull();
  }
});
