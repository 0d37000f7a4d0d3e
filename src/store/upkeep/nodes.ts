// Which nodes are alive. A lease on deliveries is valid for as long as its node is alive.
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { DATABASE_MS } from '../database/database-time.ts';
import type { LeasedDelivery } from '../webhooks/deliveries.ts';
import { toTimestamp } from '../database/timestamps.ts';

/**
 * After this long without a heartbeat, a node is dead or has no attempt in progress any more. A lost connection
 * proves neither: the node may have started an attempt until the moment it was cut off.
 */
export const SILENCE_LIMIT_MS = 10_000;
/** No attempt takes longer. */
export const MAX_ATTEMPT_MS = 6_000;

export async function registerNode(session: Queryable): Promise<string> {
  const [row] = await session.query<{ id: string }>(
    'insert into nodes (backend_pid) values (pg_backend_pid()) returning id',
  );
  if (row === undefined) throw new Error('a node was not registered');
  return row.id;
}

/** False if the node has been declared dead meanwhile. */
export async function recordHeartbeat(session: Queryable, nodeId: string): Promise<boolean> {
  const rows = await session.query(
    { name: 'beat_node', text: 'update nodes set beat_at = now() where id = $1 returning id' },
    [nodeId],
  );
  return rows.length > 0;
}

const releaseDead = (isMeant: string): string => `
  with dead as (
    delete from nodes n
    where n.beat_at < now() - interval '${SILENCE_LIMIT_MS} milliseconds'
    returning n.id
  ),
  corrected as (
    update nodes n set beat_at = now()
    where n.beat_at > now() + interval '${SILENCE_LIMIT_MS} milliseconds'
  ),
  freed as materialized (
    select d.event_id, case when d.attempts = 0 then 1 else d.failures + 1 end as failures,
      (
        select p.failing_since from endpoints p where p.restaurant_id = d.restaurant_id and p.kind = d.endpoint
      ) is not null as is_failing
    from deliveries d
    where d.leased_by is not null ${isMeant}
      and (d.leased_by in (select id from dead) or not exists (select from nodes n where n.id = d.leased_by))
    for update of d skip locked
  ),
  released as (
    update deliveries d
    set leased_by = null,
      failures = case when f.is_failing then f.failures else d.failures end,
      due_at = case
        when f.is_failing and d.due_at is not null then greatest(d.due_at, $1::timestamptz
          + ($2::float8[])[least(f.failures, cardinality($2::float8[]))] * interval '1 millisecond')
        else d.due_at
      end
    from freed f where d.event_id = f.event_id
    returning d.event_id
  )
  select (select count(*) from dead)::int as nodes, (select count(*) from released)::int as deliveries,
    ${DATABASE_MS} as database_ms`;

const RELEASE_DEAD_NODES = releaseDead('');
const RELEASE_AMONG = releaseDead('and d.event_id = any($3::uuid[])');

/**
 * Removes dead nodes and releases their leases. A commit in progress when its node was declared dead may still lease
 * deliveries to it afterwards, so every lease of an unknown node is released, not only those of the newly dead. A
 * heartbeat in the future was written before the database's clock was set back; its timeout starts now.
 * It is unknown which of the released deliveries were attempted. If the endpoint is failing, an attempt very
 * probably failed, so they wait for a retry step, counted from now: every attempt of a dead node is over. Deliveries
 * that may never have been attempted stay on the first step, because later events of their order wait for them. If
 * the endpoint works, they are due immediately: they were either not sent or accepted.
 * Also returns the database's time: usually nothing is written, so no disk flush delays the answer.
 */
export async function releaseDeadNodes(db: Queryable, now: Instant): Promise<ReleasedByDeath> {
  const [row] = await db.query<ReleasedByDeath>({ name: 'release_dead_nodes', text: RELEASE_DEAD_NODES }, [
    toTimestamp(now),
    WAITS_MS,
  ]);
  if (row === undefined) throw new Error('the search for dead nodes returned no row');
  return row;
}

/** The same for these deliveries only: if one cannot be released, the others are released without it. */
export async function releaseDeadNodesAmong(
  db: Queryable,
  eventIds: readonly string[],
  now: Instant,
): Promise<ReleasedByDeath> {
  const [row] = await db.query<ReleasedByDeath>(RELEASE_AMONG, [toTimestamp(now), WAITS_MS, eventIds]);
  if (row === undefined) throw new Error('the search for dead nodes returned no row');
  return row;
}

/** Deliveries leased to dead or unknown nodes. */
export function listStrayLeases(db: Queryable): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(
    `select d.event_id, d.order_id from deliveries d
     where d.leased_by is not null and not exists (
       select from nodes n
       where n.id = d.leased_by and n.beat_at >= now() - interval '${SILENCE_LIMIT_MS} milliseconds'
     )`,
  );
}

export interface ReleasedByDeath {
  nodes: number;
  deliveries: number;
  databaseMs: number;
}

/** For a clean shutdown, or before re-registering under another id. */
export async function retireNode(db: Queryable, nodeId: string): Promise<void> {
  await db.query(
    `with gone as (delete from nodes where id = $1)
     update deliveries set leased_by = null where leased_by = $1`,
    [nodeId],
  );
}
