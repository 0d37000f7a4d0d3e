// How many connections the server allows this client.
import { DatabaseClient } from './connecting/client.ts';

export interface ConnectionLimits {
  /** Maximum for this user on this database, shared with every other client. */
  available: number;
  /** How many of those other clients are using now. */
  taken: number;
  maxConnections: number;
}

const LIMITS = `
  select s.max_connections, s.reserved,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user) as of_role,
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database()) as of_database,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as taken
  from (
    select current_setting('max_connections')::int as max_connections,
      current_setting('superuser_reserved_connections')::int
        -- Since PostgreSQL 16.
        + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved
  ) s`;

interface LimitsRow {
  max_connections: number;
  reserved: number;
  of_role: number | null;
  of_database: number | null;
  taken: number;
}

export async function readConnectionLimits(url: string): Promise<ConnectionLimits> {
  const client = new DatabaseClient({ url, name: 'waybill-limits', connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<LimitsRow>(LIMITS);
    const [row] = rows;
    if (row === undefined) throw new Error('the server did not return its connection limits');
    const available = Math.min(
      row.max_connections - row.reserved,
      row.of_role ?? Infinity,
      row.of_database ?? Infinity,
    );
    return { available, taken: row.taken, maxConnections: row.max_connections };
  } finally {
    await client.end();
  }
}
