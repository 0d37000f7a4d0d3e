import { expect, test } from 'vitest';
import { countOf, formatCount, plural } from './counts.ts';

test('only a count of one is singular', () => {
  expect([0, 1, 2, 21].map((count) => countOf(count, 'order'))).toEqual([
    '0 orders',
    '1 order',
    '2 orders',
    '21 orders',
  ]);
});

test('an irregular plural is taken from the caller', () => {
  expect(countOf(2, 'order is late', 'orders are late')).toBe('2 orders are late');
  expect([1, 2].map((count) => plural(count, 'waits', 'wait'))).toEqual(['waits', 'wait']);
});

test('thousands are grouped with a separator', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567');
  expect(countOf(12_000, 'webhook')).toBe('12,000 webhooks');
});
