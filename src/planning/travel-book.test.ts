import { expect, test } from 'vitest';
import { UNREACHABLE } from '../domain/planning/problem.ts';
import { TravelBook } from './travel-book.ts';
import { estimateSeconds, NO_WAY, TILE_SIZE, type TravelTile, type TravelTimes } from './travel-times.ts';

const placesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ latitude: 41 + index * 0.002, longitude: 29 }));

/** Answers when the test says so; every ride takes 7 seconds for each step north and 5 for each step south. */
function createProvider() {
  const tiles: TravelTile[] = [];
  const waiting: ((fail?: boolean) => void)[] = [];
  const provider: TravelTimes = {
    name: 'roads',
    measure: (tile) => {
      tiles.push(tile);
      return new Promise((resolve, reject) => {
        waiting.push((fail = false) =>
          fail
            ? reject(new Error('the road is closed'))
            : resolve(
                Int32Array.from(
                  tile.sources.flatMap((from) => tile.targets.map((to) => rideOf(from.latitude, to.latitude))),
                ),
              ),
        );
      });
    },
  };
  return {
    provider,
    tiles,
    answer: async (fail?: boolean) => {
      waiting.shift()?.(fail);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function rideOf(from: number, to: number): number {
  const steps = Math.round((to - from) / 0.002);
  if (steps === 2) return NO_WAY;
  return steps > 0 ? 7 * steps : -5 * steps;
}

test('without a provider everything is estimated, and the plan is told so', () => {
  const [from, to] = placesOf(2);
  const book = new TravelBook({ monotonicMs: () => 0, provider: null });
  const rides = book.lookUp(placesOf(2), ['BICYCLE', 'CAR']);
  expect(rides).toMatchObject({ source: 'estimate', bridgedShare: 0 });
  if (from === undefined || to === undefined) throw new Error('two places are needed');
  const seconds = [...rides.seconds];
  expect(seconds[1]).toBeCloseTo(estimateSeconds('BICYCLE', from, to), -1);
  expect(seconds[5]).toBeCloseTo(estimateSeconds('CAR', from, to), -1);
});

test('a plan never waits: what is not known yet is estimated, and measured for the next one', async () => {
  const { provider, answer } = createProvider();
  const learnt: true[] = [];
  const book = new TravelBook({ monotonicMs: () => 0, provider, onLearnt: () => learnt.push(true) });
  const first = book.lookUp(placesOf(3), ['CAR']);
  expect(first.source).toBe('roads, estimate');
  expect(first.bridgedShare).toBeCloseTo(6 / 9);
  while (learnt.length === 0) await answer();
  const second = book.lookUp(placesOf(3), ['CAR']);
  expect(second).toMatchObject({ source: 'roads', bridgedShare: 0 });
  expect([...second.seconds]).toEqual([0, 7, UNREACHABLE, 5, 0, 7, 10, 5, 0]);
});

test('a provider is asked in tiles of at most 50 by 50, one at a time, and once for each ride', async () => {
  const { provider, tiles, answer } = createProvider();
  const learnt: true[] = [];
  const book = new TravelBook({ monotonicMs: () => 0, provider, onLearnt: () => learnt.push(true) });
  book.lookUp(placesOf(120), ['CAR']);
  book.lookUp(placesOf(120), ['CAR']);
  expect(tiles).toHaveLength(1);
  while (learnt.length === 0) await answer();
  for (const { sources, targets } of tiles) {
    expect(sources.length).toBeLessThanOrEqual(TILE_SIZE);
    expect(targets.length).toBeLessThanOrEqual(TILE_SIZE);
  }
  const asked = tiles.reduce((sum, { sources, targets }) => sum + sources.length * targets.length, 0);
  expect(asked).toBeLessThan(1.2 * 120 * 120);
  expect(book.lookUp(placesOf(120), ['CAR']).bridgedShare).toBe(0);
});

test('a provider that fails is bridged and left alone for a while, and the reason is told', async () => {
  const { provider, tiles, answer } = createProvider();
  const reasons: string[] = [];
  let now = 0;
  const book = new TravelBook({ monotonicMs: () => now, provider, onFailure: (reason) => reasons.push(reason) });
  book.lookUp(placesOf(2), ['CAR']);
  await answer(true);
  expect(reasons).toEqual(['the road is closed']);
  expect(book.lookUp(placesOf(2), ['CAR']).source).toBe('roads, estimate');
  expect(tiles).toHaveLength(1);
  now = 10_000;
  book.lookUp(placesOf(2), ['CAR']);
  expect(tiles).toHaveLength(2);
});
