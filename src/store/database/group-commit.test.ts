import { expect, test } from 'vitest';
import { DatabaseUnavailable } from './database.ts';
import { createGroup } from './group-commit.ts';

test('items that arrive together run in one batch, and each gets its own result', async () => {
  const batches: number[][] = [];
  const double = createGroup<number, number>({
    maxSize: 10,
    concurrency: 1,
    run: async (items) => {
      batches.push(items);
      return items.map((item) => item * 2);
    },
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('batches never exceed the allowed concurrency or size', async () => {
  let running = 0;
  let most = 0;
  const sizes: number[] = [];
  const run = createGroup<number, number>({
    maxSize: 4,
    concurrency: 2,
    run: async (items) => {
      running += 1;
      most = Math.max(most, running);
      sizes.push(items.length);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return items;
    },
  });
  await Promise.all(Array.from({ length: 22 }, (_, item) => run(item)));
  expect(most).toBe(2);
  expect(Math.max(...sizes)).toBe(4);
});

test('an additional batch starts only when as many items wait as are in progress', async () => {
  const started: number[][] = [];
  const release: (() => void)[] = [];
  const run = createGroup<number, number>({
    maxSize: 10,
    concurrency: 2,
    run: async (items) => {
      started.push(items);
      await new Promise<void>((resolve) => release.push(resolve));
      return items;
    },
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const first = [1, 2, 3].map(run);
  await turn();
  const second = [4, 5].map(run);
  await turn();
  expect(started).toEqual([[1, 2, 3]]);
  second.push(run(6));
  await turn();
  expect(started).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  // However few items wait, they are sent as soon as no batch is in progress.
  const third = run(7);
  for (const done of release.splice(0)) done();
  await Promise.all([...first, ...second]);
  await turn();
  expect(started.at(-1)).toEqual([7]);
  for (const done of release) done();
  await third;
});

test('an item rejected by the database fails alone', async () => {
  const run = createGroup<number, number>({
    maxSize: 10,
    concurrency: 1,
    run: async (items) => {
      if (items.includes(13)) throw new Error('refused');
      return items;
    },
  });
  const results = await Promise.allSettled([1, 13, 3].map(run));
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('when the database is unavailable, every item fails at once without individual retries', async () => {
  let runs = 0;
  const run = createGroup<number, number>({
    maxSize: 10,
    concurrency: 1,
    run: async () => {
      runs += 1;
      throw new DatabaseUnavailable('gone');
    },
  });
  const results = await Promise.allSettled([1, 2, 3].map(run));
  expect(results.every((result) => result.status === 'rejected')).toBe(true);
  expect(runs).toBe(1);
});
