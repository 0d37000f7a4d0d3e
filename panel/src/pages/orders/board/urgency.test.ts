import { expect, test } from 'vitest';
import { reminderFor, urgencyOf } from './urgency.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;

function order(state: 'NEW' | 'VALIDATED' | 'DELIVERED', ageMinutes: number, wantedInMinutes: number | null = null) {
  return {
    state,
    createdAt: new Date(NOW - ageMinutes * MINUTE_MS).toISOString(),
    wantedAt: wantedInMinutes === null ? null : new Date(NOW + wantedInMinutes * MINUTE_MS).toISOString(),
    dropoffAt: null,
  };
}

test('an unapproved order turns urgent after minutes, an approved one after half an hour, a finished one never', () => {
  expect(urgencyOf(order('NEW', 1), NOW)).toBe('calm');
  expect(urgencyOf(order('NEW', 2), NOW)).toBe('soon');
  expect(urgencyOf(order('NEW', 5), NOW)).toBe('late');
  expect(urgencyOf(order('VALIDATED', 29), NOW)).toBe('calm');
  expect(urgencyOf(order('VALIDATED', 31), NOW)).toBe('soon');
  expect(urgencyOf(order('VALIDATED', 46), NOW)).toBe('late');
  expect(urgencyOf(order('DELIVERED', 300), NOW)).toBe('calm');
});

test('a scheduled order is not late because it was placed early', () => {
  expect(urgencyOf(order('VALIDATED', 300, 120), NOW)).toBe('calm');
  expect(urgencyOf(order('VALIDATED', 300, -10), NOW)).toBe('soon');
});

test('an order wanted before it was placed ages from the time it was placed', () => {
  const yesterday = -24 * 60;
  expect(urgencyOf(order('VALIDATED', 0, yesterday), NOW)).toBe('soon');
  expect(urgencyOf(order('VALIDATED', 14, yesterday), NOW)).toBe('soon');
  expect(urgencyOf(order('VALIDATED', 15, yesterday), NOW)).toBe('late');
});

test('the reminder starts after a minute and repeats faster the longer an order waits', () => {
  expect(reminderFor([order('NEW', 0.5), order('VALIDATED', 60)], NOW)).toBeNull();
  const first = reminderFor([order('NEW', 1)], NOW);
  const later = reminderFor([order('NEW', 1), order('NEW', 4)], NOW);
  const longest = reminderFor([order('NEW', 60)], NOW);
  expect(first).toMatchObject({ count: 1, urgency: 'soon', everyMs: 60_000 });
  expect(later).toMatchObject({ count: 2, urgency: 'soon', everyMs: 15_000 });
  expect(longest).toMatchObject({ urgency: 'late', everyMs: 10_000 });
});
