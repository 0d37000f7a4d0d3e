import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { Queryable } from '../store/database/database.ts';
import { readPlanNotice } from '../store/planning/areas.ts';
import { createChangeNotifier } from './change-notifier.ts';

afterEach(() => {
  vi.useRealTimers();
});

function openNotifier() {
  vi.useFakeTimers();
  const notices: string[] = [];
  const db: Queryable = {
    query: (_, values = []) => {
      notices.push(String(values[0]));
      return Promise.resolve([]);
    },
  };
  return { notifier: createChangeNotifier(db), notices };
}

test('a change is reported at once, and a thousand changes a second in a few notices', () => {
  const { notifier, notices } = openNotifier();
  const orderId = randomUUID();
  notifier.note(orderId);
  expect(notices).toHaveLength(1);
  for (let change = 0; change < 1_000; change++) {
    notifier.note(orderId);
    vi.advanceTimersByTime(1);
  }
  expect(notices.length).toBeGreaterThanOrEqual(10);
  expect(notices.length).toBeLessThanOrEqual(11);
  // The last of many changes is announced too, exactly once.
  vi.advanceTimersByTime(1_000);
  const before = notices.length;
  notifier.note(orderId);
  notifier.note(orderId);
  vi.advanceTimersByTime(1_000);
  expect(notices).toHaveLength(before + 2);
  notifier.close();
});

test('a notice lists every order changed since the last one, or none if there are too many', () => {
  const { notifier, notices } = openNotifier();
  const [first, ...others] = Array.from({ length: 201 }, () => randomUUID());
  notifier.note(first ?? '');
  for (const id of others) notifier.note(id);
  vi.advanceTimersByTime(100);
  expect(notices.map(readPlanNotice)).toEqual([[first], others]);
  expect(Math.max(...notices.map((notice) => notice.length))).toBeLessThan(8_000);
  for (const id of [...others, randomUUID()]) notifier.note(id);
  vi.advanceTimersByTime(100);
  expect(notices.slice(2).map(readPlanNotice)).toEqual([null]);
  notifier.close();
});

test('an empty or unrecognized notice means that everything changed', () => {
  expect(readPlanNotice('')).toBeNull();
  expect(readPlanNotice(`${randomUUID()} courier:1`)).toBeNull();
});
