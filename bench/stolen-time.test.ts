import { expect, test } from 'vitest';
import { StolenTime } from './stolen-time.ts';

/** Looks at the given times, when so many ticks had been stolen. */
function watch(looks: readonly [atMs: number, ticks: number | undefined][]): StolenTime {
  let now: (typeof looks)[number] = [0, 0];
  const stolen = new StolenTime({ read: () => now[1], nowMs: () => now[0] });
  for (const next of looks) {
    now = next;
    stolen.look();
  }
  return stolen;
}

test('a span is disturbed when anything was stolen between the looks around it, and only then', () => {
  const stolen = watch([
    [0, 7],
    [50, 7],
    [100, 9],
    [150, 9],
  ]);
  expect(stolen.isUndisturbed(10, 50)).toBe(true);
  expect(stolen.isUndisturbed(10, 51)).toBe(false);
  expect(stolen.isUndisturbed(60, 70)).toBe(false);
  expect(stolen.isUndisturbed(50, 60)).toBe(false);
  expect(stolen.isUndisturbed(100, 150)).toBe(true);
  expect(stolen.isUndisturbed(0, 150)).toBe(false);
});

test('where nobody counts what is stolen, nothing is', () => {
  expect(watch([[0, undefined]]).isUndisturbed(0, 100)).toBe(true);
});
