// Webhooks still to be sent: waiting after a failure, or held.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Database, Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { LOGGED_ORDER, MAX_SEARCHED, toPage, type FoundLogRow, type LogPage, type LogScope } from './log.ts';

/** Up to this many are read and sorted per page. Beyond it, the newest events are searched instead. */
export const MAX_SORTED = 10_000;

/** The conditions of the partial indexes on deliveries. */
const CONDITIONS = {
  waiting: 'd.failures > 0 and d.due_at is not null',
  held: 'd.due_at is null',
} as const;
type WaitingKind = keyof typeof CONDITIONS;

export interface WaitingScope extends LogScope {
  kind: WaitingKind;
  /** Only webhooks of these orders. */
  orderIds: readonly string[] | null;
}

/** Newest event first; the cursor is the restaurant's event sequence. */
export function listWaitingLog(db: Pick<Database, 'transaction'>, scope: WaitingScope): Promise<LogPage> {
  const { kind, orderIds } = scope;
  const kinds: readonly EndpointKind[] = scope.endpoint === null ? ['status', 'cancel'] : [scope.endpoint];
  return readByIndexAlone(db, async (tx) => {
    const isFew = orderIds !== null || (await isAtMost(tx, { ...scope, kinds }, MAX_SORTED));
    const found = isFew ? foundByQueue(kind, orderIds !== null) : foundByEvents(kind);
    const rows = await tx.query<FoundLogRow>(`${found} ${DRESSED}`, [
      scope.restaurantId,
      kinds,
      scope.before ?? Number.MAX_SAFE_INTEGER,
      toTimestamp(scope.from) ?? '-infinity',
      toTimestamp(scope.until) ?? 'infinity',
      scope.limit + 1,
      orderIds,
    ]);
    return toPage(rows, scope.limit);
  });
}

// A bitmap scan would collect every delivery of the restaurant before returning the first row, despite the limit.
function readByIndexAlone<Result>(
  db: Pick<Database, 'transaction'>,
  read: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (tx) => {
    await tx.query('set local enable_bitmapscan = off');
    return read(tx);
  });
}

async function isAtMost(
  db: Queryable,
  scope: WaitingScope & { kinds: readonly EndpointKind[] },
  most: number,
): Promise<boolean> {
  const rows = await db.query(
    `select from deliveries d where d.restaurant_id = $1 and d.endpoint = any($2) and ${CONDITIONS[scope.kind]}
     limit $3`,
    [scope.restaurantId, scope.kinds, most + 1],
  );
  return rows.length <= most;
}

function foundByQueue(kind: WaitingKind, isOfOrders: boolean): string {
  return `
    with queue as materialized (
      select d.event_id, d.order_id, d.occurred_at, d.endpoint, d.attempts, d.due_at from deliveries d
      where d.restaurant_id = $1 and d.endpoint = any($2) and ${CONDITIONS[kind]}
        and ${isOfOrders ? 'd.order_id = any($7::uuid[])' : '$7::uuid[] is null'}
    ),
    found as materialized (
      select e.sequence, true as is_hit, false as is_last, '${kind}' as outcome, d.*
      from queue d join events e on e.id = d.event_id and e.occurred_at = d.occurred_at
      where e.sequence < $3 and d.occurred_at >= $4 and d.occurred_at < $5
      order by e.sequence desc limit $6
    )`;
}

function foundByEvents(kind: WaitingKind): string {
  return `
    with found as materialized (
      select * from (
        select e.sequence, e.place = ${MAX_SEARCHED} as is_last, '${kind}' as outcome, e.id as event_id, e.order_id,
          e.occurred_at, d.endpoint, d.attempts, d.due_at,
          d.event_id is not null and e.occurred_at >= $4 and e.occurred_at < $5 and $7::uuid[] is null as is_hit
        from (
          select *, row_number() over (order by sequence desc) as place
          from (
            select id, sequence, order_id, occurred_at from events
            where restaurant_id = $1 and sequence < $3
            order by sequence desc limit ${MAX_SEARCHED}
          ) searched
        ) e
        left join lateral (
          select d.event_id, d.endpoint, d.attempts, d.due_at from deliveries d
          where d.event_id = e.id and d.endpoint = any($2) and ${CONDITIONS[kind]} limit 1
        ) d on true
      ) judged
      where is_hit or is_last
      order by sequence desc limit $6
    )`;
}

const DRESSED = `
  select f.sequence::double precision as cursor, f.is_hit, f.is_last, f.occurred_at as at, f.event_id, f.endpoint,
    f.outcome, coalesce(f.attempts, 0) as number, last.status, last.error_class, last.error_text, last.total_ms,
    f.due_at as next_attempt_at, ${LOGGED_ORDER}
  from found f
  left join lateral (
    select id, provider_order_id, order_number from orders where id = f.order_id limit 1
  ) o on true
  left join lateral (
    select status, error_class, error_text, total_ms from attempts where event_id = f.event_id order by id desc limit 1
  ) last on true
  order by f.sequence desc`;

export interface EndpointQueue {
  endpoint: EndpointKind;
  /** Waiting after a failure. */
  waiting: number;
  held: number;
  nextAttemptAt: Instant | null;
}

const LIST_QUEUES = `
  select p.kind as endpoint, w.waiting, w.next_attempt_at, h.held
  from endpoints p
  cross join lateral (
    select count(*)::int as waiting, min(due_at) as next_attempt_at from (
      select d.due_at from deliveries d
      where d.restaurant_id = p.restaurant_id and d.endpoint = p.kind and ${CONDITIONS.waiting} limit $2
    ) counted
  ) w
  cross join lateral (
    select count(*)::int as held from (
      select from deliveries d
      where d.restaurant_id = p.restaurant_id and d.endpoint = p.kind and ${CONDITIONS.held} limit $2
    ) counted
  ) h
  where p.restaurant_id = $1
  order by p.kind desc`;

/** Backlog per endpoint, counted up to a limit; beyond it, the next attempt is the earliest of those counted. */
export function listEndpointQueues(
  db: Pick<Database, 'transaction'>,
  restaurantId: string,
  most: number,
): Promise<EndpointQueue[]> {
  return readByIndexAlone(db, (tx) => tx.query<EndpointQueue>(LIST_QUEUES, [restaurantId, most]));
}
