import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { findCurrentEpochId, findSharedSequence, insertEpoch } from './epochs.ts';

const RESTAURANT = '01890000-0000-7000-8000-000000000001';
const NEW_RESTAURANT = '01890000-0000-7000-8000-000000000002';

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
  await db.query(
    `insert into restaurants (id, provider_restaurant_id, name, time_zone, created_at)
     select id, id::text, 'N', 'UTC', now() from unnest($1::uuid[]) as r(id)`,
    [[RESTAURANT, NEW_RESTAURANT]],
  );
  await db.query('insert into event_counters (restaurant_id) values ($1)', [RESTAURANT]);
});

afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

beforeEach(() => db.query('truncate epochs cascade'));

/** Begins an epoch when the restaurant has had this many events. */
async function begin(lastSequence: number): Promise<string> {
  const id = randomUUID();
  await db.query('update event_counters set last_sequence = $1', [lastSequence]);
  await db.transaction((tx) => insertEpoch(tx, { id, cause: 'restored', startedAt: 0, dataUntil: 0 }));
  return id;
}

const shared = (epochId: string | null, restaurantId = RESTAURANT) => findSharedSequence(db, { restaurantId, epochId });

test('a database that was never restored is in its first epoch', async () => {
  expect(await findCurrentEpochId(db)).toBeNull();
});

test('an earlier epoch shares events with the current one up to the lowest restore point since', async () => {
  const first = await begin(100);
  expect([await findCurrentEpochId(db), await shared(null)]).toEqual([first, 100]);
  const second = await begin(40);
  expect([await findCurrentEpochId(db), await shared(null), await shared(first)]).toEqual([second, 40, 40]);
  const third = await begin(70);
  expect([await shared(null), await shared(first), await shared(second)]).toEqual([40, 40, 70]);
  expect(await findCurrentEpochId(db)).toBe(third);
});

test('no events are shared with an unknown epoch, or for a restaurant that did not exist then', async () => {
  await begin(100);
  expect(await shared(randomUUID())).toBe(0);
  expect(await shared(null, NEW_RESTAURANT)).toBe(0);
});
