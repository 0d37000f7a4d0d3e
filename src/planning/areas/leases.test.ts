import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../../store/database/database.ts';
import { AreaLeases } from './leases.ts';

const BEAT_MS = 1_500;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Question {
  name: string;
  areaIds: readonly string[];
  /** Grants everything that was requested, unless `choose` says otherwise. */
  answer(granted?: readonly string[]): void;
  fail(): void;
}

/** A database that answers when the test says so, in any order. */
function openLeases() {
  const questions: Question[] = [];
  const ask = (statement: string | { name?: string }, values: readonly unknown[] = []) =>
    new Promise<object[]>((resolve, reject) => {
      const [areaIds] = values as [readonly string[]];
      questions.push({
        name: typeof statement === 'string' ? 'release' : (statement.name ?? ''),
        areaIds,
        answer: (granted = Array.isArray(areaIds) ? areaIds : []) =>
          resolve(granted.map((id) => ({ id, isReplanWanted: false, heldBy: 'planner' }))),
        fail: () => reject(new Error('the connection is gone')),
      });
    });
  const db = { query: ask } as unknown as Database;
  const clock = { now: () => 0, monotonicMs: () => 0 };
  const onGained = vi.fn<() => void>();
  return { leases: new AreaLeases({ db, clock, newId: () => 'planner', onGained }), questions, onGained };
}

type Leases = ReturnType<typeof openLeases>;

/** The statement that follows `before` others. */
async function next({ questions }: Leases, before: number): Promise<Question> {
  await expect.poll(() => questions.length).toBeGreaterThan(before);
  const question = questions[before];
  if (question === undefined) throw new Error('nothing was asked');
  return question;
}

async function claim(opened: Leases, areaIds: string[]): Promise<void> {
  const before = opened.questions.length;
  const claimed = opened.leases.claim(areaIds);
  (await next(opened, before)).answer();
  await claimed;
}

async function answerAll(opened: Leases, isDone: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      for (const question of opened.questions.toReversed()) question.answer();
      return isDone();
    })
    .toBe(true);
}

test('an area claimed during a heartbeat is held, for either order of the answers', async () => {
  const opened = openLeases();
  await claim(opened, ['a']);
  vi.advanceTimersByTime(BEAT_MS);
  let isClaimed = false;
  void opened.leases.claim(['a', 'b']).then(() => (isClaimed = true));
  // The newest statement is answered first.
  await answerAll(opened, () => isClaimed);
  await answerAll(opened, () => opened.leases.isSafe('a'));
  expect(opened.leases.isSafe('b')).toBe(true);
});

test('a heartbeat due during a claim renews the newly claimed areas too', async () => {
  const opened = openLeases();
  await claim(opened, ['a']);
  const claimed = opened.leases.claim(['a', 'b']);
  await next(opened, 1);
  vi.advanceTimersByTime(BEAT_MS);
  opened.questions[1]?.answer();
  await claimed;
  vi.advanceTimersByTime(BEAT_MS);
  const beat = await next(opened, 2);
  expect(beat).toMatchObject({ name: 'claim_areas', areaIds: ['a', 'b'] });
});

test('a lost heartbeat is made up by the next one', async () => {
  const opened = openLeases();
  await claim(opened, ['a']);
  vi.advanceTimersByTime(BEAT_MS);
  (await next(opened, 1)).fail();
  await expect
    .poll(() => {
      vi.advanceTimersByTime(BEAT_MS);
      return opened.questions.length;
    })
    .toBe(3);
  expect(opened.questions[2]).toMatchObject({ name: 'claim_areas', areaIds: ['a'] });
});

test('a heartbeat takes over an area whose planner died, and reports it as gained', async () => {
  const opened = openLeases();
  const claimed = opened.leases.claim(['a', 'b']);
  (await next(opened, 0)).answer(['a']);
  await claimed;
  vi.advanceTimersByTime(BEAT_MS);
  const early = await next(opened, 1);
  expect(early).toMatchObject({ name: 'claim_areas', areaIds: ['a', 'b'] });
  early.answer(['a']);
  await expect
    .poll(() => {
      vi.advanceTimersByTime(BEAT_MS);
      return opened.questions.length;
    })
    .toBe(3);
  expect(opened.onGained).not.toHaveBeenCalled();
  opened.questions[2]?.answer();
  await expect.poll(() => opened.onGained.mock.calls.length).toBe(1);
  expect(opened.leases.isSafe('b')).toBe(true);
});

test('a released area is not claimed again by a heartbeat in progress', async () => {
  const opened = openLeases();
  await claim(opened, ['a']);
  vi.advanceTimersByTime(BEAT_MS);
  const beat = await next(opened, 1);
  const released = opened.leases.release();
  beat.answer();
  const release = await next(opened, 2);
  expect(release.name).toBe('release');
  release.answer();
  await released;
  expect(opened.leases.isSafe('a')).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
