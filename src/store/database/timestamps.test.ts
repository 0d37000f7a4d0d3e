import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from './database.ts';
import { toTimestamp } from './timestamps.ts';

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

test.each([
  '1970-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '0000-12-31T23:59:59.999Z',
  '-000001-06-01T00:00:00.000Z',
  '-004711-01-02T00:00:00.000Z',
])('PostgreSQL stores %s as the same instant', async (text) => {
  const at = Date.parse(text);
  const [row] = await db.query<{ ms: string }>('select extract(epoch from $1::timestamptz) * 1000 as ms', [
    toTimestamp(at),
  ]);
  expect(Number(row?.ms)).toBe(at);
});

test('an instant before PostgreSQL’s earliest date counts as infinitely long ago', () => {
  expect(toTimestamp(Date.parse('-271821-04-20T00:00:00.000Z'))).toBe('-infinity');
  expect(toTimestamp(Date.parse('-004712-12-31T00:00:00.000Z'))).toBe('-infinity');
});
