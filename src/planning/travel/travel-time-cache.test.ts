import { expect, test } from 'vitest';
import { VEHICLES, type Vehicle } from '../../domain/couriers/courier.ts';
import { UNREACHABLE } from '../../domain/planning/search/problem.ts';
import { TravelTimeCache, type Rides } from './travel-time-cache.ts';
import {
  NOT_COVERED,
  estimateSeconds,
  NO_ROUTE,
  TILE_SIZE,
  type TravelTile,
  type TravelTimes,
} from './travel-times.ts';

const placesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ latitude: 41 + index * 0.002, longitude: 29 }));

/** Row by row, for the first requested places. */
function read(rides: Rides, vehicle: Vehicle, count = rides.slots.length): number[] {
  const slots = [...rides.slots.subarray(0, count)];
  return slots.flatMap((from) => slots.map((to) => rideIn(rides, vehicle, [from, to])));
}

function rideIn({ seconds, locationCount }: Rides, vehicle: Vehicle, [from, to]: [number, number]): number {
  return seconds[(VEHICLES.indexOf(vehicle) * locationCount + from) * locationCount + to] ?? -1;
}

/** Answers when the test says so; every ride takes 7 seconds per step north and 5 per step south. */
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
  if (steps === 2) return NO_ROUTE;
  return steps > 0 ? 7 * steps : -5 * steps;
}

test('without a provider every travel time is estimated, and the plan says so', () => {
  const [from, to] = placesOf(2);
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
  const rides = cache.lookUp(placesOf(2), ['BICYCLE', 'CAR']);
  expect(rides).toMatchObject({ source: 'estimate', bridgedShare: 0 });
  if (from === undefined || to === undefined) throw new Error('two places are needed');
  for (const vehicle of ['BICYCLE', 'CAR'] as const) {
    const ride = estimateSeconds(vehicle, from, to);
    expect(read(rides, vehicle)).toEqual([0, ride, ride, 0]);
  }
});

test('a vehicle added later gets its travel times between old and new places', () => {
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
  const [from, to] = placesOf(2);
  if (from === undefined || to === undefined) throw new Error('two places are needed');
  const ride = estimateSeconds('BICYCLE', from, to);
  cache.lookUp([to], ['CAR']);
  expect(read(cache.lookUp([from, to], ['CAR', 'BICYCLE']), 'BICYCLE')).toEqual([0, ride, ride, 0]);
  // The planner uses the first vehicle to decide what is near, even if no courier has it.
  const [walk, none] = [estimateSeconds('FOOT', from, to), 0];
  expect(read(cache.lookUp([from, to], ['CAR']), 'FOOT')).toEqual([none, walk, walk, none]);
});

test('a plan never waits: unknown travel times are estimated now and measured for the next plan', async () => {
  const { provider, answer } = createProvider();
  const learned: true[] = [];
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider, onLearned: () => learned.push(true) });
  const first = cache.lookUp(placesOf(3), ['CAR']);
  expect(first.source).toBe('roads, estimate');
  expect(first.bridgedShare).toBe(1);
  while (learned.length === 0) await answer();
  const second = cache.lookUp(placesOf(3), ['CAR']);
  expect(second).toMatchObject({ source: 'roads', bridgedShare: 0 });
  expect(read(second, 'CAR')).toEqual([0, 7, UNREACHABLE, 5, 0, 7, 10, 5, 0]);
});

test('a provider is queried in tiles of at most 50 by 50, one at a time, and once for each travel time', async () => {
  const { provider, tiles, answer } = createProvider();
  const learned: true[] = [];
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider, onLearned: () => learned.push(true) });
  cache.lookUp(placesOf(120), ['CAR']);
  cache.lookUp(placesOf(120), ['CAR']);
  expect(tiles).toHaveLength(1);
  while (learned.length === 0) await answer();
  for (const { sources, targets } of tiles) {
    expect(sources.length).toBeLessThanOrEqual(TILE_SIZE);
    expect(targets.length).toBeLessThanOrEqual(TILE_SIZE);
  }
  const asked = tiles.reduce((sum, { sources, targets }) => sum + sources.length * targets.length, 0);
  expect(asked).toBeLessThan(1.2 * 120 * 120);
  expect(cache.lookUp(placesOf(120), ['CAR']).bridgedShare).toBe(0);
});

test('a travel time that a provider lacks stays estimated, is reported in the plan and is not queried again', async () => {
  const tiles: TravelTile[] = [];
  const provider: TravelTimes = {
    name: 'roads',
    measure: (tile) => {
      tiles.push(tile);
      return Promise.resolve(Int32Array.from(tile.targets.flatMap(() => tile.sources.map(() => NOT_COVERED))));
    },
  };
  const learned: true[] = [];
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider, onLearned: () => learned.push(true) });
  const before = read(cache.lookUp(placesOf(2), ['CAR']), 'CAR');
  await expect.poll(() => learned.length).toBe(1);
  const rides = cache.lookUp(placesOf(2), ['CAR']);
  expect(rides).toMatchObject({ source: 'roads, estimate', bridgedShare: 1 });
  expect(read(rides, 'CAR')).toEqual(before);
  await new Promise((resolve) => setImmediate(resolve));
  expect(tiles.length).toBeLessThanOrEqual(2);
  expect(learned).toHaveLength(1);
});

/** How many places are kept before any is evicted. */
const ROOM = 2_048;

test('after places are added, removed and added again, every travel time is that of the places requested', () => {
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
  const stay = placesOf(40);
  const rounds = Array.from({ length: ROOM / 60 + 2 }, (_, round) => round);
  for (const round of [...rounds, 0, 1]) {
    const moving = Array.from({ length: 60 }, (_, index) => ({
      latitude: 41 + (round * 60 + index) * 0.0005,
      longitude: 29.01,
    }));
    const places = [...moving, ...stay];
    const rides = cache.lookUp(places, ['CAR']);
    expect(rides.locationCount).toBeLessThanOrEqual(ROOM);
    for (const [from, to] of [[0, 99] as const, [59, 60] as const, [99, 30] as const, [61, 98] as const]) {
      const [one, other] = [places[from], places[to]];
      if (one === undefined || other === undefined) throw new Error('there are 100 places');
      const ride = rideIn(rides, 'CAR', [rides.slots[from] ?? 0, rides.slots[to] ?? 0]);
      expect(Math.abs(ride - estimateSeconds('CAR', one, other))).toBeLessThanOrEqual(2);
    }
  }
});

test('an answer for places that were removed is not used for those that took their slots', async () => {
  const { provider, answer } = createProvider();
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider });
  const asked = placesOf(2);
  const others = Array.from({ length: ROOM }, (_, index) => ({ latitude: 42 + index * 0.001, longitude: 30 }));
  cache.lookUp(asked, ['CAR']);
  cache.lookUp([...asked, ...others.slice(2)], ['CAR']);
  const before = read(cache.lookUp(others, ['CAR']), 'CAR', 2);
  await answer();
  const after = cache.lookUp(others, ['CAR']);
  expect(after.locationCount).toBe(ROOM);
  expect(read(after, 'CAR', 2)).toEqual(before);
});

test('a failing provider is replaced by estimates and left alone for a while, and the reason is reported', async () => {
  const { provider, tiles, answer } = createProvider();
  const reasons: string[] = [];
  let now = 0;
  const cache = new TravelTimeCache({ monotonicMs: () => now, provider, onFailure: (reason) => reasons.push(reason) });
  cache.lookUp(placesOf(2), ['CAR']);
  await answer(true);
  expect(reasons).toEqual(['the road is closed']);
  expect(cache.lookUp(placesOf(2), ['CAR']).source).toBe('roads, estimate');
  expect(tiles).toHaveLength(1);
  now = 10_000;
  cache.lookUp(placesOf(2), ['CAR']);
  expect(tiles).toHaveLength(2);
});

test('travel times to a courier’s position are never queried, and none are missing afterwards', async () => {
  const { provider, tiles, answer } = createProvider();
  const learned: true[] = [];
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider, onLearned: () => learned.push(true) });
  const [pickup, dropoff, courier] = placesOf(3);
  if (pickup === undefined || dropoff === undefined || courier === undefined) throw new Error('three are needed');
  expect(cache.lookUp([pickup, dropoff, courier], ['CAR'], 2).bridgedShare).toBe(1);
  while (learned.length === 0) await answer();
  expect(tiles.flatMap(({ targets }) => targets)).not.toContainEqual(courier);
  const rides = cache.lookUp([pickup, dropoff, courier], ['CAR'], 2);
  expect(rides).toMatchObject({ source: 'roads', bridgedShare: 0 });
  const [first = 0, second = 0, from = 0] = rides.slots;
  expect(rideIn(rides, 'CAR', [from, second])).toBe(5);
  expect(rideIn(rides, 'CAR', [from, first])).toBe(10);
});

test('a courier’s former position can become a drop-off with known travel times, even in a reused slot', () => {
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
  const [pickup] = placesOf(1);
  if (pickup === undefined) throw new Error('a place is needed');
  const walk = Array.from({ length: ROOM + 100 }, (_, step) => ({ latitude: 41, longitude: 29 + step * 0.001 }));
  for (let step = 0; step < walk.length; step += 100)
    cache.lookUp([pickup, ...walk.slice(step, step + 100)], ['CAR'], 1);
  for (const dropoff of [walk[5], walk.at(-1)]) {
    if (dropoff === undefined) throw new Error('the walk is long enough');
    cache.lookUp([pickup, dropoff], ['CAR'], 1);
    const rides = cache.lookUp([pickup, dropoff], ['CAR']);
    const [from = 0, to = 0] = rides.slots;
    expect(Math.abs(rideIn(rides, 'CAR', [from, to]) - estimateSeconds('CAR', pickup, dropoff))).toBeLessThanOrEqual(2);
  }
});

test('repeated places share one slot, so a restaurant with a thousand orders needs no larger matrix', () => {
  const cache = new TravelTimeCache({ monotonicMs: () => 0, provider: null });
  const places = Array.from({ length: 20 * 64 }, (_, index) => ({
    latitude: 41 + (index % 60) * 0.002,
    longitude: 29,
  }));
  const rides = cache.lookUp(places, ['CAR']);
  expect(new Set(rides.slots).size).toBe(60);
  expect(rides.locationCount).toBe(64);
});
