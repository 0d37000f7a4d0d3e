// Backup drill: fill a database, back it up during writes, restore it elsewhere and compare.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { BackupError } from './format.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write.ts';

const KEY_CHECK = randomBytes(24);
let folder: string;
let file: string;
let source: TestDatabase;
let target: TestDatabase;
let from: Database;
let into: Database;

async function openBoth(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-backup-'));
  file = path.join(folder, 'backup.gz');
  [source, target] = [await createTestDatabase(), await createTestDatabase()];
  [from, into] = [openDatabase({ url: source.url }), openDatabase({ url: target.url })];
  await fill();
}

async function closeBoth(): Promise<void> {
  await Promise.all([from.close(), into.close()]);
  await Promise.all([source.drop(), target.drop(), rm(folder, { recursive: true })]);
}

const RESTAURANT = '01890000-0000-7000-8000-000000000001';

/** Rows with everything that could be lost: bytes, unusual numbers and text, nulls, microseconds. */
async function fill(): Promise<void> {
  await from.query('insert into installation (key_check) values ($1)', [KEY_CHECK]);
  await from.query(
    `insert into restaurants (id, provider_restaurant_id, name, time_zone, latitude, longitude, opening_hours, created_at)
     values ($1, 'R1', $2, 'UTC', 41.008240000000001, -0.1, '{"weekly": []}', '2026-03-01 10:00:00.123456+03')`,
    [RESTAURANT, 'Quote " backslash \\ newline \n tab \t null \\N emoji 🥙 {brace}'],
  );
  await from.query('insert into event_counters (restaurant_id, last_sequence) values ($1, 3)', [RESTAURANT]);
  await from.query(
    `insert into webhook_secrets (id, restaurant_id, state, sealed_secret, created_at)
     values (gen_random_uuid(), $1, 'active', '\\x0001ff5c0a', now())`,
    [RESTAURANT],
  );
  await from.query(
    `insert into audit_entries (at, actor, restaurant_id, action, detail)
     select now(), 'x', $1, 'a' || n, jsonb_build_object('n', n) from generate_series(1, 2500) n`,
    [RESTAURANT],
  );
  await from.query('insert into nodes (backend_pid) values (1)');
  await from.query(`insert into rate_windows values ($1, now(), 5)`, [RESTAURANT]);
  await placeOrders(1, 200);
}

/** Each order with its event and its delivery in one transaction, as the service does it. */
async function placeOrders(first: number, last: number): Promise<void> {
  await from.query(
    `with placed as (
       insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
         warnings, issues, created_at)
       select gen_random_uuid(), $1, 'o' || n, nextval('order_numbers'), 'NEW', 1, clock_timestamp(),
         ('{"z":1e300, "a" : "x\\u00e9", "pad": "' || repeat('y', 2000) || '"}')::json, '[]', '[]', now()
       from generate_series($2::int, $3::int) n returning id, order_number
     ), announced as (
       insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor,
         occurred_at, body)
       select gen_random_uuid(), $1, order_number, id, 1, 'order.status_changed', 'NEW', 'VALIDATED', 'system', now(),
         '{"event":"order.status_changed"}' from placed returning id, order_id
     )
     insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, occurred_at)
     select id, $1, 'status', order_id, 1, now(), 1, now() from announced`,
    [RESTAURANT, first, last],
  );
}

const backUp = () => writeBackup({ url: source.url, file, now: Date.parse('2026-03-01'), onProgress: () => undefined });
const isRightKey = (keyCheck: Buffer) => keyCheck.equals(KEY_CHECK);
const restore = (opensKeyCheck = isRightKey) =>
  restoreBackup({ url: target.url, file, opensKeyCheck, onProgress: () => undefined });

const TABLES = [
  'installation',
  'restaurants',
  'event_counters',
  'webhook_secrets',
  'audit_entries',
  'orders',
  'events',
];

/** History across several weeks, including the last microsecond of one and the first of the next. */
async function fillWeeks(): Promise<void> {
  const times = ['2025-12-31 23:59:59.999999+00', '2026-01-04 23:59:59.999999+00', '2026-01-05 00:00:00+00'];
  for (const at of times) {
    await from.query(
      `with event as (
         insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor,
           occurred_at, body)
         values (gen_random_uuid(), $1, 1, gen_random_uuid(), 1, 'order.status_changed', 'NEW', 'VALIDATED', 'system',
           $2, '{}') returning id
       ), note as (
         insert into order_history (order_id, at, kind, actor) select id, $2, 'k', 'a' from event
       )
       insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at)
       select id, $1, 'status', 1, 'delivered', $2, $2 from event`,
      [RESTAURANT, at],
    );
  }
}

async function listPartitions(db: Database, table: string): Promise<{ partition: string; rows: number }[]> {
  return db.query(
    `select tableoid::regclass::text as partition, count(*)::int as rows from ${table} group by 1 order by 1`,
  );
}

/** One hash per table, over the text of its rows. */
async function summarize(db: Database): Promise<Record<string, string>> {
  const summary: Record<string, string> = {};
  for (const table of TABLES) {
    const [row] = await db.query<{ hash: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${table} t`,
    );
    summary[table] = row?.hash ?? '';
  }
  return summary;
}

async function isEmpty(db: Database): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(
    `select ((select count(*) from restaurants) + (select count(*) from orders) + (select count(*) from audit_entries)
      + (select count(*) from installation))::int as count`,
  );
  return row?.count === 0;
}

describe('a backup', () => {
  beforeEach(openBoth);
  afterEach(closeBoth);

  test('restores every row and sequence, without leases of dead nodes', async () => {
    const written = await backUp();
    const restored = await restore();
    expect(restored).toEqual({ rows: written.rows, tables: written.tables, createdAt: '2026-03-01T00:00:00.000Z' });
    expect(written.tables).toMatchObject({ orders: 200, audit_entries: 2500, deliveries: 200 });
    expect(await summarize(into)).toEqual(await summarize(from));
    expect(await into.query('select from deliveries where leased_by is null and due_at is not null')).toHaveLength(200);
    expect(await into.query('select from nodes')).toHaveLength(0);
    expect(await into.query('select from rate_windows')).toHaveLength(0);
    // The next values continue from the source's.
    const next = async (db: Database) => [
      await db.query(`select nextval('order_numbers')`),
      await db.query(`insert into audit_entries (at, actor, action) values (now(), 'x', 'y') returning id`),
      await db.query(`insert into nodes (backend_pid) values (1) returning id`),
    ];
    expect(await next(into)).toEqual(await next(from));
  });

  test('is restored into weekly partitions, and the default partitions stay empty', async () => {
    await fillWeeks();
    // Control: without weeks created in advance, all rows are in the default partitions.
    expect((await listPartitions(from, 'attempts')).map(({ partition }) => partition)).toEqual(['attempts_rest']);
    await backUp();
    await restore();
    for (const table of ['attempts', 'order_history']) {
      expect(await listPartitions(into, table)).toEqual([
        { partition: `${table}_w20251229`, rows: 2 },
        { partition: `${table}_w20260105`, rows: 1 },
      ]);
    }
    const ofEvents = await listPartitions(into, 'events');
    expect(ofEvents.map(({ partition }) => partition)).not.toContain('events_rest');
    expect(ofEvents.reduce((sum, { rows }) => sum + rows, 0)).toBe(203);
    expect(await summarize(into)).toEqual(await summarize(from));
  });

  test('taken while orders arrive is consistent: no order without its event and delivery', async () => {
    let placed = 200;
    // Before each table is read, another order is placed with its event and its delivery.
    const onProgress = async () => {
      placed += 1;
      await placeOrders(placed, placed);
    };
    await writeBackup({ url: source.url, file, now: 0, onProgress });
    expect(placed).toBeGreaterThan(210);
    await restore();
    const [row] = await into.query<{ orders: number; complete: number; numbers: string; next: string }>(
      `select count(*)::int as orders, count(d.event_id)::int as complete, max(o.order_number) as numbers,
         nextval('order_numbers') as next
       from orders o left join events e on e.order_id = o.id left join deliveries d on d.event_id = e.id`,
    );
    expect(row).toMatchObject({ orders: 200, complete: 200 });
    expect(Number(row?.next)).toBeGreaterThan(Number(row?.numbers));
  });

  test('is readable only by its owner and never overwrites a file', async () => {
    await backUp();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const bytes = await readFile(file);
    await expect(backUp()).rejects.toThrow('already exists');
    expect(await readFile(file)).toEqual(bytes);
  });

  test('that cannot be finished leaves nothing behind', async () => {
    const url = source.url.replace(/waybill_test_\w+/, 'postgres');
    await expect(writeBackup({ url, file, now: 0, onProgress: () => undefined })).rejects.toThrow('installation');
    expect(await readdir(folder)).toEqual([]);
    await expect(
      writeBackup({ url: source.url, file: path.join(folder, 'no', 'such'), now: 0, onProgress: () => undefined }),
    ).rejects.toThrow('ENOENT');
  });

  test('a restore into a non-empty database is refused and changes nothing', async () => {
    await backUp();
    await into.query(`insert into couriers (id, name, created_at) values (gen_random_uuid(), 'Ada', now())`);
    await expect(restore()).rejects.toThrow('not empty (table couriers)');
    expect(await into.query('select name from couriers')).toEqual([{ name: 'Ada' }]);
  });

  test('a restore works into a database where the service started once', async () => {
    await backUp();
    await into.query('insert into installation (key_check) values ($1)', [KEY_CHECK]);
    await restore();
    expect(await summarize(into)).toEqual(await summarize(from));
  });
});

describe('a damaged or foreign backup is refused and leaves the database empty', () => {
  let bytes: Buffer;

  // One source and one target are enough for all of these tests: a refusal leaves the target unchanged.
  beforeAll(async () => {
    await openBoth();
    await backUp();
    bytes = await readFile(file);
  });
  beforeEach(() => writeFile(file, bytes));
  afterAll(closeBoth);

  /** Rewrites the lines inside the file; the gzip format stays valid. */
  async function alter(change: (lines: string[]) => string[]): Promise<void> {
    const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
    const altered = change(lines);
    expect(altered).not.toEqual(lines);
    await writeFile(file, gzipSync(`${altered.join('\n')}\n`));
  }

  async function findRefusal(opensKeyCheck = isRightKey): Promise<string> {
    const error = await restore(opensKeyCheck).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(BackupError);
    expect(await isEmpty(into)).toBe(true);
    return error instanceof Error ? error.message : '';
  }

  test.each([0.1, 0.5, 0.9, 0.999])('when it is truncated at %d of its length', async (part) => {
    await writeFile(file, bytes.subarray(0, Math.floor(bytes.length * part)));
    expect(await findRefusal()).toContain('damaged');
  });

  test('when a line is missing', async () => {
    await alter((lines) => lines.toSpliced(100, 1));
    expect(await findRefusal()).toContain('damaged');
  });

  test('when the last line is missing', async () => {
    await alter((lines) => lines.slice(0, -1));
    expect(await findRefusal()).toContain('damaged');
  });

  test('when one character of a row is changed', async () => {
    await alter((lines) => {
      const index = lines.findIndex((line) => line.includes('"a17"'));
      return lines.with(index, lines[index]?.replace('"a17"', '"a71"') ?? '');
    });
    expect(await findRefusal()).toContain('damaged');
  });

  test('when a row cannot be stored', async () => {
    await alter((lines) => lines.map((line) => line.replace('"NEW"', '"NOWHERE"')));
    expect(await findRefusal()).toContain('damaged');
  });

  test('when data follows the end', async () => {
    await alter((lines) => [...lines, '[]']);
    expect(await findRefusal()).toContain('damaged');
  });

  test('when it is not a backup', async () => {
    await writeFile(file, gzipSync('{"format":"something else"}\n'));
    expect(await findRefusal()).toContain('not a backup');
    await writeFile(file, 'plain text');
    expect(await findRefusal()).toContain('damaged');
    await rm(file);
    expect(await findRefusal()).toContain('cannot be read');
  });

  test('when it was made with a different schema', async () => {
    await alter(([header = '', ...rest]) => [header.replace('0001_', '0000_'), ...rest]);
    expect(await findRefusal()).toContain('another version of Waybill');
  });

  test('when the master key is different', async () => {
    expect(await findRefusal(() => false)).toContain('a different master key');
  });

  test('control: recompressed without a change, it is restored', async () => {
    await writeFile(file, gzipSync(gunzipSync(bytes)));
    await restore();
    expect(await summarize(into)).toEqual(await summarize(from));
  });
});
