// Weekly partitions of history: creating them in advance and dropping expired ones. Nothing here may delay an order, so
// locks are requested with a short timeout and rows are changed in small batches.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** The partitioned tables, and the column with each row's time. */
export const TABLES = {
  events: 'occurred_at',
  attempts: 'started_at',
  order_history: 'at',
} as const;

export type HistoryTable = keyof typeof TABLES;
export const HISTORY_TABLES = ['events', 'attempts', 'order_history'] as const satisfies readonly HistoryTable[];

export const WEEK_MS = 604_800_000;
// 5 January 1970 was a Monday.
const FIRST_MONDAY_MS = 345_600_000;
/** For one scan of a default partition of any size; it blocks nobody. */
export const REST_SCAN_TIMEOUT_MS = 120_000;
const NAME = /_w(\d{4})(\d{2})(\d{2})$/;

export function weekOf(at: Instant): { startsAt: Instant; endsAt: Instant } {
  const startsAt = Math.floor((at - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  return { startsAt, endsAt: startsAt + WEEK_MS };
}

/** Start of the week containing a time; undefined if the text is not a finite time. */
export function weekOfTimestamp(text: string): Instant | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : weekOf(at).startsAt;
}

/** The column that determines a row's week; undefined for a table without weeks. */
export function weekColumnOf(table: string): { table: HistoryTable; column: string } | undefined {
  const known = HISTORY_TABLES.find((name) => name === table);
  return known && { table: known, column: TABLES[known] };
}

/** Starts of the weeks for which a table has a partition, oldest first. */
export async function listWeeks(db: Queryable, table: HistoryTable): Promise<Instant[]> {
  const rows = await db.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by c.relname`,
    [table],
  );
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = NAME.exec(name) ?? [];
    return year === undefined ? [] : [Date.parse(`${year}-${month}-${day}T00:00:00Z`)];
  });
}

/** Scans the default partition under a lock: only if it is empty or nobody writes. Otherwise see `attachFencedWeek`. */
export async function addWeek(tx: Queryable, table: HistoryTable, startsAt: Instant): Promise<void> {
  await waitBriefly(tx);
  await attachWeek(tx, table, { startsAt, beginsAt: startsAt });
}

/** `beginsAt` is later than `startsAt` if the default partition holds rows from the first days of the week. */
export interface WeekBounds {
  startsAt: Instant;
  beginsAt: Instant;
}

/** Creating it apart from its parent blocks no writer; attaching it builds the indexes of an empty table. */
export async function attachWeek(tx: Queryable, table: HistoryTable, week: WeekBounds): Promise<void> {
  const name = nameOf(table, week.startsAt);
  await tx.query(`create table ${name} (like ${table} including defaults including constraints)`);
  await tx.query(
    `alter table ${table} attach partition ${name}
     for values from ('${toTimestamp(week.beginsAt)}') to ('${toTimestamp(week.startsAt + WEEK_MS)}')`,
  );
}

/** False if an event of that week is still being delivered: the week is kept until it has arrived. */
export async function dropWeek(tx: Queryable, table: HistoryTable, startsAt: Instant): Promise<boolean> {
  await waitBriefly(tx);
  await tx.query(`lock table ${table} in access exclusive mode`);
  if (table === 'events' && (await isOnItsWay(tx, startsAt))) return false;
  await tx.query(`drop table ${nameOf(table, startsAt)}`);
  return true;
}

async function isOnItsWay(tx: Queryable, startsAt: Instant): Promise<boolean> {
  const rows = await tx.query('select from deliveries where occurred_at >= $1 and occurred_at < $2 limit 1', [
    toTimestamp(startsAt),
    toTimestamp(startsAt + WEEK_MS),
  ]);
  return rows.length > 0;
}

/** Deletes old rows in no week, caused by a wrong clock or a week created too late. Returns how many were deleted. */
export async function deleteOldRest(
  tx: Queryable,
  table: HistoryTable,
  scope: { before: Instant; limit: number },
): Promise<number> {
  const arrived =
    table === 'events' ? 'and not exists (select from deliveries d where d.event_id = events_rest.id)' : '';
  await tx.query(`set local statement_timeout = ${REST_SCAN_TIMEOUT_MS}`);
  const rows = await tx.query(
    {
      text: `delete from ${table}_rest where ctid = any(array(
               select ctid from ${table}_rest where ${TABLES[table]} < $1 ${arrived} limit $2
             )) returning 1`,
      timeoutMs: REST_SCAN_TIMEOUT_MS,
    },
    [toTimestamp(scope.before), scope.limit],
  );
  return rows.length;
}

const HISTORY_LOCK = 0x4869_7374; // "Hist"

/** Locks until the end of the transaction. False if another node holds the lock. */
export async function lockHistory(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [HISTORY_LOCK]);
  return row?.locked ?? false;
}

export async function waitBriefly(tx: Queryable): Promise<void> {
  await tx.query(`set local lock_timeout = '100ms'`);
}

function nameOf(table: HistoryTable, startsAt: Instant): string {
  return `${table}_w${dayOf(startsAt)}`;
}

export function dayOf(at: Instant): string {
  return toTimestamp(at).slice(0, 10).replaceAll('-', '');
}
