import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/database.ts';
import { plainArray, textArray } from './array-parameter.ts';
import { openDatabase, type Database } from './database.ts';

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
});

afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

test('a text of any kind arrives as it was given, and so does the absence of one', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  const odd = fc.constantFrom('', 'NULL', 'null', '{', '}', ',', '"', '\\', '\\"', ' a ', '\n', "'", '🍜');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(text, odd, fc.constant(null))), async (values) => {
      const [row] = await db.query<{ got: (string | null)[] }>('select $1::text[] as got', [textArray(values)]);
      expect(row?.got).toEqual(values);
    }),
    { numRuns: 200 },
  );
});

test('numbers, truths and ids arrive as they were given', async () => {
  const [row] = await db.query<{ floats: number[]; flags: boolean[]; ids: (string | null)[] }>(
    'select $1::float8[] as floats, $2::boolean[] as flags, $3::uuid[] as ids',
    [
      plainArray([1772355600123, 0.5, -3]),
      plainArray([true, false]),
      plainArray(['0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f12', null]),
    ],
  );
  expect(row).toEqual({
    floats: [1772355600123, 0.5, -3],
    flags: [true, false],
    ids: ['0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f12', null],
  });
});
