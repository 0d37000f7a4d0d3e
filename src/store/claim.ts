// Taking due deliveries out of the queue, fairly: by due time while all of it fits, and by shares when it does not.
import type { EndpointKind } from '../domain/events.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import type { Delivery } from './deliveries.ts';
import { toTimestamp } from './order-rows.ts';

interface DeliveryRow {
  event_id: string;
  restaurant_id: string;
  endpoint: EndpointKind;
  order_id: string;
  version: number;
  attempts: number;
  failures: number;
  body: string;
  leased_by: string;
}

export interface ClaimOptions {
  nodeId: string;
  now: Instant;
  limit: number;
  /** How many more an endpoint may get, by `restaurant id/kind`; one that is not named may get all there is. */
  rooms: ReadonlyMap<string, number>;
  /**
   * What the node has in memory of these orders. Something leased to it that it does not know of (the answer to a
   * commit was lost) must leave first, so nothing of that order is claimed before the node has found it.
   */
  heldIdsOf?(orderIds: readonly string[]): string[];
}

/**
 * Leases due deliveries to a node, and with each of them what else is due for the same order. To be called inside a
 * transaction: the orders are locked first, and only what the last statement then sees decides, so two nodes never
 * work on the same order and endpoint at once.
 */
export async function claimDueDeliveries(tx: Queryable, options: ClaimOptions): Promise<Delivery[]> {
  const now = toTimestamp(options.now);
  const candidates = await listCandidates(tx, options);
  if (candidates.length === 0) return [];
  const orders = await tx.query<{ id: string }>(
    {
      name: 'lock_orders_of_due_deliveries',
      text: 'select id from orders where id = any($1::uuid[]) order by id for update skip locked',
    },
    [[...new Set(candidates)]],
  );
  const orderIds = orders.map((row) => row.id);
  const rows = await tx.query<DeliveryRow>({ name: 'lease_due_deliveries', text: LEASE_DUE }, [
    options.nodeId,
    orderIds,
    now,
    [...options.rooms].filter(([, room]) => room === 0).map(([key]) => key),
    options.heldIdsOf?.(orderIds) ?? null,
    options.limit,
  ]);
  return rows.map(toDelivery);
}

/** Usually all that is due fits. When it does not, it may be one endpoint's, so each endpoint is asked for its share. */
async function listCandidates(tx: Queryable, options: ClaimOptions): Promise<string[]> {
  const { nodeId, limit, rooms } = options;
  const now = toTimestamp(options.now);
  const due = await tx.query<{ order_id: string; endpoint_key: string }>(
    { name: 'list_due_deliveries', text: LIST_DUE },
    [now, limit, nodeId],
  );
  if (due.length < limit) {
    const left = new Map(rooms);
    const hasRoom = (key: string): boolean => {
      const room = left.get(key) ?? Infinity;
      left.set(key, room - 1);
      return room > 0;
    };
    return due.filter((row) => hasRoom(row.endpoint_key)).map((row) => row.order_id);
  }
  const fair = await tx.query<{ order_id: string }>({ name: 'list_due_deliveries_fairly', text: LIST_DUE_FAIRLY }, [
    now,
    limit,
    nodeId,
    [...rooms.keys()],
    [...rooms.values()],
  ]);
  return fair.map((row) => row.order_id);
}

// What could not be leased is no candidate: were it listed, enough of it would crowd out everybody else's. (Asked with a
// limit: of "not exists" the planner may make a hash of the whole queue.)
const IS_FREE = `(
      select true from deliveries other
      where other.order_id = d.order_id and other.endpoint = d.endpoint
        and (other.leased_by <> $3 or (other.leased_by is null and other.attempts = 0 and other.version < d.version))
      limit 1
    ) is null`;

const LIST_DUE = `
  select d.order_id, d.restaurant_id || '/' || d.endpoint as endpoint_key from deliveries d
  where d.leased_by is null and d.due_at <= $1 and ${IS_FREE}
  order by d.due_at
  limit $2`;

// Goes from endpoint to endpoint, whatever lies between; which come first is left to chance: none is always last. Up to
// ten share a claim. (The offset has each share read in the order of the index: guessing that little is free, the planner
// would sort everything that waits for the endpoint.)
const LIST_DUE_FAIRLY = `
  with recursive waiting as (
    (
      select restaurant_id, endpoint from deliveries where leased_by is null and due_at is not null
      order by restaurant_id, endpoint limit 1
    )
    union all
    select next.restaurant_id, next.endpoint
    from waiting w
    cross join lateral (
      select restaurant_id, endpoint from deliveries
      where leased_by is null and due_at is not null
        and (restaurant_id, endpoint) > (w.restaurant_id, w.endpoint)
      order by restaurant_id, endpoint limit 1
    ) next
  )
  select share.order_id
  from (
    select restaurant_id, endpoint, least(ceil($2::float8 / least(count(*) over (), 10)), room.size)::bigint as size
    from waiting left join unnest($4::text[], $5::int[]) as room(key, size) on room.key = restaurant_id || '/' || endpoint
    where room.size is distinct from 0
    order by random()
  ) w
  cross join lateral (
    select d.order_id from (
      select * from deliveries
      where restaurant_id = w.restaurant_id and endpoint = w.endpoint and leased_by is null and due_at <= $1
      order by due_at offset 0
    ) d
    where ${IS_FREE} limit w.size
  ) share
  limit $2`;

// Passed over: what another node has under way for the same order and endpoint, and what would overtake an earlier
// event that was never attempted, be it held or leased to this node without its knowing. First attempts come first,
// lower versions before higher ones, so that the limit never parts a later event from the earlier one it has to follow;
// of what was attempted before, the newest state.
const LEASE_DUE = `
  with chosen as (
    select d.event_id, d.occurred_at from deliveries d
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
  from chosen join events e on e.id = chosen.event_id and e.occurred_at = chosen.occurred_at
  where d.event_id = chosen.event_id and d.leased_by is null
  returning d.event_id, d.restaurant_id, d.endpoint, d.order_id, d.version, d.attempts, d.failures, d.leased_by,
    e.body`;

function toDelivery(row: DeliveryRow): Delivery {
  return {
    eventId: row.event_id,
    restaurantId: row.restaurant_id,
    endpoint: row.endpoint,
    orderId: row.order_id,
    version: row.version,
    attempts: row.attempts,
    failures: row.failures,
    body: row.body,
    leasedBy: row.leased_by,
  };
}
