// Which nodes are alive. A lease on deliveries is good for as long as its node is.
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { DATABASE_MS } from '../database/database-time.ts';
import type { LeasedDelivery } from '../webhooks/deliveries.ts';
import { toTimestamp } from '../database/timestamps.ts';

/**
 * A node that was not heard of for so long is dead, or has nothing under way any more. That its connection is gone
 * proves neither: it may have begun an attempt until the moment at which it was cut off.
 */
export const SILENCE_LIMIT_MS = 10_000;
/** No attempt lasts longer. */
export const LONGEST_ATTEMPT_MS = 6_000;

export async function registerNode(session: Queryable): Promise<string> {
  const [row] = await session.query<{ id: string }>(
    'insert into nodes (backend_pid) values (pg_backend_pid()) returning id',
  );
  if (row === undefined) throw new Error('a node was not registered');
  return row.id;
}

/** False when the node was declared dead meanwhile. */
export async function beatNode(session: Queryable, nodeId: string): Promise<boolean> {
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
    ${DATABASE_MS} as "databaseMs"`;

const RELEASE_DEAD_NODES = releaseDead('');
const RELEASE_AMONG = releaseDead('and d.event_id = any($3::uuid[])');

/**
 * Forgets dead nodes and frees what they held. A commit that was under way when its node was declared dead may still
 * lease deliveries to it afterwards, so every lease of an unknown node is freed, not only those of the newly dead. A
 * beat that lies in the future was written before the database's clock was set back; its silence counts from now on.
 *
 * Nobody knows which of the freed deliveries were attempted. Where the endpoint is failing, an attempt that was made has
 * failed in all likelihood, so they wait for a step of the ladder, counted from now: every attempt of a dead node is
 * over. The ladder of one that was perhaps never attempted stays on its first step, because later events of its order
 * wait for it. Where the endpoint works they are due at once: they were not sent, or they were accepted.
 *
 * Also tells the database's time: usually nothing is written and no flush to disk is waited for, so the answer is fast.
 */
export async function releaseDeadNodes(db: Queryable, now: Instant): Promise<ReleasedByDeath> {
  const [row] = await db.query<ReleasedByDeath>({ name: 'release_dead_nodes', text: RELEASE_DEAD_NODES }, [
    toTimestamp(now),
    WAITS_MS,
  ]);
  if (row === undefined) throw new Error('dead nodes were not looked for');
  return row;
}

/** The same, of these deliveries only: where one cannot be freed, the others are freed without it. */
export async function releaseDeadNodesAmong(
  db: Queryable,
  eventIds: readonly string[],
  now: Instant,
): Promise<ReleasedByDeath> {
  const [row] = await db.query<ReleasedByDeath>(RELEASE_AMONG, [toTimestamp(now), WAITS_MS, eventIds]);
  if (row === undefined) throw new Error('dead nodes were not looked for');
  return row;
}

/** What nodes hold that are dead or unknown. */
export function listStrayLeases(db: Queryable): Promise<LeasedDelivery[]> {
  return db.query<LeasedDelivery>(
    `select d.event_id as "eventId", d.order_id as "orderId" from deliveries d
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

/** An orderly end, or the step before a new start under another id. */
export async function retireNode(db: Queryable, nodeId: string): Promise<void> {
  await db.query(
    `with gone as (delete from nodes where id = $1)
     update deliveries set leased_by = null where leased_by = $1`,
    [nodeId],
  );
}
