import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { createPlatform } from '../../platform.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { admitRequests } from './rate-limits.ts';

const { newId } = createPlatform();
const START = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function admit(restaurantId: string, wanted: number, given: { at: number; limit?: number }): Promise<number> {
  const asked = { restaurantId, wanted, limitPerMinute: given.limit ?? 10 };
  const answers = await admitRequests(db, [asked], given.at);
  return answers.get(restaurantId)?.admitted ?? -1;
}

test('a window starts with its first request and admits exactly the limit', async () => {
  const id = newId();
  expect(await admit(id, 4, { at: START })).toBe(4);
  expect(await admit(id, 4, { at: START + 1 })).toBe(4);
  expect(await admit(id, 4, { at: START + MINUTE - 1 })).toBe(2);
  expect(await admit(id, 1, { at: START + MINUTE - 1 })).toBe(0);
  expect(await admit(id, 11, { at: START + MINUTE })).toBe(10);
});

test('waiting a minute after a refusal is always enough, regardless of attempts in between', async () => {
  const id = newId();
  await admit(id, 10, { at: START });
  for (let tries = 0; tries < 5; tries += 1) expect(await admit(id, 7, { at: START + 59_000 + tries })).toBe(0);
  expect(await admit(id, 10, { at: START + 59_000 + MINUTE })).toBe(10);
});

test('a clock that goes back an hour makes no restaurant wait an hour', async () => {
  const id = newId();
  await admit(id, 10, { at: START });
  expect(await admit(id, 1, { at: START - 60 * MINUTE })).toBe(0);
  expect(await admit(id, 1, { at: START - 60 * MINUTE + MINUTE })).toBe(1);
});

test('refused requests do not count: a raised limit applies at once', async () => {
  const id = newId();
  expect(await admit(id, 50, { at: START })).toBe(10);
  expect(await admit(id, 50, { at: START + 1, limit: 15 })).toBe(5);
  expect(await admit(id, 50, { at: START + 2, limit: 5 })).toBe(0);
});

test('restaurants do not share a window, and one statement admits many', async () => {
  const ids = Array.from({ length: 50 }, newId);
  const asked = ids.map((restaurantId, index) => ({ restaurantId, wanted: index, limitPerMinute: 20 }));
  const answers = await admitRequests(db, asked, START);
  expect(ids.map((id) => answers.get(id)?.admitted)).toEqual(ids.map((_, index) => Math.min(index, 20)));
});

test('two nodes that request the same restaurants in different order are exact and never deadlock', async () => {
  const second = openDatabase({ url: database.url });
  const ids = Array.from({ length: 20 }, newId);
  const totals = new Map<string, number>();
  const ask = async (node: Database, round: number): Promise<void> => {
    const order = round % 2 === 0 ? ids : ids.toReversed();
    const asked = order.map((restaurantId) => ({ restaurantId, wanted: 3, limitPerMinute: 100 }));
    for (const [id, { admitted }] of await admitRequests(node, asked, START + round)) {
      totals.set(id, (totals.get(id) ?? 0) + admitted);
    }
  };
  await Promise.all(Array.from({ length: 60 }, (_, round) => ask(round % 3 === 0 ? db : second, round)));
  expect([...totals.values()]).toEqual(Array(20).fill(100));
  await second.close();
});
