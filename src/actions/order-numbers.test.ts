import { expect, test } from 'vitest';
import type { Queryable } from '../store/database.ts';
import { createOrderNumbers } from './order-numbers.ts';

/** A sequence that counts how often it was asked. */
function createSequence(): { db: Queryable; asked: number[] } {
  let last = 100_000;
  const asked: number[] = [];
  const query = async (_statement: unknown, [count = 0]: readonly unknown[] = []) => {
    asked.push(Number(count));
    return Array.from({ length: Number(count) }, () => ({ number: String((last += 1)) }));
  };
  return { db: { query } as Queryable, asked };
}

test('no number is given twice, also when batches ask at the same time', async () => {
  const { db } = createSequence();
  const take = createOrderNumbers(db);
  const first = await take(1);
  // The large batch has to ask for more while the small ones take what is left of the first.
  const batches = await Promise.all([50, 1, 2, 200, 7].map(take));
  expect(batches.map((batch) => batch.length)).toEqual([50, 1, 2, 200, 7]);
  expect(new Set([...first, ...batches.flat()]).size).toBe(261);
});

test('most batches find their numbers fetched already', async () => {
  const { db, asked } = createSequence();
  const take = createOrderNumbers(db);
  for (let batch = 0; batch < 40; batch += 1) await take(10);
  expect(asked).toEqual(Array.from({ length: 10 }, () => 40));
});
