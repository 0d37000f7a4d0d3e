import { expect, onTestFinished, test, vi } from 'vitest';
import { DatabaseUnavailable } from '../../store/database/database.ts';
import { createDeadline } from './deadline.ts';

const LIMIT_MS = 5_000;

function openDeadline() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const deadline = createDeadline({ monotonicMs: () => Date.now() }, LIMIT_MS);
  const work = Promise.withResolvers<string>();
  const outcome = { of: 'pending' as unknown };
  deadline.limit(work.promise).then(
    (result) => (outcome.of = result),
    (error: unknown) => (outcome.of = error),
  );
  return { deadline, work, outcome };
}

test('work that is done in time is answered, and leaves no timer behind', async () => {
  const { work, outcome } = openDeadline();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  work.resolve('done');
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome.of).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that fails in time fails as it did, and leaves no timer behind', async () => {
  const { work, outcome } = openDeadline();
  const failure = new Error('broken');
  work.reject(failure);
  await vi.advanceTimersByTimeAsync(0);
  expect(outcome.of).toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that is late fails at the deadline', async () => {
  const { outcome } = openDeadline();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(outcome.of).toBe('pending');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome.of).toBeInstanceOf(DatabaseUnavailable);
});

test.each([
  ['shorter than the limit', LIMIT_MS / 2],
  ['longer than the limit', LIMIT_MS * 3],
])('a pause %s does not count', async (_, pauseMs) => {
  const { deadline, outcome } = openDeadline();
  await vi.advanceTimersByTimeAsync(1_000);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // Pauses may overlap; their time counts once.
  const paused = [deadline.pauseFor(first.promise), deadline.pauseFor(second.promise)];
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  first.resolve();
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  second.resolve();
  await Promise.all(paused);
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1_000 - 1);
  expect(outcome.of).toBe('pending');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome.of).toBeInstanceOf(DatabaseUnavailable);
});
