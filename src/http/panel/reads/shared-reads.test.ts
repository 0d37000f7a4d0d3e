import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../platform.ts';
import { createSharedReads } from './shared-reads.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAUSE_MS = 1_000;

/** A value that changes, and how often it was read. */
function setUp() {
  const scene = { value: 1, reads: 0, isBroken: false };
  const reads = createSharedReads<number>(systemClock, PAUSE_MS);
  const read = async (): Promise<number> => {
    scene.reads += 1;
    const { value } = scene;
    if (scene.isBroken) throw new Error('broken');
    await vi.advanceTimersByTimeAsync(10);
    return value;
  };
  return { scene, get: (key = '') => reads.get(key, read) };
}

test('all waiting callers share one read, and none gets data read before it asked', async () => {
  const { scene, get } = setUp();
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  scene.value = 2;
  const later = Promise.all([get(), get()]);
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(await later).toEqual([2, 2]);
  expect(scene.reads).toBe(2);
});

test('a caller who asks during a read gets the next read', async () => {
  const { scene, get } = setUp();
  const first = get();
  await vi.waitUntil(() => scene.reads === 1);
  scene.value = 2;
  const second = get();
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
  expect([await first, await second]).toEqual([1, 2]);
});

test('there is a pause between two reads, for any number and rate of callers', async () => {
  const { scene, get } = setUp();
  for (let step = 0; step < 100; step += 1) {
    for (let page = 0; page < 20; page += 1) void get();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(scene.reads).toBeLessThanOrEqual(11);
});

test('a caller never waits for another key, or for a pause after a long idle time', async () => {
  const { get } = setUp();
  await get('one');
  const startedMs = performance.now();
  await get('other');
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await get('one');
  expect(performance.now() - startedMs).toBeLessThan(PAUSE_MS + 50);
});

test('a failed read is reported to its waiting callers and repeated for the next caller', async () => {
  const { scene, get } = setUp();
  scene.isBroken = true;
  await expect(get()).rejects.toThrow('broken');
  scene.isBroken = false;
  const again = get();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect(await again).toBe(1);
});
