// Adds a week to a table whose default partition holds rows, without blocking writers during a scan of them.
//
// When a partition is attached, PostgreSQL scans the default partition under ACCESS EXCLUSIVE, unless a validated check
// constraint proves that none of its rows belongs there. So that constraint (the fence) comes first: it is added
// without reading rows, validated while others write, and removed again by the transaction that attaches the week.
// While a fence exists, a row of its week has no partition to go to. So the fence begins after the newest such row and,
// in the current week, some minutes ahead of the clock.
import type { Instant } from '../../domain/time.ts';
import { FENCE_PREFIX, type Queryable } from '../database/database.ts';
import {
  attachWeek,
  dayOf,
  REST_SCAN_TIMEOUT_MS,
  TABLES,
  waitBriefly,
  WEEK_MS,
  type HistoryTable,
  type WeekBounds,
} from './history.ts';
import { toTimestamp } from '../database/timestamps.ts';

export async function isRestEmpty(db: Queryable, table: HistoryTable): Promise<boolean> {
  const [row] = await db.query<{ bytes: string }>('select pg_relation_size($1::regclass) as bytes', [`${table}_rest`]);
  return Number(row?.bytes) === 0;
}

/** Null if the default partition holds no row of that week. */
export async function findNewestInRest(tx: Queryable, table: HistoryTable, startsAt: Instant): Promise<Instant | null> {
  const at = TABLES[table];
  await tx.query(`set local statement_timeout = ${REST_SCAN_TIMEOUT_MS}`);
  const [row] = await tx.query<{ newest: Instant | null }>(
    {
      text: `select max(${at}) as newest from ${table}_rest where ${at} >= $1 and ${at} < $2`,
      timeoutMs: REST_SCAN_TIMEOUT_MS,
    },
    [toTimestamp(startsAt), toTimestamp(startsAt + WEEK_MS)],
  );
  return row?.newest ?? null;
}

/** Replaces the fence of an unfinished attempt. Reads no rows. */
export async function addFence(tx: Queryable, table: HistoryTable, week: WeekBounds): Promise<void> {
  const at = TABLES[table];
  const [from, to] = [toTimestamp(week.beginsAt), toTimestamp(week.startsAt + WEEK_MS)];
  await removeFences(tx, table, week.startsAt);
  await tx.query(
    `alter table ${table}_rest add constraint ${fenceOf(week)}
     check (${at} is null or ${at} < '${from}' or ${at} >= '${to}') not valid`,
  );
}

/** Reads every row of the default partition, under a lock that allows writes. */
export async function validateFence(tx: Queryable, table: HistoryTable, week: WeekBounds): Promise<void> {
  await waitBriefly(tx);
  await tx.query(`set local statement_timeout = ${REST_SCAN_TIMEOUT_MS}`);
  await tx.query({
    text: `alter table ${table}_rest validate constraint ${fenceOf(week)}`,
    timeoutMs: REST_SCAN_TIMEOUT_MS,
  });
}

/** False if another node has replaced the fence. Without it PostgreSQL would scan, so nothing is attached. */
export async function attachFencedWeek(tx: Queryable, table: HistoryTable, week: WeekBounds): Promise<boolean> {
  const fences = await tx.query<{ convalidated: boolean }>(
    'select convalidated from pg_constraint where conrelid = $1::regclass and conname = $2',
    [`${table}_rest`, fenceOf(week)],
  );
  if (fences[0]?.convalidated !== true) return false;
  await waitBriefly(tx);
  await attachWeek(tx, table, week);
  await removeFences(tx, table, week.startsAt);
  return true;
}

export async function removeFences(tx: Queryable, table: HistoryTable, startsAt: Instant): Promise<void> {
  const fences = await tx.query<{ name: string }>(
    'select conname as name from pg_constraint where conrelid = $1::regclass and starts_with(conname, $2)',
    [`${table}_rest`, fencePrefixOf(startsAt)],
  );
  await waitBriefly(tx);
  for (const { name } of fences) await tx.query(`alter table ${table}_rest drop constraint ${name}`);
}

function fenceOf({ startsAt, beginsAt }: WeekBounds): string {
  // The name contains the start time, so that an attempt recognizes its own fence.
  return `${fencePrefixOf(startsAt)}${beginsAt}`;
}

function fencePrefixOf(startsAt: Instant): string {
  return `${FENCE_PREFIX}${dayOf(startsAt)}_`;
}
