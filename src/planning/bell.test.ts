import { afterEach, expect, test, vi } from 'vitest';
import type { Queryable } from '../store/database.ts';
import { createBell } from './bell.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a change is told at once, and a thousand of them in a second a few times', () => {
  vi.useFakeTimers();
  let notices = 0;
  const db: Queryable = {
    query: () => {
      notices += 1;
      return Promise.resolve([]);
    },
  };
  const bell = createBell(db);
  bell.ring();
  expect(notices).toBe(1);
  for (let change = 0; change < 1_000; change++) {
    bell.ring();
    vi.advanceTimersByTime(1);
  }
  expect(notices).toBeGreaterThanOrEqual(10);
  expect(notices).toBeLessThanOrEqual(11);
  // The last of many is told too, once.
  vi.advanceTimersByTime(1_000);
  const before = notices;
  bell.ring();
  bell.ring();
  vi.advanceTimersByTime(1_000);
  expect(notices).toBe(before + 2);
  bell.close();
});
