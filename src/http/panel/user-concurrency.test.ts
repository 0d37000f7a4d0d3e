import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../platform.ts';
import { createUserTurns } from './user-concurrency.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends `count` concurrent requests of a user and records which of them started. */
function sendMany(turns: ReturnType<typeof createUserTurns>, userId: string, count: number) {
  const client = new AbortController();
  const begun: boolean[] = [];
  for (let index = 0; index < count; index += 1) {
    void turns.enter(userId, client.signal).then((mayRun) => begun.push(mayRun));
  }
  return { begun, disconnect: () => client.abort() };
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('a page’s requests run four at a time, and the others start as those end', async () => {
  const turns = createUserTurns(systemClock);
  const { begun } = sendMany(turns, 'ada', 8);
  await settle();
  expect(begun).toEqual([true, true, true, true]);
  turns.leave('ada');
  await settle();
  expect(begun).toHaveLength(5);
});

test('one user never waits for another', async () => {
  const turns = createUserTurns(systemClock);
  sendMany(turns, 'script', 80);
  expect(await turns.enter('ada', new AbortController().signal)).toBe(true);
});

test('a script’s requests run one at a time with pauses while more are queued than a page would send', async () => {
  const turns = createUserTurns(systemClock);
  const { begun } = sendMany(turns, 'script', 50);
  await settle();
  expect(begun).toHaveLength(4);
  vi.advanceTimersByTime(10);
  for (let count = 0; count < 4; count += 1) turns.leave('script');
  // All slots rest for 199 times the 10 ms that the requests took.
  await vi.advanceTimersByTimeAsync(1_989);
  expect(begun).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(5);
  while (begun.length < 35) {
    turns.leave('script');
    await vi.advanceTimersByTimeAsync(3_000);
  }
  // 16 are waiting: from now on they are treated like a page's requests.
  expect(begun.length).toBeGreaterThan(35);
});

test('with a hundred requests queued, another one is refused at once', async () => {
  const turns = createUserTurns(systemClock);
  const { begun } = sendMany(turns, 'script', 105);
  await settle();
  expect(begun).toEqual([true, true, true, true, false]);
});

test('once a script disconnects, its queued requests no longer delay the user’s page', async () => {
  const turns = createUserTurns(systemClock);
  const script = sendMany(turns, 'ada', 104);
  await settle();
  for (let count = 0; count < 4; count += 1) turns.leave('ada');
  script.disconnect();
  await settle();
  expect(script.begun).toEqual([true, true, true, true, ...Array<boolean>(100).fill(false)]);
  const page = sendMany(turns, 'ada', 6);
  await settle();
  expect(page.begun).toEqual([true, true, true, true]);
});

test('streams are counted separately', () => {
  const turns = createUserTurns(systemClock);
  for (let count = 0; count < 32; count += 1) expect(turns.openStream('ada')).toBe(true);
  expect(turns.openStream('ada')).toBe(false);
  expect(turns.openStream('bob')).toBe(true);
  turns.closeStream('ada');
  expect(turns.openStream('ada')).toBe(true);
});
