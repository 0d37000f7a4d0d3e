import { describe, expect, test } from 'vitest';
import { DataMissing, findDataFolder } from '../../harness/instances/data-folder.ts';
import { type LiLimInstance, measureLiLim, solveLiLim } from './lilim.ts';

const node = { demand: 0, ready: 0, due: 1000, service: 10, delivery: 0 };

/** Two pairs along a line; the second must be served first. */
const INSTANCE: LiLimInstance = {
  name: 'line',
  vehicles: 2,
  capacity: 10,
  nodes: [
    { ...node, x: 0, y: 0, service: 0 },
    { ...node, x: 10, y: 0, demand: 6, ready: 100, delivery: 2 },
    { ...node, x: 20, y: 0, demand: -6 },
    { ...node, x: 10, y: 1, demand: 6, due: 50, delivery: 4 },
    { ...node, x: 20, y: 1, demand: -6, due: 90 },
  ],
  pairs: [
    { pickup: 1, delivery: 2 },
    { pickup: 3, delivery: 4 },
  ],
};

const found = { unserved: 0, rounds: 0, elapsedMs: 0 };

describe('a Li & Lim solution', () => {
  test('computed by the planner is valid', () => {
    const solution = solveLiLim(INSTANCE, { timeLimitMs: 20, seed: 1 });
    const { distance, faults } = measureLiLim(INSTANCE, solution);
    expect(faults).toEqual([]);
    expect(solution.unserved).toBe(0);
    expect(distance).toBeLessThan(81);
  });

  test.each([
    ['served at', [[1, 2, 3, 4]]],
    ['carries 12', [[3, 1, 4, 2]]],
    [
      'in different routes',
      [
        [1, 4],
        [3, 2],
      ],
    ],
    [
      'in different routes',
      [
        [4, 3],
        [1, 2],
      ],
    ],
    [
      'appears twice',
      [
        [3, 4, 3],
        [1, 2],
      ],
    ],
    ['are missing', [[3, 4]]],
  ])('with an error is rejected: %s', (fault, routes) => {
    expect(measureLiLim(INSTANCE, { ...found, routes }).faults.join('; ')).toContain(fault);
  });

  test('passes if it keeps every rule', () => {
    expect(measureLiLim(INSTANCE, { ...found, routes: [[3, 4, 1, 2]] }).faults).toEqual([]);
  });
});

test('a missing data folder is reported with the setting that points to it', () => {
  expect(() => findDataFolder('/nowhere')).toThrow(DataMissing);
  expect(() => findDataFolder('/nowhere')).toThrow(/\/nowhere\/mdrp is not there.*WAYBILL_BENCH_DATA/);
});
