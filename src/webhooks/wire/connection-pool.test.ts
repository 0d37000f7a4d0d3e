import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../platform.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { Share, Waiter } from './origins.ts';

function createPool(maxPerOrigin?: number): ConnectionPool {
  return new ConnectionPool({ clock: systemClock, maxPerOrigin });
}

function shareOf(pool: ConnectionPool, name: string, tenant = 'tenant'): Share {
  return pool.shareOf({ hostname: `${name}.example`, port: 443, isSpecial: false }, tenant);
}

/** A request that gets its turn and does nothing with it. */
const someone = (): Waiter => ({ isUrgent: false, onTurn: () => false });

/** Queues this many waiters for each share, and records which share gets each connection. */
function queueUp(pool: ConnectionPool, shares: readonly Share[], count: number): Share[] {
  const served: Share[] = [];
  for (const share of shares) {
    for (let index = 0; index < count; index += 1) {
      const waiter: Waiter = {
        isUrgent: false,
        onTurn: () => {
          if (!pool.takeSlot(share, waiter)) throw new Error('a turn came without a slot');
          pool.noteDialed(share.origin);
          return served.push(share) > 0;
        },
      };
      pool.wait(share, waiter);
    }
  }
  return served;
}

test('new connections start one after another, even when many are wanted at once', async () => {
  const pool = createPool();
  const shares = ['a', 'b', 'c'].map((name) => shareOf(pool, name));
  expect(shares.map((share) => pool.takeSlot(share, someone()))).toEqual([true, false, false]);
  // A slot that becomes free does not shorten the pause.
  const served = queueUp(pool, shares, 1);
  pool.giveUp((shares[0] as Share).origin);
  expect(served).toEqual([]);
  await expect.poll(() => served.length).toBe(3);
  expect(pool.openCount).toBe(3);
});

test('under high demand the pause between new connections shrinks until none has to wait', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool();
  const shares = Array.from({ length: 200 }, (_, index) => shareOf(pool, `a${index}`));
  pool.takeSlot(shareOf(pool, 'first'), someone());
  const served = queueUp(pool, shares, 1);
  const serveFor = (ms: number): number => {
    const before = served.length;
    vi.advanceTimersByTime(ms);
    return served.length - before;
  };
  expect(serveFor(100)).toBe(20);
  expect(serveFor(100)).toBeGreaterThan(45);
  serveFor(1_000);
  expect(served).toHaveLength(200);
  pool.takeSlot(shareOf(pool, 'later'), someone());
  const last = queueUp(pool, [shareOf(pool, 'last')], 1);
  vi.advanceTimersByTime(4);
  expect(last).toHaveLength(0);
});

test('connections opened together are replaced one after another, each within a minute', () => {
  const pool = createPool();
  const lives = Array.from({ length: 400 }, () => pool.nextLifeMs());
  const bySecond = Map.groupBy(lives, (life) => Math.floor(life / 1000));
  expect(Math.max(...lives)).toBeLessThanOrEqual(60_000);
  expect(Math.max(...[...bySecond.values()].map((some) => some.length))).toBeLessThan(25);
});

test('endpoints take turns for new connections, and silent ones barely delay the others', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool();
  const silent = ['a', 'b', 'c', 'd'].map((name) => shareOf(pool, name));
  for (const share of silent) share.isSilent = true;
  const others = ['e', 'f', 'g'].map((name) => shareOf(pool, name));
  for (const share of [silent[0], others[0]]) {
    pool.takeSlot(share as Share, someone());
    pool.noteDialed((share as Share).origin);
  }
  const served = queueUp(pool, [...silent, ...others], 2);
  vi.advanceTimersByTime(4_000);
  expect(served).toHaveLength(14);
  expect(served.filter((share) => share.isSilent)).toEqual([...silent, ...silent]);
  expect(served.filter((share) => !share.isSilent)).toEqual([...others, ...others]);
  expect(served.slice(0, 6).filter((share) => share.isSilent).length).toBeLessThan(3);
});

test('each of many silent endpoints gets a turn within a minute', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool();
  const silent = Array.from({ length: 600 }, (_, index) => shareOf(pool, `a${index}`));
  for (const share of silent) share.isSilent = true;
  pool.takeSlot(silent[0] as Share, someone());
  const served = queueUp(pool, silent, 2);
  vi.advanceTimersByTime(61_000);
  expect(new Set(served).size).toBe(600);
});

test('an endpoint that turned silent while requests waited, or recovered, still gets its turns', async () => {
  const pool = createPool();
  const share = shareOf(pool, 'a');
  pool.takeSlot(share, someone());
  const served = queueUp(pool, [share], 3);
  share.isSilent = true;
  pool.giveUp(share.origin);
  expect(served).toHaveLength(1);
  share.isSilent = false;
  await expect.poll(() => served.length).toBe(3);
});

test('an endpoint gets no second connection before its first is made, then twice as many each round', async () => {
  const pool = createPool();
  const share = shareOf(pool, 'a');
  let begun = 0;
  for (let index = 0; index < 10; index += 1) {
    const waiter: Waiter = { isUrgent: false, onTurn: () => pool.takeSlot(share, waiter) && ++begun > 0 };
    pool.wait(share, waiter);
  }
  // Each pause ends with one dial that is allowed. After two dials of others, every allowed waiter here has dialed too.
  let strangers = 0;
  const passTurns = async (): Promise<void> => {
    const others = ['b', 'c'].map((name) => shareOf(pool, `${name}${(strangers += 1)}`));
    const served = queueUp(pool, others, 1);
    pool.takeSlot(shareOf(pool, `d${strangers}`), someone());
    await expect.poll(() => served.length).toBe(2);
  };
  await passTurns();
  expect(begun).toBe(1);
  for (const expected of [2, 4, 8]) {
    for (let made = share.origin.dialingCount; made > 0; made -= 1) pool.noteDialed(share.origin);
    await expect.poll(() => begun).toBe(expected);
    await passTurns();
    expect(begun).toBe(expected);
  }
});

test('a request whose deadline is running waits neither for the first connection nor behind silent endpoints', async () => {
  const pool = createPool();
  const share = shareOf(pool, 'a');
  share.isSilent = true;
  pool.takeSlot(share, someone());
  const served = queueUp(pool, [share], 1);
  let isServed = false;
  const urgent: Waiter = { isUrgent: true, onTurn: () => (isServed = pool.takeSlot(share, urgent)) };
  pool.wait(share, urgent);
  pool.giveUp(share.origin);
  expect([isServed, served.length]).toEqual([true, 0]);
  await expect.poll(() => served.length).toBe(1);
});

test('on shutdown each waiting request is notified once and may keep waiting for work already started', () => {
  const pool = createPool();
  const share = shareOf(pool, 'a');
  let turns = 0;
  const stubborn = {
    isUrgent: true,
    onTurn: () => {
      turns += 1;
      pool.wait(share, stubborn);
      return true;
    },
  };
  pool.wait(share, stubborn);
  pool.releaseWaiters();
  expect(turns).toBe(1);
});

test('tenants of one host take turns, even when one of them has high demand', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool();
  const [busy, quiet] = ['busy', 'quiet'].map((tenant) => shareOf(pool, 'a', tenant)) as [Share, Share];
  pool.takeSlot(busy, someone());
  pool.noteDialed(busy.origin);
  const served = queueUp(pool, [busy], 10);
  const turns = queueUp(pool, [quiet], 1);
  vi.advanceTimersByTime(20);
  expect(served.length).toBeLessThan(10);
  expect(turns).toEqual([quiet]);
});

test('at a host with all connections busy, a tenant without any gets exactly one', () => {
  const pool = createPool(2);
  const [greedy, other] = ['greedy', 'other'].map((tenant) => shareOf(pool, 'a', tenant)) as [Share, Share];
  for (let count = 0; count < 2; count += 1) greedy.origin.uses.set(someone(), systemClock.monotonicMs());
  greedy.origin.openCount = greedy.useCount = 2;
  expect(pool.takeSlot(greedy, someone())).toBe(false);
  expect(pool.takeSlot(other, someone())).toBe(true);
  pool.noteDialed(other.origin);
  expect(pool.takeSlot(other, someone())).toBe(false);
});

test('hanging requests block only their own tenant from a connection', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool(4);
  const tenants = Array.from({ length: 12 }, (_, index) => shareOf(pool, 'a', `tenant ${index}`));
  const served = queueUp(pool, tenants, 1);
  pool.takeSlot(shareOf(pool, 'b'), someone());
  vi.advanceTimersByTime(500);
  // The maximum: twice the limit, for tenants without a connection.
  expect(served).toHaveLength(8);
  vi.advanceTimersByTime(1_500);
  expect(new Set(served).size).toBe(12);
});
