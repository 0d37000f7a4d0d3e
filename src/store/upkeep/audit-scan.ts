// What the audit reads, in bounded parts, and where it saves its position. Each part is one statement, so that it sees
// one snapshot: data committed together is read together.
import type { AuditedOrder, SequencedEvent } from '../../domain/upkeep/history-audit.ts';
import { HOUR_MS, type Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Where each walk continues. Null means from the beginning. */
export interface AuditPlaces {
  order: string | null;
  event: { restaurantId: string; sequence: number } | null;
  attempt: { restaurantId: string; id: string } | null;
}

export interface AuditProgress {
  pass: number;
  passStartedAt: Instant | null;
  places: AuditPlaces;
  /** Walks that have finished in this pass. */
  ended: readonly (keyof AuditPlaces)[];
}

interface ProgressRow {
  pass: string;
  passStartedAt: Instant | null;
  places: Partial<AuditPlaces> & { ended?: readonly (keyof AuditPlaces)[] };
}

/** Claims the next round until the transaction ends; undefined if another node has it or it is too early. */
export async function claimAuditRound(
  tx: Queryable,
  { now, intervalMs }: { now: Instant; intervalMs: number },
): Promise<AuditProgress | undefined> {
  await tx.query('insert into audit_progress (is_only) values (true) on conflict do nothing');
  // A time in the future was written before the clock was set back.
  const [row] = await tx.query<ProgressRow>(
    `select pass, pass_started_at, places from audit_progress
     where last_round_at is null or last_round_at <= $1 or last_round_at > $2
     for update skip locked`,
    [toTimestamp(now - intervalMs), toTimestamp(now)],
  );
  if (row === undefined) return undefined;
  const { order = null, event = null, attempt = null, ended = [] } = row.places;
  return {
    pass: Number(row.pass),
    passStartedAt: row.passStartedAt,
    places: { order, event, attempt },
    ended,
  };
}

export async function saveAuditProgress(tx: Queryable, progress: AuditProgress, now: Instant): Promise<void> {
  await tx.query('update audit_progress set last_round_at = $1, pass = $2, pass_started_at = $3, places = $4', [
    toTimestamp(now),
    progress.pass,
    toTimestamp(progress.passStartedAt),
    JSON.stringify({ ...progress.places, ended: progress.ended }),
  ]);
}

/** Ends a pass over all history: deletes differences that the pass did not see again. */
export async function endAuditPass(
  tx: Queryable,
  pass: { number: number; startedAt: Instant; endedAt: Instant },
): Promise<void> {
  await tx.query('delete from audit_differences where last_seen_pass < $1', [pass.number]);
  await tx.query('update audit_progress set last_pass_ended_at = $1, last_pass_seconds = $2', [
    toTimestamp(pass.endedAt),
    (pass.endedAt - pass.startedAt) / 1_000,
  ]);
}

// Event numbers follow commit order, but times follow the nodes' clocks. So near the retention limit, an event may be
// deleted while others that happened slightly earlier still exist.
const EDGE_MS = HOUR_MS;

/** From when on all history is kept: history is deleted by age. Attempts are younger than their events. */
export async function readKeptSince(db: Queryable): Promise<Instant> {
  const [oldest] = await db.query<{ occurredAt: Instant; sequence: string }>(
    'select occurred_at, sequence from events order by id limit 1',
  );
  if (oldest === undefined) return Infinity;
  return oldest.occurredAt + (oldest.sequence === '1' ? 0 : EDGE_MS);
}

// Scalar subqueries instead of "exists" and joins: they run once per row through an index, regardless of what the query
// planner estimates; it may turn the alternatives into a full table scan.
const SELECT_ORDERS = `
  select o.id, o.restaurant_id, o.state, o.version, o.created_at, coalesce((
    select json_agg(
      json_build_object(
        'id', e.id, 'version', e.version, 'type', e.type, 'from', e.from_state, 'to', e.to_state,
        'at', (extract(epoch from e.occurred_at) * 1000)::bigint,
        'isAccountedFor', coalesce(
          (select true from deliveries d where d.event_id = e.id),
          (select true from attempts a where a.event_id = e.id and a.outcome in ('delivered', 'discarded') limit 1),
          false
        )
      ) order by e.version
    )
    from events e where e.order_id = o.id and e.occurred_at > o.created_at - interval '1 hour'
  ), '[]') as events
  from orders o`;

export interface DatedOrder extends AuditedOrder {
  createdAt: Instant;
}

export function listOrdersToAudit(db: Queryable, part: { after: string | null; limit: number }): Promise<DatedOrder[]> {
  return db.query<DatedOrder>(
    {
      name: 'list_orders_to_audit',
      text: `${SELECT_ORDERS} where o.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
        order by o.id limit $2`,
    },
    [part.after, part.limit],
  );
}

/** The most recently placed and the most recently changed orders. */
export function listNewestOrdersToAudit(db: Queryable, limit: number): Promise<DatedOrder[]> {
  return db.query<DatedOrder>(
    {
      name: 'list_newest_orders_to_audit',
      text: `
        with newest as materialized (
          (select order_id as id from events order by id desc limit $1)
          union
          (select id from orders order by id desc limit $1)
        )
        ${SELECT_ORDERS} where o.id = any(array(select id from newest))`,
    },
    [limit],
  );
}

/** Sorted by restaurant and sequence, starting with the event at the given position. */
export function listSequencedEvents(
  db: Queryable,
  part: { from: AuditPlaces['event']; limit: number },
): Promise<SequencedEvent[]> {
  return db.query<SequencedEvent>(
    {
      name: 'list_sequenced_events',
      text: `
        select e.id, e.restaurant_id, e.sequence::double precision as sequence, e.occurred_at as at,
          coalesce((select true from orders o where o.id = e.order_id), false) as has_order,
          coalesce(
            (select c.last_sequence from event_counters c where c.restaurant_id = e.restaurant_id), 0
          )::double precision as last_sequence
        from events e
        where (e.restaurant_id, e.sequence) >= (coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), $2::bigint)
        order by e.restaurant_id, e.sequence limit $3`,
    },
    [part.from?.restaurantId ?? null, part.from?.sequence ?? 0, part.limit],
  );
}

export interface AttemptPart {
  count: number;
  last: AuditPlaces['attempt'];
  /** Attempts of events that do not exist. */
  strays: { id: string; eventId: string; restaurantId: string }[];
}

/** The part after the given attempt, by restaurant and in the order in which the attempts were made. */
export async function findStrayAttempts(
  db: Queryable,
  part: { after: AuditPlaces['attempt']; limit: number },
): Promise<AttemptPart> {
  const [row] = await db.query<AttemptPart>(
    {
      name: 'find_stray_attempts',
      text: `
        with part as materialized (
          select id, event_id, restaurant_id from attempts
          where (restaurant_id, id) > (coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'), $2::bigint)
          order by restaurant_id, id limit $3
        )
        select count(*)::int as count, (
          select json_build_object('restaurantId', restaurant_id, 'id', id::text)
          from part order by restaurant_id desc, id desc limit 1
        ) as last, coalesce(
          json_agg(json_build_object('id', id::text, 'eventId', event_id, 'restaurantId', restaurant_id))
            filter (where (select true from events e where e.id = part.event_id) is null), '[]') as strays
        from part`,
    },
    [part.after?.restaurantId ?? null, part.after?.id ?? 0, part.limit],
  );
  return row ?? { count: 0, last: null, strays: [] };
}
