import { expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionPool, type Origin } from './connection-pool.ts';

function originOf(pool: ConnectionPool, name: string): Origin {
  return pool.originOf({ hostname: `${name}.example`, port: 443, isSpecial: false });
}

/** Waits for new connections, so many for each of these, and notes who gets one, in turn. */
function queueUp(pool: ConnectionPool, origins: readonly Origin[], count: number): Origin[] {
  const served: Origin[] = [];
  for (const origin of origins) {
    for (let index = 0; index < count; index += 1) {
      pool.wait(origin, {
        isUrgent: false,
        onTurn: () => {
          if (!pool.takeSlot(origin)) throw new Error('a turn came without a slot');
          pool.noteDialled(origin);
          return served.push(origin) > 0;
        },
      });
    }
  }
  return served;
}

test('new connections begin one after another, however many are wanted at once', async () => {
  const pool = new ConnectionPool({});
  const origins = ['a', 'b', 'c'].map((name) => originOf(pool, name));
  expect(origins.map((origin) => pool.takeSlot(origin))).toEqual([true, false, false]);
  // A place that becomes free does not shorten the pause.
  const served = queueUp(pool, origins, 1);
  pool.giveUp(origins[0] as Origin);
  expect(served).toEqual([]);
  await expect.poll(() => served.length).toBe(3);
  expect(pool.openCount).toBe(3);
});

test('when more connections are wanted than the pause allows, it becomes shorter until nobody has to wait', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = new ConnectionPool({});
  const origins = Array.from({ length: 200 }, (_, index) => originOf(pool, `a${index}`));
  pool.takeSlot(originOf(pool, 'first'));
  const served = queueUp(pool, origins, 1);
  const serveFor = (ms: number): number => {
    const before = served.length;
    vi.advanceTimersByTime(ms);
    return served.length - before;
  };
  expect(serveFor(100)).toBe(20);
  expect(serveFor(100)).toBeGreaterThan(45);
  serveFor(1_000);
  expect(served).toHaveLength(200);
  pool.takeSlot(originOf(pool, 'later'));
  const last = queueUp(pool, [originOf(pool, 'last')], 1);
  vi.advanceTimersByTime(4);
  expect(last).toHaveLength(0);
});

test('connections that were opened together are replaced one after another, each within a minute', () => {
  const pool = new ConnectionPool({});
  const lives = Array.from({ length: 400 }, () => pool.nextLifeMs());
  const bySecond = Map.groupBy(lives, (life) => Math.floor(life / 1000));
  expect(Math.max(...lives)).toBeLessThanOrEqual(60_000);
  expect(Math.max(...[...bySecond.values()].map((some) => some.length))).toBeLessThan(25);
});

test('endpoints take turns for new connections, and those that are silent cost the others next to nothing', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = new ConnectionPool({});
  const silent = ['a', 'b', 'c', 'd'].map((name) => originOf(pool, name));
  for (const origin of silent) origin.isSilent = true;
  const others = ['e', 'f', 'g'].map((name) => originOf(pool, name));
  for (const origin of [silent[0], others[0]]) {
    pool.takeSlot(origin as Origin);
    pool.noteDialled(origin as Origin);
  }
  const served = queueUp(pool, [...silent, ...others], 2);
  vi.advanceTimersByTime(4_000);
  expect(served).toHaveLength(14);
  expect(served.filter((origin) => origin.isSilent)).toEqual([...silent, ...silent]);
  expect(served.filter((origin) => !origin.isSilent)).toEqual([...others, ...others]);
  expect(served.slice(0, 6).filter((origin) => origin.isSilent).length).toBeLessThan(3);
});

test('however many are silent, each of them has its turn within a minute', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = new ConnectionPool({});
  const silent = Array.from({ length: 600 }, (_, index) => originOf(pool, `a${index}`));
  for (const origin of silent) origin.isSilent = true;
  pool.takeSlot(silent[0] as Origin);
  const served = queueUp(pool, silent, 2);
  vi.advanceTimersByTime(61_000);
  expect(new Set(served).size).toBe(600);
});

test('one that fell silent while others waited for it, or answers again, is not forgotten', async () => {
  const pool = new ConnectionPool({});
  const origin = originOf(pool, 'a');
  pool.takeSlot(origin);
  const served = queueUp(pool, [origin], 3);
  origin.isSilent = true;
  pool.giveUp(origin);
  expect(served).toHaveLength(1);
  origin.isSilent = false;
  await expect.poll(() => served.length).toBe(3);
});

test('nothing more is tried at an endpoint before its first connection was made, then twice as many each time', async () => {
  const pool = new ConnectionPool({});
  const origin = originOf(pool, 'a');
  let begun = 0;
  for (let index = 0; index < 10; index += 1) {
    pool.wait(origin, { isUrgent: false, onTurn: () => pool.takeSlot(origin) && ++begun > 0 });
  }
  // Whenever a pause ends, somebody begins who may: when two others have, so has everybody here who might.
  let strangers = 0;
  const passTurns = async (): Promise<void> => {
    const others = ['b', 'c'].map((name) => originOf(pool, `${name}${(strangers += 1)}`));
    const served = queueUp(pool, others, 1);
    pool.takeSlot(originOf(pool, `d${strangers}`));
    await expect.poll(() => served.length).toBe(2);
  };
  await passTurns();
  expect(begun).toBe(1);
  for (const expected of [2, 4, 8]) {
    for (let made = origin.diallingCount; made > 0; made -= 1) pool.noteDialled(origin);
    await expect.poll(() => begun).toBe(expected);
    await passTurns();
    expect(begun).toBe(expected);
  }
});

test('whoever has its time running waits neither for the first connection nor among those who do not answer', async () => {
  const pool = new ConnectionPool({});
  const origin = originOf(pool, 'a');
  origin.isSilent = true;
  pool.takeSlot(origin);
  const served = queueUp(pool, [origin], 1);
  let isServed = false;
  pool.wait(origin, { isUrgent: true, onTurn: () => (isServed = pool.takeSlot(origin, true)) });
  pool.giveUp(origin);
  expect([isServed, served.length]).toEqual([true, 0]);
  await expect.poll(() => served.length).toBe(1);
});

test('at the end, whoever waits is told once, and may go on waiting for what it has begun', () => {
  const pool = new ConnectionPool({});
  const origin = originOf(pool, 'a');
  let turns = 0;
  const stubborn = {
    isUrgent: true,
    onTurn: () => {
      turns += 1;
      pool.wait(origin, stubborn);
      return true;
    },
  };
  pool.wait(origin, stubborn);
  pool.releaseWaiters();
  expect(turns).toBe(1);
});
