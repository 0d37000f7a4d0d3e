// The webhook log, in pages. It has millions of rows: every page starts at a known position in an index and reads a
// bounded number of rows. A search for something rare reports how far it came.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

/** How many rows a page may read before it returns what it has found. */
export const MAX_SEARCHED = 20_000;

// An attempt gets its id when it ends, so ids follow the start times only roughly.
const DISORDER_MS = MINUTE_MS;

export interface LogScope {
  restaurantId: string;
  endpoint: EndpointKind | null;
  from: Instant | null;
  until: Instant | null;
  /** Starts after the row with this cursor. */
  before: number | null;
  limit: number;
}

export interface LogRow {
  /** Decreases from one row to the next. */
  cursor: number;
  at: Instant;
  eventId: string;
  endpoint: EndpointKind;
  outcome: 'delivered' | 'failed' | 'discarded' | 'waiting' | 'held';
  number: number;
  status: number | null;
  errorClass: string | null;
  errorText: string | null;
  totalMs: number | null;
  nextAttemptAt: Instant | null;
  order: { id: string; orderId: string; orderNumber: string } | null;
}

export interface LogPage {
  rows: LogRow[];
  /** Where the next page starts; null if there is none. */
  next: number | null;
  /** Set if the search ended before the page was full. */
  searchedBackTo: Instant | null;
}

export interface FoundLogRow extends LogRow {
  isHit: boolean;
  /** The search ended at this row. */
  isLast: boolean;
}

/** For a statement in which `o` is the order. */
export const LOGGED_ORDER = `case when o.id is not null then json_build_object(
    'id', o.id, 'orderId', o.provider_order_id, 'orderNumber', o.order_number::text
  ) end as "order"`;

// The last row searched is returned even if it does not match: it shows where the search ended.
const listAttempts = (among: string): string => `
  with found as materialized (
    select * from (
      select *, row_number() over (order by id desc) = ${MAX_SEARCHED} as is_last,
        ($6::text is null or endpoint = $6) and ($7::text is null or outcome = $7)
          and started_at >= $4 and started_at < $5 as is_hit
      from (
        select id, event_id, endpoint, outcome, number, status, error_class, error_text, total_ms, next_attempt_at,
          started_at
        from attempts
        where restaurant_id = $1 and id > $2 and id < $3 and ${among}
        order by id desc limit ${MAX_SEARCHED}
      ) searched
    ) judged
    where is_hit or is_last
    order by id desc limit $8
  )
  select f.id::double precision as cursor, f.is_hit, f.is_last, f.started_at as at, f.event_id, f.endpoint,
    f.outcome, f.number, f.status, f.error_class, f.error_text, f.total_ms, f.next_attempt_at, ${LOGGED_ORDER}
  from found f
  left join lateral (
    select o.id, o.provider_order_id, o.order_number
    from events e join orders o on o.id = e.order_id where e.id = f.event_id limit 1
  ) o on true
  order by f.id desc`;

const LIST_ALL = { name: 'list_attempt_log', text: listAttempts('true') };
// People search for failures, which are rare: they have their own index.
const LIST_UNDELIVERED = { name: 'list_undelivered_log', text: listAttempts("outcome <> 'delivered'") };

export async function listAttemptLog(
  db: Queryable,
  scope: LogScope & { outcome: 'delivered' | 'failed' | 'discarded' | null },
): Promise<LogPage> {
  const { restaurantId, from, until, before } = scope;
  const [low = 0, high = Number.MAX_SAFE_INTEGER] = await seekAttempts(db, restaurantId, [
    from === null ? null : from - DISORDER_MS,
    until === null ? null : until + DISORDER_MS,
  ]);
  const isForUndelivered = scope.outcome !== null && scope.outcome !== 'delivered';
  const rows = await db.query<FoundLogRow>(isForUndelivered ? LIST_UNDELIVERED : LIST_ALL, [
    restaurantId,
    low,
    Math.min(before ?? Number.MAX_SAFE_INTEGER, high + 1),
    toTimestamp(from) ?? '-infinity',
    toTimestamp(until) ?? 'infinity',
    scope.endpoint,
    scope.outcome,
    scope.limit + 1,
  ]);
  return toPage(rows, scope.limit);
}

/** For the attempts of given orders, which are few. */
export async function listAttemptLogOfOrders(
  db: Queryable,
  scope: LogScope & { outcome: 'delivered' | 'failed' | 'discarded' | null; orderIds: readonly string[] },
): Promise<LogPage> {
  const rows = await db.query<FoundLogRow>(
    `select a.id::double precision as cursor, true as is_hit, false as is_last, a.started_at as at, a.event_id,
       a.endpoint, a.outcome, a.number, a.status, a.error_class, a.error_text, a.total_ms, a.next_attempt_at,
       ${LOGGED_ORDER}
     from orders o
     join events e on e.order_id = o.id
     join attempts a on a.event_id = e.id
     where o.id = any($2::uuid[]) and o.restaurant_id = $1 and ($3::bigint is null or a.id < $3)
       and ($4::text is null or a.endpoint = $4) and ($5::text is null or a.outcome = $5)
       and ($6::timestamptz is null or a.started_at >= $6) and ($7::timestamptz is null or a.started_at < $7)
     order by a.id desc limit $8`,
    [
      scope.restaurantId,
      scope.orderIds,
      scope.before,
      scope.endpoint,
      scope.outcome,
      toTimestamp(scope.from),
      toTimestamp(scope.until),
      scope.limit + 1,
    ],
  );
  return toPage(rows, scope.limit);
}

/** Orders of a restaurant that match the input: by the integrator's id, by number, or by Waybill's id. */
export async function findMatchingOrderIds(db: Queryable, restaurantId: string, meant: string): Promise<string[]> {
  const number = /^\d{1,15}$/.test(meant) ? meant : null;
  const rows = await db.query<{ id: string }>(
    `select id from orders where restaurant_id = $1 and provider_order_id = $2
     union select id from orders where order_number = $3::bigint and restaurant_id = $1
     union select id from orders where id = $4::uuid and restaurant_id = $1`,
    [restaurantId, meant, number, isUuid(meant) ? meant : null],
  );
  return rows.map(({ id }) => id);
}

// For each time, a binary search over the ids: everything up to `low` began before it, nothing after `high` did. Forty
// steps are enough for any number of attempts, and each reads one index row.
const SEEK_ATTEMPTS = `
  with recursive search as (
    select t.place, t.at, 0::bigint as low,
      coalesce((select id from attempts where restaurant_id = $1 order by id desc limit 1), 0) as high
    from unnest($2::timestamptz[]) with ordinality as t (at, place)
    where t.at is not null
    union all
    select s.place, s.at,
      case when probe.id is null or probe.started_at < s.at then middle.id else s.low end,
      case when probe.id is null or probe.started_at < s.at then s.high else probe.id - 1 end
    from search s
    cross join lateral (select (s.low + s.high + 1) / 2 as id) middle
    left join lateral (
      select a.id, a.started_at from attempts a
      where a.restaurant_id = $1 and a.id > s.low and a.id <= middle.id
      order by a.id desc limit 1
    ) probe on true
    where s.low < s.high
  )
  select place, low from search where low >= high`;

/** For each time, an id that separates attempts begun before it from later ones; undefined if no time is given. */
export async function seekAttempts(
  db: Queryable,
  restaurantId: string,
  times: readonly (Instant | null)[],
): Promise<(number | undefined)[]> {
  if (times.every((at) => at === null)) return times.map(() => undefined);
  const rows = await db.query<{ place: string; low: string }>({ name: 'seek_attempts', text: SEEK_ATTEMPTS }, [
    restaurantId,
    times.map((at) => toTimestamp(at)),
  ]);
  const found = new Map(rows.map(({ place, low }) => [Number(place), Number(low)]));
  return times.map((_, index) => found.get(index + 1));
}

export function toPage(found: readonly FoundLogRow[], limit: number): LogPage {
  const hits = found.filter((row) => row.isHit);
  const rows = hits.slice(0, limit).map(({ isHit: _isHit, isLast: _isLast, ...row }) => row);
  if (hits.length > limit) return { rows, next: rows.at(-1)?.cursor ?? null, searchedBackTo: null };
  const last = found.find((row) => row.isLast);
  if (last === undefined) return { rows, next: null, searchedBackTo: null };
  return { rows, next: last.cursor, searchedBackTo: last.at };
}

export interface OrderOfEvent {
  id: string;
  orderId: string;
  orderNumber: string;
  createdAt: Instant;
}

export async function findOrderOfEvent(
  db: Queryable,
  restaurantId: string,
  eventId: string,
): Promise<OrderOfEvent | undefined> {
  const [row] = await db.query<OrderOfEvent>(
    `select o.id, o.provider_order_id as order_id, o.order_number, o.created_at
     from events e join orders o on o.id = e.order_id
     where e.id = $1 and e.restaurant_id = $2`,
    [eventId, restaurantId],
  );
  return row;
}
