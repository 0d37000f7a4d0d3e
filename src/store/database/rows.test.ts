import { types } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from './database.ts';
import { openSession } from './dedicated-connection.ts';

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

test('columns get camelCase names in the order of the statement, and odd names stay as they are', async () => {
  const rows = await db.query(
    `select 1 as order_id, 2 as is_reused_connection, 3 as percentile_95, 4 as x2_ms, 5 as "QUERY PLAN", 6 as "alreadyCamel",
       7, count(*)::int from (values (1), (2)) v`,
  );
  const [row] = rows;
  expect(Object.entries(row ?? {})).toEqual([
    ['orderId', 1],
    ['isReusedConnection', 2],
    ['percentile95', 3],
    ['x2Ms', 4],
    ['QUERY PLAN', 5],
    ['alreadyCamel', 6],
    ['?column?', 7],
    ['count', 2],
  ]);
});

test('a statement without rows or without columns gives as many objects as rows', async () => {
  expect(await db.query('select 1 as order_id where false')).toEqual([]);
  expect(await db.query('select from generate_series(1, 2)')).toEqual([{}, {}]);
  expect(await db.query('set application_name to waybill')).toEqual([]);
});

test('null, bigint, boolean, bytes and arrays arrive as the driver reads them', async () => {
  const [row] = await db.query(
    `select null::timestamptz as no_time, 9007199254740993::bigint as order_number, true as is_new, '\\x0aff'::bytea as body,
       array['a', null] as some_names`,
  );
  expect(row).toEqual({
    noTime: null,
    orderNumber: '9007199254740993',
    isNew: true,
    body: Buffer.from([10, 255]),
    someNames: ['a', null],
  });
});

test.each(['json', 'jsonb'])('the content of %s keeps its names and texts', async (type) => {
  const content = { order_id: 1, nested: [{ some_name: '2026-03-01 12:00:00+00' }] };
  const [row] = await db.query(`select $1::${type} as some_content`, [JSON.stringify(content)]);
  expect(row).toEqual({ someContent: content });
});

const TIMES = [
  '1970-01-01 00:00:00+00',
  '2026-03-01 12:00:00+00',
  '2026-03-01 12:00:00.1+00',
  '2026-03-01 12:00:00.12+00',
  '2026-03-01 12:00:00.123+00',
  '2026-03-01 12:00:00.1239+00',
  '2026-03-01 12:00:00.123456+00',
  '2026-03-01 12:00:00.999999+00',
  '2024-02-29 23:59:59.001+00',
  '1969-12-31 23:59:59.9999+00',
  '1900-01-01 00:00:00.000001+00',
  '0099-12-31 23:59:59.5+00',
  '0050-02-28 01:02:03+00',
  '0001-01-01 00:00:00+00',
  '0001-12-31 23:59:59.123 BC',
  '0044-03-15 12:00:00 BC',
  '4712-01-02 00:00:00 BC',
  '9999-12-31 23:59:59.999999+00',
  '10000-01-01 00:00:00.5+00',
  '275760-09-13 00:00:00+00',
];
const ZONES = ['UTC', 'Etc/GMT+3', 'Europe/Istanbul', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland'];

test.each(ZONES)('with %s as the time zone of the connection, times are the instants of pg’s dates', async (zone) => {
  await db.transaction(async (tx) => {
    await tx.query(`select set_config('TimeZone', $1, true)`, [zone]);
    const rows = await tx.query<{ storedAt: number; asText: string; epochMs: string }>(
      `select t as stored_at, t::text as as_text, floor(extract(epoch from t) * 1000) as epoch_ms
       from unnest($1::timestamptz[]) as times(t)`,
      [TIMES],
    );
    expect(rows).toHaveLength(TIMES.length);
    const parseDate = types.getTypeParser(types.builtins.TIMESTAMPTZ);
    expect(rows.map(({ asText, storedAt }) => [asText, storedAt])).toEqual(
      rows.map(({ asText }) => [asText, Number(parseDate(asText))]),
    );
    const recent = rows.filter(({ storedAt }) => storedAt >= 0);
    expect(recent.length).toBeGreaterThan(10);
    for (const { asText, storedAt, epochMs } of recent) expect([asText, storedAt]).toEqual([asText, Number(epochMs)]);
  });
});

test('the ends of time are infinite', async () => {
  const [row] = await db.query(`select 'infinity'::timestamptz as last_at, '-infinity'::timestamptz as first_at`);
  expect(row).toEqual({ lastAt: Infinity, firstAt: -Infinity });
});

test('in array mode, times are instants too', async () => {
  const text = `select 'a' as some_name, '2026-03-01 12:00:00.123+00'::timestamptz as at, null::timestamptz as no_time`;
  expect(await db.query({ text, rowMode: 'array' })).toEqual([['a', Date.UTC(2026, 2, 1, 12, 0, 0, 123), null]]);
});

test('a named statement may be repeated, in a transaction and on a dedicated connection too', async () => {
  const statement = { name: 'read_row', text: `select 1 as some_number, to_timestamp($1) as read_at` };
  const expected = [{ someNumber: 1, readAt: 5_000 }];
  expect(await db.query(statement, [5])).toEqual(expected);
  expect(await db.query(statement, [5])).toEqual(expected);
  expect(await db.transaction((tx) => tx.query(statement, [5]))).toEqual(expected);
  const session = await openSession({ url: database.url, channels: [], onNotification: () => undefined });
  expect(await session.query(statement, [5])).toEqual(expected);
  await session.close();
});
