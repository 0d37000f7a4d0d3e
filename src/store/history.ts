// Weeks of history: making them ahead of time, dropping what is too old, erasing what is personal. Nothing here may
// keep an order waiting, so locks are asked for briefly and rows are touched in small numbers.
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toTimestamp } from './order-rows.ts';

/** The tables that lie in weeks, and when their rows happened. */
const TABLES = {
  events: 'occurred_at',
  attempts: 'started_at',
  order_history: 'at',
} as const;

export type HistoryTable = keyof typeof TABLES;
export const HISTORY_TABLES = ['events', 'attempts', 'order_history'] as const satisfies readonly HistoryTable[];

const WEEK_MS = 604_800_000;
// 5 January 1970 was a Monday.
const FIRST_MONDAY_MS = 345_600_000;
const NAME = /_w(\d{4})(\d{2})(\d{2})$/;

export function weekOf(at: Instant): { startsAt: Instant; endsAt: Instant } {
  const startsAt = Math.floor((at - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  return { startsAt, endsAt: startsAt + WEEK_MS };
}

/** Starts of the weeks that a table has a partition for, oldest first. */
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

/** Attached only when it is ready, which holds up nobody who writes; a lock that is not free at once is left for later. */
export async function addWeek(tx: Queryable, table: HistoryTable, startsAt: Instant): Promise<void> {
  const name = nameOf(table, startsAt);
  await waitBriefly(tx);
  await tx.query(`create table ${name} (like ${table} including defaults including constraints)`);
  await tx.query(
    `alter table ${table} attach partition ${name}
     for values from ('${toTimestamp(startsAt)}') to ('${toTimestamp(startsAt + WEEK_MS)}')`,
  );
}

/** False: something of that week is still on its way to an endpoint, and the week stays until it has arrived. */
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

/** What lies in no week, because the clock was wrong or nobody had made the week yet. Says how many rows went. */
export async function deleteOldRest(
  db: Queryable,
  table: HistoryTable,
  scope: { before: Instant; limit: number },
): Promise<number> {
  const arrived =
    table === 'events' ? 'and not exists (select from deliveries d where d.event_id = events_rest.id)' : '';
  const rows = await db.query(
    `delete from ${table}_rest where ctid = any(array(
       select ctid from ${table}_rest where ${TABLES[table]} < $1 ${arrived} limit $2
     )) returning 1`,
    [toTimestamp(scope.before), scope.limit],
  );
  return rows.length;
}

/** Empties what is known of customers from orders that were finished before then. Says how many orders. */
export async function eraseContents(
  db: Queryable,
  scope: { finishedBefore: Instant; now: Instant; limit: number },
): Promise<number> {
  const rows = await db.query(
    {
      name: 'erase_contents',
      text: `
        with chosen as materialized (
          select id from orders
          where finished_at is not null and erased_at is null and finished_at < $1
          order by finished_at limit $2
          for update skip locked
        ), mended as (
          update order_history h set detail = null
          from chosen where h.order_id = chosen.id and h.kind = 'dropoff_fixed'
        )
        update orders o set content = '{}', facts = '{}', issues = '[]', erased_at = $3
        from chosen where o.id = chosen.id
        returning o.id`,
    },
    [toTimestamp(scope.finishedBefore), scope.limit, toTimestamp(scope.now)],
  );
  return rows.length;
}

const HISTORY_LOCK = 0x4869_7374; // "Hist"

/** Until the end of the transaction. False: another node is at it. */
export async function lockHistory(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [HISTORY_LOCK]);
  return row?.locked ?? false;
}

async function waitBriefly(tx: Queryable): Promise<void> {
  await tx.query(`set local lock_timeout = '100ms'`);
}

function nameOf(table: HistoryTable, startsAt: Instant): string {
  return `${table}_w${toTimestamp(startsAt).slice(0, 10).replaceAll('-', '')}`;
}
