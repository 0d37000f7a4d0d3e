// Health of the installation itself: its nodes and its database.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { SILENCE_LIMIT_MS } from './nodes.ts';
import { NODE_NAME_PREFIX, readNodeName } from '../database/dedicated-connection.ts';

export interface NodeView {
  /** Null for a node that does not deliver: it holds no leases for others to release. */
  id: string | null;
  startedAt: Instant;
  /** Time since its last heartbeat by the database's clock, which decides when a node is declared dead. */
  silentMs: number | null;
  isAlive: boolean;
  /** Empty while its connection is lost. */
  roles: string[];
  /** Number of webhooks leased to it. */
  sending: number;
  /** How far its machine's clock is ahead of the database's; 0 if they differ by less than a second. */
  clockOffsetMs: number;
}

interface NodeRow extends Pick<NodeView, 'id' | 'startedAt' | 'silentMs' | 'sending'> {
  connectionName: string | null;
}

/** Delivering nodes are known by their heartbeat; the others only by their connection. */
export async function listNodes(db: Queryable): Promise<NodeView[]> {
  const rows = await db.query<NodeRow>(
    `select n.id, coalesce(n.started_at, a.backend_start) as started_at, a.application_name as connection_name,
       (extract(epoch from now() - n.beat_at) * 1000)::double precision as silent_ms,
       (select count(*) from deliveries d where d.leased_by = n.id)::int as sending
     from nodes n
     full join (
       select pid, application_name, backend_start from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1)
     ) a on a.pid = n.backend_pid
     order by started_at, n.id`,
    [NODE_NAME_PREFIX],
  );
  return rows.map(({ connectionName, silentMs, ...node }) => ({
    ...node,
    ...(connectionName === null ? { roles: [], clockOffsetMs: 0 } : readNodeName(connectionName)),
    silentMs: silentMs === null ? null : Math.max(0, silentMs),
    isAlive: silentMs === null || silentMs < SILENCE_LIMIT_MS,
  }));
}

export async function readDatabaseSize(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(row?.bytes ?? 0);
}
