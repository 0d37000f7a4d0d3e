import { expect, test } from 'vitest';
import { median, percentile } from './statistics.ts';

test('a percentile is the smallest value that enough of them do not exceed', () => {
  const values = (): Float64Array => Float64Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values(), 0.5)).toBe(50);
  expect(percentile(values(), 0.99)).toBe(99);
  expect(percentile(values(), 1)).toBe(100);
  expect(percentile(Float64Array.of(7), 0.99)).toBe(7);
});

test('the median of an even number lies between the two in the middle, in whatever order they come', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 1, 2, 4])).toBe(3);
});

test('of nothing there is neither', () => {
  expect(() => percentile(new Float64Array(0), 0.5)).toThrow('nothing');
  expect(() => median([])).toThrow('nothing');
});
