import { expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../store/database/database.ts';
import { CommitReadiness } from './commit-readiness.ts';

function setUp() {
  const state = { nowMs: 0, probes: 0, fails: false };
  const readiness = new CommitReadiness({
    clock: { monotonicMs: () => state.nowMs },
    probe: async () => {
      state.probes += 1;
      if (state.fails) throw new DatabaseUnavailable('gone');
    },
  });
  const commit = () => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const watched = readiness.watch(
      () => promise,
      (hasWritten) => hasWritten,
    );
    const end = async (finish: () => void) => {
      finish();
      await watched.catch(() => undefined);
    };
    return {
      succeed: (hasWritten = true) => end(() => resolve(hasWritten)),
      fail: (error: Error) => end(() => reject(error)),
    };
  };
  return { state, readiness, commit };
}

const READY = { isReady: true, isDoubtful: false };

test('a node is ready once a commit has succeeded, and for three seconds after it', async () => {
  const { state, readiness } = setUp();
  expect(readiness.state()).toEqual({ isReady: false, reason: 'No commit has succeeded yet' });
  await readiness.look();
  expect(readiness.state()).toEqual(READY);
  state.fails = true;
  state.nowMs = 3_000;
  await expect(readiness.look()).rejects.toThrow('gone');
  expect(readiness.state()).toEqual({ isReady: true, isDoubtful: true });
  state.nowMs = 3_001;
  expect(readiness.state()).toEqual({ isReady: false, reason: 'No commit has succeeded for 3 s' });
  state.fails = false;
  await readiness.look();
  expect(readiness.state()).toEqual(READY);
});

test('commits of orders replace probes; a repeated order that wrote nothing does not', async () => {
  const { state, readiness, commit } = setUp();
  for (state.nowMs = 0; state.nowMs < 10_000; state.nowMs += 500) {
    await commit().succeed();
    await readiness.look();
  }
  expect(state.probes).toBe(0);
  await commit().succeed(false);
  state.nowMs += 1_000;
  await readiness.look();
  expect(state.probes).toBe(1);
});

test('an order that waits makes the node unready although probes succeed, until an order succeeds', async () => {
  const { state, readiness, commit } = setUp();
  const waiting = commit();
  for (state.nowMs = 0; state.nowMs <= 3_000; state.nowMs += 1_000) await readiness.look();
  state.nowMs = 4_000;
  expect(readiness.state()).toEqual({ isReady: false, reason: 'Orders have waited for a commit for 4 s' });
  await commit().succeed();
  expect(readiness.state()).toEqual(READY);
  await waiting.fail(new DatabaseUnavailable('lock timeout'));
  await readiness.look();
  state.nowMs = 8_000;
  await readiness.look();
  expect(readiness.state()).toEqual(READY);
});

test('orders that fail again and again make the node unready; an order that the database rejects does not', async () => {
  const { state, readiness, commit } = setUp();
  for (state.nowMs = 0; state.nowMs <= 4_000; state.nowMs += 1_000) {
    await readiness.look();
    const overlapping = commit();
    await commit().fail(new DatabaseUnavailable('lock timeout'));
    if (state.nowMs < 4_000) await overlapping.fail(new DatabaseUnavailable('lock timeout'));
    else expect(readiness.state()).toMatchObject({ isReady: true });
  }
  const other = setUp();
  await other.readiness.look();
  await other.commit().fail(new Error('duplicate key'));
  other.state.nowMs = 2_900;
  expect(other.readiness.state()).toEqual(READY);
});
