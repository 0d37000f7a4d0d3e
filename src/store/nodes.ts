// Which nodes are alive. A lease on deliveries is good for as long as its node is.
import type { Queryable } from './database.ts';
import { DATABASE_MS } from './database-time.ts';

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

/**
 * Forgets dead nodes and frees what they held. A commit that was under way when its node was declared dead may still
 * lease deliveries to it afterwards, so every lease of an unknown node is freed, not only those of the newly dead. A
 * beat that lies in the future was written before the database's clock was set back; its silence counts from now on.
 * Also tells the database's time: usually nothing is written and no flush to disk is waited for, so the answer is fast.
 */
export async function releaseDeadNodes(db: Queryable): Promise<ReleasedByDeath> {
  const [row] = await db.query<ReleasedByDeath>({
    name: 'release_dead_nodes',
    text: `
      with dead as (
        delete from nodes n
        where n.beat_at < now() - interval '${SILENCE_LIMIT_MS} milliseconds'
        returning n.id
      ),
      corrected as (
        update nodes n set beat_at = now()
        where n.beat_at > now() + interval '${SILENCE_LIMIT_MS} milliseconds'
      ),
      released as (
        update deliveries d set leased_by = null
        where d.leased_by is not null
          and (d.leased_by in (select id from dead) or not exists (select from nodes n where n.id = d.leased_by))
        returning d.event_id
      )
      select (select count(*) from dead)::int as nodes, (select count(*) from released)::int as deliveries,
        ${DATABASE_MS} as "databaseMs"`,
  });
  if (row === undefined) throw new Error('dead nodes were not looked for');
  return row;
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
