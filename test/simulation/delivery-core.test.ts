// The real delivery core on simulated time, network and store. `npm run chaos -- --simulate 10000` runs more seeds.
import { expect, test } from 'vitest';
import { KNOWN_SEEDS } from '../../chaos/simulation/known-seeds.ts';
import { MISTAKES, type Mistake } from '../../chaos/simulation/mistakes.ts';
import { countFrom, simulate } from '../../chaos/simulation/simulate.ts';
import { newSeed } from '../../harness/chance.ts';

const SEEDS = 150;
/** The number of seeds within which a mistake must be detected. */
const PATIENCE = 400;
const first = newSeed();

test('seeds that once found a bug find none now', async () => {
  const { failed } = await simulate({ seeds: KNOWN_SEEDS });
  expect(failed).toEqual([]);
}, 30_000);

test(`${SEEDS} random seeds from ${first}: nothing lost, early, overtaken, doubled in flight or kept waiting`, async () => {
  const summary = await simulate({ seeds: countFrom(first, SEEDS) });
  expect(summary.failed).toEqual([]);
  // The run was meaningful: days passed, and nodes died between a success and its record.
  expect(summary.simulatedDays).toBeGreaterThan(SEEDS);
  expect(summary.attempts).toBeGreaterThan(10 * SEEDS);
  expect(summary.duplicates).toBeGreaterThan(0);
}, 60_000);

for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
  test(`control: it is noticed when ${MISTAKES[mistake]}`, async () => {
    const { failed } = await simulate({ seeds: countFrom(1, PATIENCE), mistakes: [mistake], enough: 1 });
    expect(failed.length).toBeGreaterThan(0);
  }, 60_000);
}
