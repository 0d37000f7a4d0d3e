import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDatabaseClock } from './database-clock.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** A machine and a database whose clocks the test sets, and a request that takes some time. */
function createWorld(machineAheadMs = 0) {
  const world = { elapsedMs: 0, machineAheadMs, databaseAheadMs: 0 };
  const machine = { now: () => NOON + world.elapsedMs + world.machineAheadMs, monotonicMs: () => world.elapsedMs };
  const clock = createDatabaseClock(machine);
  const databaseNow = () => NOON + world.elapsedMs + world.databaseAheadMs;
  const read = (thereMs = 0.5, backMs = 0.5) => {
    const askedAtMs = world.elapsedMs;
    world.elapsedMs += thereMs;
    const databaseMs = databaseNow();
    world.elapsedMs += backMs;
    clock.follow({ databaseMs, askedAtMs, answeredAtMs: world.elapsedMs });
  };
  return Object.assign(world, { clock, read, databaseNow });
}

test('a node uses its own time until it has read the database’s, and then the database’s', () => {
  const world = createWorld(90_000);
  expect(world.clock.now()).toBe(NOON + 90_000);
  expect(world.clock.offsetMs()).toBeNull();
  world.read();
  expect(world.clock.now()).toBe(NOON + 1);
  expect(world.clock.offsetMs()).toBeCloseTo(90_000, 0);
});

test('setting the machine’s clock changes only the reported offset', () => {
  const world = createWorld();
  world.read();
  world.machineAheadMs = -3_600_000;
  world.elapsedMs += 1_000;
  expect(world.clock.now()).toBe(NOON + 1_001);
  expect(world.clock.offsetMs()).toBeCloseTo(-3_600_000, 0);
});

test('a change of the database’s clock is followed at the next reading, forward and back', () => {
  const world = createWorld();
  world.read();
  for (const stepMs of [3_600_000, -3_600_000]) {
    world.databaseAheadMs = stepMs;
    world.read();
    expect(Math.abs(world.clock.now() - world.databaseNow())).toBeLessThanOrEqual(1);
  }
});

test('a slow answer does not degrade a more precise earlier reading', () => {
  const world = createWorld();
  world.read();
  world.elapsedMs += 1_500;
  world.read(4_000, 0);
  expect(Math.abs(world.clock.now() - world.databaseNow())).toBeLessThanOrEqual(8);
  expect(world.clock.offsetMs()).not.toBeNull();
});

test('no offset is reported from answers that are too slow to be precise', () => {
  const world = createWorld();
  world.read(0, 3_000);
  expect(world.clock.offsetMs()).toBeNull();
});

test('while no clock is set, time never runs backward, and its error stays within the fastest round trip plus drift', () => {
  const trip = fc.record({
    pauseMs: fc.nat(5_000),
    thereMs: fc.double({ min: 0, max: 200, noNaN: true }),
    backMs: fc.double({ min: 0, max: 200, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(trip, { minLength: 1, maxLength: 30 }), (trips) => {
      const world = createWorld(-90_000);
      let [boundMs, seen] = [Infinity, 0];
      for (const { pauseMs, thereMs, backMs } of trips) {
        world.elapsedMs += pauseMs;
        world.read(thereMs, backMs);
        boundMs = Math.min(boundMs + (pauseMs + thereMs + backMs) * 0.001, thereMs + backMs);
        const now = world.clock.now();
        const aheadMs = now - world.databaseNow();
        expect(aheadMs).toBeGreaterThanOrEqual(-boundMs - 1);
        // A time that was already returned is repeated until the database has caught up with it.
        if (now !== seen) expect(aheadMs).toBeLessThanOrEqual(boundMs + 1);
        expect(now).toBeGreaterThanOrEqual(seen);
        seen = now;
      }
    }),
  );
});
