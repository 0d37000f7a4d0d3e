// Claims due deliveries from the queue fairly: by due time if all of them fit, otherwise by shares.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import type { Delivery } from './deliveries.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { BY_DUE_TIME, BY_ENDPOINT } from './queue-indexes.ts';

// Hundreds are read in one go, blocking everything else: as arrays they cost less.
type DeliveryRow = [
  eventId: string,
  restaurantId: string,
  endpoint: EndpointKind,
  orderId: string,
  version: number,
  attempts: number,
  failures: number,
  leasedBy: string,
  body: string,
];
type DueRow = [orderId: string, endpointKey: string] | [orderId: null, endpointKey: null];

export interface ClaimOptions {
  nodeId: string;
  now: Instant;
  limit: number;
  /** How many more an endpoint may get, by `restaurant id/kind`. */
  rooms: ReadonlyMap<string, number>;
  /** The same for endpoints not listed there; defaults to `limit`. */
  roomOfOthers?: number;
  /**
   * Deliveries of these orders that the node has in memory. One leased to it without its knowledge (the answer to
   * a commit was lost) must be sent first, so nothing of that order is claimed until the node has found it.
   */
  heldIdsOf?(orderIds: readonly string[]): string[];
  /** Orders of which nothing is claimed. */
  leftOut?: ReadonlySet<string>;
}

/**
 * Leases due deliveries to a node, each with the other due deliveries of the same order. Call inside a transaction:
 * orders are locked first, and only what the last statement then sees decides, so two nodes never work on the same
 * order and endpoint concurrently.
 */
export async function claimDueDeliveries(tx: Queryable, options: ClaimOptions): Promise<Delivery[]> {
  return leaseOrders(tx, await listDueOrders(tx, options), options);
}

/** Claims from these orders only. */
export async function leaseOrders(
  tx: Queryable,
  candidates: readonly string[],
  options: ClaimOptions,
): Promise<Delivery[]> {
  if (candidates.length === 0) return [];
  const orders = await tx.query<{ id: string }>(
    {
      name: 'lock_orders_of_due_deliveries',
      text: 'select id from orders where id = any($1::uuid[]) order by id for update skip locked',
    },
    [[...new Set(candidates)]],
  );
  const orderIds = orders.map((row) => row.id);
  const rows = await tx.query<DeliveryRow>({ name: 'lease_due_deliveries', text: LEASE_DUE, rowMode: 'array' }, [
    options.nodeId,
    orderIds,
    toTimestamp(options.now),
    [...options.rooms].filter(([, room]) => room === 0).map(([key]) => key),
    options.heldIdsOf?.(orderIds) ?? null,
    options.limit,
  ]);
  return rows.map(toDelivery);
}

/** Orders with a due, unleased delivery. `leftOut` is so small that it may use up part of the limit. */
export async function listDueOrders(db: Queryable, options: ClaimOptions): Promise<string[]> {
  const candidates = await listCandidates(db, options);
  const { leftOut } = options;
  return leftOut === undefined || leftOut.size === 0 ? candidates : candidates.filter((id) => !leftOut.has(id));
}

/** Usually all due deliveries fit. If not, one endpoint may own them all, so each endpoint gets a share. */
async function listCandidates(tx: Queryable, options: ClaimOptions): Promise<string[]> {
  const { nodeId, limit, rooms, roomOfOthers = limit } = options;
  const now = toTimestamp(options.now);
  const due = await tx.query<DueRow>({ name: 'list_due_deliveries', text: LIST_DUE, rowMode: 'array' }, [
    now,
    limit,
    nodeId,
  ]);
  const left = new Map(rooms);
  const candidates: string[] = [];
  for (const [orderId, key] of due) {
    if (orderId === null) return listFairly(tx, options);
    const room = left.get(key) ?? roomOfOthers;
    left.set(key, room - 1);
    if (room > 0) candidates.push(orderId);
  }
  return candidates;
}

async function listFairly(tx: Queryable, options: ClaimOptions): Promise<string[]> {
  const { now, nodeId, limit, rooms, roomOfOthers = limit } = options;
  const rows = await tx.query<[orderId: string]>(
    { name: 'list_due_deliveries_fairly', text: LIST_DUE_FAIRLY, rowMode: 'array' },
    [toTimestamp(now), limit, nodeId, [...rooms.keys()], [...rooms.values()], roomOfOthers],
  );
  return rows.map(([orderId]) => orderId);
}

// Deliveries that cannot be leased are not candidates: enough of them would crowd out all others. (Queried with a
// limit: for "not exists", the query planner may hash the whole queue.)
const IS_FREE = `(
      select true from deliveries other
      where other.order_id = d.order_id and other.endpoint = d.endpoint
        and (other.leased_by <> $3 or (other.leased_by is null and other.attempts = 0 and other.version < d.version))
      limit 1
    ) is null`;

// If the limit is reached, there are too many to claim by due time: then none is listed or even examined.
const LIST_DUE = `
  with due as materialized (
    select order_id, restaurant_id, endpoint, version from deliveries
    where leased_by is null and ${BY_DUE_TIME} and due_at <= $1
    order by due_at
    limit $2
  )
  select d.order_id, d.restaurant_id || '/' || d.endpoint from due d
  where (select count(*) from due) < $2 and ${IS_FREE}
  union all
  select null, null where (select count(*) from due) = $2`;

// Jumps from endpoint to endpoint in the index; their order is random, so that none is always last. Up to ten share a
// claim. (The inner limit, a thousand times the maximum wanted, makes PostgreSQL read each share in index order:
// expecting few free rows, it would otherwise sort everything that waits for the endpoint.)
const LIST_DUE_FAIRLY = `
  with recursive waiting as (
    (
      select restaurant_id, endpoint from deliveries where leased_by is null and ${BY_ENDPOINT}
      order by restaurant_id, endpoint limit 1
    )
    union all
    select next.restaurant_id, next.endpoint
    from waiting w
    cross join lateral (
      select restaurant_id, endpoint from deliveries
      where leased_by is null and ${BY_ENDPOINT}
        and (restaurant_id, endpoint) > (w.restaurant_id, w.endpoint)
      order by restaurant_id, endpoint limit 1
    ) next
  )
  select share.order_id
  from (
    select restaurant_id, endpoint,
      least(ceil($2::float8 / least(count(*) over (), 10)), coalesce(room.size, $6::int))::bigint as size
    from waiting left join unnest($4::text[], $5::int[]) as room(key, size) on room.key = restaurant_id || '/' || endpoint
    where room.size is distinct from 0
    order by random()
  ) w
  cross join lateral (
    select d.order_id from (
      select order_id, endpoint, version from deliveries
      where restaurant_id = w.restaurant_id and endpoint = w.endpoint
        and leased_by is null and ${BY_ENDPOINT} and due_at <= $1
      order by due_at limit $2::bigint * 1000
    ) d
    where ${IS_FREE} limit w.size
  ) share
  limit $2`;

// Skips deliveries whose order and endpoint another node is working on, and those that would overtake an earlier event
// never attempted, whether held or leased to this node without its knowledge. First attempts come first, lower versions
// before higher ones, so that the limit never separates a later event from the earlier one it must follow; among
// retries, the newest state comes first. The update checks the due time again: while it waited for the row, a failure
// that was recorded late may have postponed the delivery. (As an array, the chosen ones are looked up one by one; joined,
// PostgreSQL may read the whole queue, which its statistics still call small.)
const LEASE_DUE = `
  with chosen as (
    select d.event_id from deliveries d
    where d.order_id = any($2::uuid[])
      and d.leased_by is null
      and d.due_at <= $3
      and d.restaurant_id || '/' || d.endpoint <> all($4::text[])
      and (
        select true from deliveries other
        where other.order_id = d.order_id and other.endpoint = d.endpoint
          and (
            other.leased_by <> $1
            or (other.leased_by = $1 and other.event_id <> all($5::uuid[]))
            or (other.leased_by is null and other.attempts = 0 and other.version < d.version
              and (other.due_at is null or other.due_at > $3))
          )
        limit 1
      ) is null
    order by d.attempts > 0, case when d.attempts = 0 then d.version else -d.version end
    limit $6
  )
  update deliveries d
  set leased_by = $1
  from events e
  where d.event_id = any(array(select event_id from chosen)) and d.leased_by is null and d.due_at <= $3
    and e.id = d.event_id and e.occurred_at = d.occurred_at
  returning d.event_id, d.restaurant_id, d.endpoint, d.order_id, d.version, d.attempts, d.failures, d.leased_by,
    e.body`;

function toDelivery(row: DeliveryRow): Delivery {
  const [eventId, restaurantId, endpoint, orderId, version, attempts, failures, leasedBy, body] = row;
  return { eventId, restaurantId, endpoint, orderId, version, attempts, failures, leasedBy, body };
}
