import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Queryable } from '../../store/database/database.ts';
import { createOrderNumbers } from './order-numbers.ts';

/** A sequence that records each request; unless open, it answers only when the test releases it. */
function createSequence({ isOpen = true } = {}) {
  let last = 100_000;
  const asked: number[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const query = async (_statement: unknown, [count = 0]: readonly unknown[] = []) => {
    asked.push(Number(count));
    if (!isOpen) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    return Array.from({ length: Number(count) }, () => ({ number: String((last += 1)) }));
  };
  return { db: { query } as Queryable, asked, waiting };
}

test('no number is issued twice, even when batches ask concurrently', async () => {
  const { db } = createSequence();
  const { take } = createOrderNumbers(db);
  const first = await take(1);
  // The large batch must fetch more while the small ones use up the rest of the first.
  const batches = await Promise.all([50, 1, 2, 2_000, 7].map(take));
  expect(batches.map((batch) => batch.length)).toEqual([50, 1, 2, 2_000, 7]);
  expect(new Set([...first, ...batches.flat()]).size).toBe(2_061);
});

test('numbers are prefetched before they run out, in one request, and issued in order', async () => {
  const { db, asked, waiting } = createSequence({ isOpen: false });
  const { take } = createOrderNumbers(db);
  const first = take(10);
  waiting.shift()?.resolve();
  expect((await first)[0]).toBe('100001');
  expect([await take(10), await take(10)].flat()).toHaveLength(20);
  // Ten are left and a fetch is in progress: the next ten don't wait for it.
  expect(asked).toEqual([40, 40]);
  expect((await take(10)).at(-1)).toBe('100040');
  const next = take(10);
  waiting.shift()?.resolve();
  expect((await next)[0]).toBe('100041');
  expect(asked).toEqual([40, 40]);
});

test('single orders do not fetch one number each', async () => {
  const { db, asked } = createSequence();
  const { take } = createOrderNumbers(db);
  for (let order = 0; order < 100; order += 1) await take(1);
  expect(asked.length).toBeLessThan(10);
});

test('a failed prefetch is not reported; the caller who needs a number retries and gets the error', async () => {
  const { db, waiting } = createSequence({ isOpen: false });
  const { take } = createOrderNumbers(db);
  const first = take(10);
  waiting.shift()?.resolve();
  await first;
  await take(10);
  await take(10);
  waiting.shift()?.reject(new Error('cut off'));
  await setImmediate();
  expect(await take(10)).toHaveLength(10);
  const refused = take(10);
  waiting.shift()?.reject(new Error('still cut off'));
  await expect(refused).rejects.toThrow('still cut off');
  const last = take(10);
  waiting.shift()?.resolve();
  expect(await last).toHaveLength(10);
});
