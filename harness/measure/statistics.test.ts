import { expect, test } from 'vitest';
import { median, percentile } from './statistics.ts';

test('a percentile is the smallest value that the given share of values does not exceed', () => {
  const values = (): Float64Array => Float64Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values(), 0.5)).toBe(50);
  expect(percentile(values(), 0.99)).toBe(99);
  expect(percentile(values(), 1)).toBe(100);
  expect(percentile(Float64Array.of(7), 0.99)).toBe(7);
});

test('the median of an even number of values is the mean of the middle two, for any input order', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 1, 2, 4])).toBe(3);
});

test('a percentile or median of an empty sample is rejected', () => {
  expect(() => percentile(new Float64Array(0), 0.5)).toThrow('an empty sample');
  expect(() => median([])).toThrow('an empty sample');
});
