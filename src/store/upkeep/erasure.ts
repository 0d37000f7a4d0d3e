// Erases personal data from orders and from everything recorded about them. docs/privacy.md lists every column.
import { CANCEL_REASON_IDS, CANCEL_REASONS } from '../../domain/orders/cancellation.ts';
import { withoutReasonText } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

interface Choice {
  before: Instant;
  limit: number;
}

/** Restricts which of the orders past their retention period are erased. */
export interface ErasureScope {
  /** Orders whose erasure has just failed. */
  leftOut: readonly string[];
  /** Null means any order. */
  among: readonly string[] | null;
}

/** Like all claims here, locks until the end of the transaction. Orders locked by others are left for a later run. */
export async function claimFinishedOrders(
  tx: Queryable,
  { before, limit, leftOut, among }: Choice & ErasureScope,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'claim_finished_orders_to_erase',
      text: `select id from orders
             where finished_at is not null and erased_at is null and finished_at < $1
               and id <> all($3::uuid[]) and ($4::uuid[] is null or id = any($4::uuid[]))
             order by finished_at limit $2 for update skip locked`,
    },
    [toTimestamp(before), limit, leftOut, among],
  );
  return rows.map(({ id }) => id);
}

/** Orders whose state has not changed since then, and whose wanted time is not later either. */
export async function claimForgottenOrders(
  tx: Queryable,
  { before, limit, leftOut, among }: Choice & ErasureScope,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    {
      name: 'claim_forgotten_orders_to_erase',
      text: `select id from orders
             where finished_at is null and erased_at is null and greatest(last_changed_at, wanted_at) < $1
               and id <> all($3::uuid[]) and ($4::uuid[] is null or id = any($4::uuid[]))
             order by last_changed_at limit $2 for update skip locked`,
    },
    [toTimestamp(before), limit, leftOut, among],
  );
  return rows.map(({ id }) => id);
}

/** Partly erased orders that can now be erased completely; `looked` also counts those that cannot be yet. */
export async function claimErasuresLeft(
  tx: Queryable,
  { before, limit, now, leftOut, among }: Choice & ErasureScope & { now: Instant },
): Promise<{ looked: number; ids: string[] }> {
  const rows = await tx.query<{ id: string; isReady: boolean }>(
    {
      name: 'claim_erasures_left',
      text: `
        with taken as materialized (
          select order_id from erasures_left
          where looked_at < $3 and order_id <> all($4::uuid[]) and ($5::uuid[] is null or order_id = any($5::uuid[]))
          order by looked_at limit $2 for update skip locked
        ), put_off as (
          update erasures_left l set looked_at = $3 from taken where l.order_id = taken.order_id
        )
        select o.id, o.finished_at < $1 and not exists (select from deliveries d where d.order_id = o.id) is_ready
        from taken join orders o on o.id = taken.order_id`,
    },
    [toTimestamp(before), limit, toTimestamp(now), leftOut, among],
  );
  return { looked: rows.length, ids: rows.filter((row) => row.isReady).map(({ id }) => id) };
}

const MEANINGS = JSON.stringify(
  Object.fromEntries(CANCEL_REASON_IDS.map((reasonId) => [reasonId, CANCEL_REASONS[reasonId].meaning])),
);

const ERASE_ORDERS = `
  update orders set content = '{}', facts = '{}', issues = '[]', warnings = '[]', erased_at = $2,
    cancel_reason = case when cancel_reason is not null then $3::json ->> cancel_reason_id end
  where id = any($1::uuid[])`;

// Receivers' answers may repeat customer data. An attempt is never older than its event, which lets the search skip
// earlier weeks.
const ERASE_ATTEMPTS = `
  update attempts a set answer = null, error_text = null, retry_after = null
  from events e
  where e.order_id = any($1::uuid[]) and a.event_id = e.id and a.started_at >= e.occurred_at
    and (a.answer is not null or a.error_text is not null or a.retry_after is not null)`;

const KEEP_LEFT = `
  with left_over as (
    select o.id from orders o
    where o.id = any($1::uuid[])
      and (o.finished_at is null or exists (select from deliveries d where d.order_id = o.id))
  ), done as (
    delete from erasures_left l where l.order_id = any($1::uuid[]) and l.order_id not in (select id from left_over)
  )
  insert into erasures_left (order_id, looked_at) select id, $2::timestamptz from left_over
  on conflict (order_id) do update set looked_at = excluded.looked_at`;

export async function eraseOrders(tx: Queryable, ids: readonly string[], now: Instant): Promise<void> {
  await tx.query({ name: 'erase_orders', text: ERASE_ORDERS }, [ids, toTimestamp(now), MEANINGS]);
  await tx.query('update order_history set detail = null where order_id = any($1::uuid[]) and detail is not null', [
    ids,
  ]);
  await tx.query(
    `update planning_alarms set detail = 'The courier reported a problem.'
     where order_id = any($1::uuid[]) and kind = 'PROBLEM_REPORTED'`,
    [ids],
  );
  await tx.query(`delete from set_aside where kind = 'order' and id = any($1::uuid[])`, [ids]);
  await tx.query({ name: 'erase_attempts', text: ERASE_ATTEMPTS }, [ids]);
  await eraseEvents(tx, ids);
  await tx.query({ name: 'keep_erasures_left', text: KEEP_LEFT }, [ids, toTimestamp(now)]);
}

/** Never while one of its webhooks is pending: every attempt must send the bytes that were committed. */
async function eraseEvents(tx: Queryable, orderIds: readonly string[]): Promise<void> {
  const rows = await tx.query<{ id: string; body: string }>(
    {
      name: 'list_cancel_events_to_erase',
      text: `select id, body from events
             where order_id = any($1::uuid[]) and type = 'order.canceled'
               and not exists (select from deliveries d where d.event_id = events.id)`,
    },
    [orderIds],
  );
  const erased = rows.flatMap(({ id, body }) => {
    const rest = readRest(id, body);
    return rest === body ? [] : [{ id, body: rest }];
  });
  if (erased.length === 0) return;
  await tx.query(
    `update events set body = n.body from json_to_recordset($1::json) as n(id uuid, body text)
     where events.id = n.id and not exists (select from deliveries d where d.event_id = n.id)`,
    [JSON.stringify(erased)],
  );
}

/** The error message must not quote the body, because it outlives the body. */
function readRest(eventId: string, body: string): string {
  try {
    return withoutReasonText(body);
  } catch {
    throw new Error(`The body of event ${eventId} is unreadable`);
  }
}

/** Deletes notes of cases resolved before then. Returns how many were deleted. */
export async function deleteOldSupportNotes(db: Queryable, { before, limit }: Choice): Promise<number> {
  const rows = await db.query(
    `delete from support_notes where id = any(array(
       select n.id from support_notes n join support_cases c on c.id = n.case_id where c.resolved_at < $1 limit $2
     )) returning 1`,
    [toTimestamp(before), limit],
  );
  return rows.length;
}
