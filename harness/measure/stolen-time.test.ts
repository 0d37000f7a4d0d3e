import { expect, test } from 'vitest';
import { StolenTime, takeTurns } from './stolen-time.ts';

/** Samples the stolen ticks at the given times. */
function watch(looks: readonly [atMs: number, ticks: number | undefined][]): StolenTime {
  let now: (typeof looks)[number] = [0, 0];
  const stolen = new StolenTime({ read: () => now[1], nowMs: () => now[0] });
  for (const next of looks) {
    now = next;
    stolen.look();
  }
  return stolen;
}

test('a span is disturbed exactly when CPU time was stolen between the samples around it', () => {
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

test('without a stolen-time counter no span is disturbed', () => {
  expect(watch([[0, undefined]]).isUndisturbed(0, 100)).toBe(true);
});

/** Turns of one second each, on a machine that loses the given number of ticks in each turn. */
async function takeTurnsLosing(wanted: number, losses: readonly number[]): Promise<number[]> {
  let count = 0;
  let ticks = 0;
  const turn = async (): Promise<number> => {
    ticks += losses[count] ?? 0;
    count += 1;
    return count;
  };
  return takeTurns(wanted, turn, { read: () => ticks, nowMs: () => count * 1_000 });
}

test('a turn with much stolen time is repeated', async () => {
  const much = 1_000;
  expect(await takeTurnsLosing(2, [0, much, much, 0])).toEqual([1, 4]);
});

test('on a constantly disturbed machine, the least disturbed of three times as many turns count', async () => {
  expect(await takeTurnsLosing(2, [900, 300, 800, 700, 500, 600])).toEqual([2, 5]);
});
