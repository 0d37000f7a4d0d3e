import { expect, test } from 'vitest';
import { linePath, placeTicks, timeTicks } from './line-geometry.ts';

test('an axis starts at 0, reaches its highest value and has at most five ticks', () => {
  expect(placeTicks(1)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(placeTicks(0.07)).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
  expect(placeTicks(3456)).toEqual([0, 1000, 2000, 3000, 4000]);
  for (const top of [0.001, 0.3, 7, 99, 100, 101, 5001]) {
    const ticks = placeTicks(top);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
  }
});

test('an axis without data still has a height', () => {
  expect(placeTicks(0).at(-1)).toBe(1);
});

test('a line is interrupted at missing values, and an isolated value is drawn', () => {
  const at = (x: number, y: number) => ({ x, y });
  expect(linePath([at(0, 0), at(0.25, 1), null, at(1, 0.5)])).toBe('M0 1000h0L250 0M1000 500h0');
  expect(linePath([null, null])).toBe('');
});

test('at most five times are labeled below a chart', () => {
  for (const count of [1, 4, 5, 6, 24, 28, 168]) {
    const ticks = timeTicks(Array.from({ length: count }, (_, index) => index));
    expect(ticks[0]).toBe(0);
    expect(ticks.length).toBeLessThanOrEqual(5);
  }
  expect(timeTicks([])).toEqual([]);
});
