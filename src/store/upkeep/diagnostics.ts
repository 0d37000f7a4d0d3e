// What a diagnostics file says about the database.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';

export interface ServerFacts {
  version: string;
  startedAt: Instant;
  isInRecovery: boolean;
  sizeBytes: number;
  /** Those of all databases of the server. */
  connections: number;
  settings: Record<string, string>;
}

/** Settings that decide about durability, speed and limits. None contains a path, an address or a secret. */
const SERVER_SETTINGS = [
  'autovacuum',
  'checkpoint_timeout',
  'effective_cache_size',
  'fsync',
  'full_page_writes',
  'idle_in_transaction_session_timeout',
  'jit',
  'lock_timeout',
  'maintenance_work_mem',
  'max_connections',
  'max_wal_size',
  'random_page_cost',
  'server_encoding',
  'shared_buffers',
  'statement_timeout',
  'superuser_reserved_connections',
  'synchronous_commit',
  'TimeZone',
  'wal_level',
  'work_mem',
];

export async function readServerFacts(db: Queryable): Promise<ServerFacts> {
  const [row] = await db.query<Omit<ServerFacts, 'settings' | 'sizeBytes'> & { sizeBytes: string }>(
    `select current_setting('server_version') as version, pg_postmaster_start_time() as started_at,
       pg_is_in_recovery() as is_in_recovery, pg_database_size(current_database()) as size_bytes,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections`,
  );
  if (row === undefined) throw new Error('the server described nothing');
  // Not `setting`: this session has set some of them for itself.
  const settings = await db.query<{ name: string; value: string }>(
    `select name, reset_val || coalesce(unit, '') as value from pg_settings where name = any($1::text[]) order by name`,
    [SERVER_SETTINGS],
  );
  return {
    ...row,
    sizeBytes: Number(row.sizeBytes),
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  };
}

export function listTableSizes(db: Queryable): Promise<{ table: string; rows: number; bytes: number; dead: number }[]> {
  return db.query(
    `select s.relname as "table", s.n_live_tup::float8 as rows, s.n_dead_tup::float8 as dead,
       pg_total_relation_size(s.relid)::float8 as bytes
     from pg_stat_user_tables s order by pg_total_relation_size(s.relid) desc limit 25`,
  );
}

/** Without the texts of statements, which may contain data. */
export function listLongTransactions(
  db: Queryable,
): Promise<{ application: string; state: string | null; waitsFor: string | null; seconds: number }[]> {
  return db.query(
    `select application_name as application, state, wait_event as waits_for,
       extract(epoch from now() - xact_start)::float8 as seconds
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 s'
     order by xact_start limit 20`,
  );
}

export interface SlowStatement {
  text: string;
  calls: number;
  totalMs: number;
  meanMs: number;
  maxMs: number;
  rows: number;
}

const MAX_STATEMENT_LENGTH = 1_000;

/**
 * Those that took the most time in sum; null if the extension pg_stat_statements is not there. It replaces the values
 * in queries by parameters, but not those in other commands, which may be passwords, so only queries are listed.
 */
export async function listSlowStatements(db: Queryable): Promise<SlowStatement[] | null> {
  const [extension] = await db.query(`select from pg_extension where extname = 'pg_stat_statements'`);
  if (extension === undefined) return null;
  return db.query<SlowStatement>(
    `select left(query, $1) as text, calls::float8, total_exec_time as total_ms, mean_exec_time as mean_ms,
       max_exec_time as max_ms, rows::float8
     from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and query ~* '^\\s*(select|insert|update|delete|with)\\M'
     order by total_exec_time desc limit 25`,
    [MAX_STATEMENT_LENGTH],
  );
}

export async function listAppliedMigrations(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}
