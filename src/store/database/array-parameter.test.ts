import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import {
  bigintArray,
  booleanArray,
  intArray,
  jsonArray,
  realArray,
  textArray,
  timestampArray,
  uuidArray,
} from './array-parameter.ts';
import { openDatabase, type Database } from './database.ts';

const ID = '0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f12';

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

function itself<Value>(value: Value): Value {
  return value;
}

async function expectBack<Value>(
  values: fc.Arbitrary<Value | null>,
  via: { sql: string; toArray(rows: readonly (Value | null)[], of: (row: Value | null) => Value | null): Buffer },
  read: (got: unknown) => Value | null,
): Promise<void> {
  const all = fc.array(fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) }));
  await fc.assert(
    fc.asyncProperty(all, async (given) => {
      const [row] = await db.query<{ got: unknown[] }>(`select to_json(${via.sql}) as got`, [
        via.toArray(given, itself),
      ]);
      const got = row?.got.map((value) => (value === null ? null : read(value)));
      expect(got).toEqual(given.every((value) => value === null) ? [] : given);
    }),
    { numRuns: 100 },
  );
}

test('repeated values all arrive, also after a null', async () => {
  const OTHER = ID.replace('0190', '0191').toUpperCase();
  const ids = [ID, ID, null, ID, OTHER, OTHER, ID];
  const texts = ['a', 'a', null, 'a', 'longer', 'longer', '', '', 'a'];
  const [row] = await db.query<object>('select $1::uuid[] as ids, $2::text[] as texts', [
    uuidArray(ids, itself),
    textArray(texts, itself),
  ]);
  expect(row).toEqual({ ids: ids.map((id) => id?.toLowerCase() ?? null), texts });
});

test('any text arrives unchanged, and so does null', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  const long = fc.string({ unit: 'grapheme', minLength: 35, maxLength: 60 }).map((value) => value.replaceAll('\0', ''));
  const odd = fc.constantFrom('', 'NULL', 'null', '{', '}', ',', '"', '\\', '\\"', ' a ', '\n', "'", '🍜');
  await expectBack(fc.oneof(text, long, odd), { sql: '$1::text[]', toArray: textArray }, String);
});

test('numbers arrive unchanged', async () => {
  await expectBack(fc.integer(), { sql: '$1::int[]', toArray: intArray }, Number);
  await expectBack(fc.maxSafeInteger(), { sql: '$1::bigint[]', toArray: bigintArray }, Number);
  const real = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  await expectBack(real, { sql: '$1::real[]', toArray: realArray }, (got) => Math.fround(Number(got)));
});

test('a number that is not an integer or does not fit a bigint is refused', () => {
  expect(() => bigintArray([2 ** 60], itself)).toThrow('not a safe integer');
  expect(() => bigintArray([0.5], itself)).toThrow('not a safe integer');
});

test('booleans and ids arrive unchanged', async () => {
  await expectBack(fc.boolean(), { sql: '$1::boolean[]', toArray: booleanArray }, Boolean);
  await expectBack(fc.uuid(), { sql: '$1::uuid[]', toArray: uuidArray }, String);
  const [row] = await db.query<{ got: string[] }>('select $1::uuid[] as got', [uuidArray([ID.toUpperCase()], itself)]);
  expect(row?.got).toEqual([ID]);
});

test.each(['', 'x', ID.slice(1), `${ID}0`, ID.replace('7', 'g'), ID.replace('-', '0'), `${ID.slice(0, -1)}é`])(
  'text that is not a UUID is refused: %s',
  (id) => {
    expect(() => uuidArray([id], itself)).toThrow('is not a UUID');
  },
);

test('an instant arrives with millisecond precision in every supported year', async () => {
  const instant = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  const edges = fc.constantFrom(
    ...['1714-01-01', '1999-12-31T23:59:59.999Z', '2285-06-01', '2285-12-31'].map(Date.parse),
  );
  await expectBack(
    fc.oneof(
      instant.map((date) => date.getTime()),
      edges,
    ),
    { sql: 'array(select extract(epoch from at) * 1000 from unnest($1::timestamptz[]) at)', toArray: timestampArray },
    Number,
  );
});

test('JSON arrives unchanged, given as text or as bytes', async () => {
  const written = ['{"a": 1.50, "ü": "🍜"}', '[]', null];
  const bytes = written.map((json) => (json === null ? null : Buffer.from(json)));
  for (const given of [jsonArray(written, itself), jsonArray(bytes, itself)]) {
    const [row] = await db.query<{ got: (string | null)[] }>('select $1::json[]::text[] as got', [given]);
    expect(row?.got).toEqual(written);
  }
});

test('a column of nulls takes no space', () => {
  expect(textArray([ID, ID, ID], () => null).length).toBeLessThan(intArray([1], itself).length);
});
