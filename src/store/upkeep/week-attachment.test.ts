import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { makeComingWeeks } from '../../actions/upkeep/keep-history.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import { createLog } from '../../runtime/log.ts';
import { asQueryable, DatabaseUnavailable, openDatabase, type Database, type Queryable } from '../database/database.ts';
import { addFence, attachFencedWeek, validateFence } from './week-attachment.ts';
import { addWeek, listWeeks, weekOf } from './history.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const { startsAt: THIS_WEEK } = weekOf(NOW);
const NEXT_WEEK = THIS_WEEK + 7 * DAY_MS;

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

beforeEach(async () => {
  for (const week of await listWeeks(db, 'order_history')) {
    await db.query(`drop table order_history_w${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`);
  }
  await db.query('truncate order_history');
});

async function addNote(at: number): Promise<string | undefined> {
  const [row] = await db.query<{ partition: string }>(
    `insert into order_history (order_id, at, kind, actor) values (gen_random_uuid(), $1, 'k', 'a')
     returning tableoid::regclass::text as partition`,
    [new Date(at).toISOString()],
  );
  return row?.partition;
}

const makeWeeks = () =>
  makeComingWeeks({
    db,
    clock: { now: () => NOW, monotonicMs: () => NOW },
    log: createLog(() => undefined),
  });

const listFences = () =>
  db.query(`select conname from pg_constraint where conrelid = 'order_history_rest'::regclass and contype = 'c'`);

/** PostgreSQL's messages about the default partition while it runs the statements. */
async function listScans(work: (tx: Queryable) => Promise<unknown>): Promise<string[]> {
  const client = new Client({ connectionString: testDatabase.url });
  const messages: string[] = [];
  client.on('notice', ({ message }) => messages.push(message ?? ''));
  await client.connect();
  try {
    await client.query('set client_min_messages = debug1');
    await client.query('begin');
    await work(asQueryable(client));
    await client.query('commit');
  } finally {
    await client.end();
  }
  return messages.filter((message) => message.startsWith('verifying table "order_history_rest"'));
}

test('a week is attached without scanning rows of other weeks in the default partition', async () => {
  await addNote(NOW - 30 * DAY_MS);
  const week = { startsAt: NEXT_WEEK, beginsAt: NEXT_WEEK };
  await db.transaction((tx) => addFence(tx, 'order_history', week));
  await db.transaction((tx) => validateFence(tx, 'order_history', week));
  expect(await listScans((tx) => attachFencedWeek(tx, 'order_history', week))).toEqual([]);
  expect(await listFences()).toEqual([]);
  expect(await addNote(NEXT_WEEK)).toBe('order_history_w20260309');
});

test('control: without the fence PostgreSQL scans the default partition', async () => {
  await addNote(NOW - 30 * DAY_MS);
  expect(await listScans((tx) => addWeek(tx, 'order_history', NEXT_WEEK))).toHaveLength(1);
});

test('control: without a validated fence no week is attached', async () => {
  await addNote(NOW - 30 * DAY_MS);
  const week = { startsAt: NEXT_WEEK, beginsAt: NEXT_WEEK };
  await db.transaction((tx) => addFence(tx, 'order_history', week));
  expect(await db.transaction((tx) => attachFencedWeek(tx, 'order_history', week))).toBe(false);
});

test('writers are not blocked while the default partition is scanned', async () => {
  await addNote(NOW - 30 * DAY_MS);
  const week = { startsAt: NEXT_WEEK, beginsAt: NEXT_WEEK };
  await db.transaction((tx) => addFence(tx, 'order_history', week));
  await db.transaction(async (tx) => {
    await validateFence(tx, 'order_history', week);
    // Uses another connection, while the scan's lock is still held.
    expect(await addNote(NOW)).toBe('order_history_rest');
  });
});

test('the current week starts after its rows in the default partition, and earlier rows are accepted', async () => {
  await addNote(NOW);
  await makeWeeks();
  expect(await listWeeks(db, 'order_history')).toEqual([0, 7, 14, 21].map((days) => THIS_WEEK + days * DAY_MS));
  expect(await listFences()).toEqual([]);
  expect(await addNote(NOW + 4 * MINUTE_MS)).toBe('order_history_rest');
  expect(await addNote(NOW + 5 * MINUTE_MS)).toBe('order_history_w20260302');
});

test('a week that contains rows from a wrong clock starts after those rows', async () => {
  const wrong = NEXT_WEEK + DAY_MS;
  await addNote(wrong);
  await makeWeeks();
  expect(await addNote(wrong)).toBe('order_history_rest');
  expect(await addNote(wrong + 1)).toBe('order_history_w20260309');
});

test('a fence left by an interrupted attempt is replaced', async () => {
  await addNote(NOW - 30 * DAY_MS);
  await db.transaction((tx) => addFence(tx, 'order_history', { startsAt: THIS_WEEK, beginsAt: THIS_WEEK }));
  // A clock that jumped over the start of a fence: the caller tries again, and gets no internal error.
  const refused = await addNote(NOW).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DatabaseUnavailable);
  expect(String(refused)).toContain('fence_20260302');
  await makeWeeks();
  expect(await listFences()).toEqual([]);
  expect(await addNote(NOW)).toBe('order_history_rest');
});
