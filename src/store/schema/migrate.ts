// Brings a database to the newest schema while nodes of the previous version use it. Any number of nodes may start
// concurrently: one migrates, the others wait.
//
// PostgreSQL queues locks: a migration that waits behind a long transaction makes every later statement on that table
// wait behind the migration. So a migration waits for a lock only briefly, gives up, lets the queue drain and retries.
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, type Client } from 'pg';
import { systemClock } from '../../platform.ts';
import { DatabaseClient } from '../database/connecting/client.ts';
import { refuseTransactionPooling } from '../database/connecting/pooler-check.ts';
import { describeConnectFailure } from '../database/connect-failure.ts';
import { findMissing, LIST_RECORDS, readMigrations, SchemaError, toRecords, type Migration } from './migrations.ts';

const MIGRATION_LOCK = 0x5761_7962; // "Wayb": shared by all versions of the program, never reused for another lock.
const CONNECT_TIMEOUT_MS = 10_000;
/** How long order intake may wait behind a migration. Transactions there take milliseconds, so a gap is found. */
const LOCK_TIMEOUT_MS = 100;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;
/** A backup of a large database holds its locks for many minutes. */
const PATIENCE_MS = 30 * 60_000;
const TURN_POLL_MS = 100;

export interface MigrateOptions {
  /** Receives one line if the migration has to wait. */
  onProgress?: (text: string) => void;
  folder?: string;
  /** Applies only these, for a database that must first get the schema of an older version. */
  only?: ReadonlySet<string>;
  /** 0 waits without limit. */
  lockTimeoutMs?: number;
}

interface Work {
  client: Client;
  onProgress: (text: string) => void;
  lockTimeoutMs: number;
}

export async function migrate(url: string, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  const { only, onProgress = () => undefined, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const migrations = await readMigrations(options.folder);
  const client = new DatabaseClient({
    url,
    name: 'waybill-migrate',
    mustBeWritable: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  try {
    await refuseTransactionPooling(url);
    await client.connect();
  } catch (error) {
    throw new Error(describeConnectFailure(error, url), { cause: error });
  }
  const work: Work = { client, onProgress, lockTimeoutMs };
  try {
    await waitForTurn(work);
    await prepareRecords(work);
    const { rows } = await client.query<{ record: unknown }>(LIST_RECORDS);
    const missing = findMissing(toRecords(rows), migrations).filter(({ name }) => only?.has(name) ?? true);
    for (const migration of missing) await apply(work, migration);
    return { applied: missing.map((migration) => migration.name) };
  } finally {
    await client.end();
  }
}

// Polls for the lock instead of blocking: a blocked statement holds a snapshot, and `create index concurrently` in the
// process that migrates would wait for that snapshot forever.
async function waitForTurn({ client, onProgress }: Work): Promise<void> {
  for (let round = 0; ; round += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken === true) return;
    if (round === 10) onProgress('Waiting for another node that is migrating the database.');
    await pause(TURN_POLL_MS);
  }
}

async function prepareRecords(work: Work): Promise<void> {
  const { rows } = await work.client.query<{ columns: string[] }>(`
    select coalesce(array_agg(attname::text), '{}') as columns from pg_attribute
    where attrelid = to_regclass('schema_migrations') and attnum > 0 and not attisdropped`);
  const columns = rows[0]?.columns ?? [];
  if (columns.includes('needs')) return;
  const text =
    columns.length > 0
      ? 'alter table schema_migrations add column needs text'
      : `create table schema_migrations (
           name text primary key,
           hash text not null,
           applied_at timestamptz not null default now(),
           needs text
         )`;
  await retryWhileLocked(work, 'schema_migrations', () => runWithLockTimeout(work, text));
}

async function apply(work: Work, migration: Migration): Promise<void> {
  await retryWhileLocked(work, `Migration ${migration.name}`, () =>
    migration.isTransactional ? applyWhole(work, migration) : applyStatements(work, migration),
  );
}

/** One transaction: a migration is applied completely, with its record, or not at all. */
async function applyWhole(work: Work, migration: Migration): Promise<void> {
  const { client } = work;
  await client.query('begin');
  try {
    await runWithLockTimeout(work, migration.text);
    await record(client, migration);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A crash in between reruns all of them, so each must be idempotent (`if exists`, `if not exists`). */
async function applyStatements(work: Work, migration: Migration): Promise<void> {
  const statements = migration.text.split(/;\s*$/m).filter((statement) => /^\s*[^\s-]/m.test(statement));
  for (const statement of statements) await runWithLockTimeout(work, statement);
  await record(work.client, migration);
}

// `concurrently` waits for every older transaction, but its lock blocks neither reads nor writes.
async function runWithLockTimeout({ client, lockTimeoutMs }: Work, text: string): Promise<void> {
  const isHarmless = /^\s*(create|drop) index concurrently\b/im.test(text);
  await client.query(`set lock_timeout = ${isHarmless ? 0 : lockTimeoutMs}`);
  await client.query(text);
}

async function record(client: Client, { name, hash, needs }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (name, hash, needs) values ($1, $2, $3)', [name, hash, needs]);
}

async function retryWhileLocked(work: Work, subject: string, run: () => Promise<void>): Promise<void> {
  const startedAtMs = systemClock.monotonicMs();
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isLockTrouble(error)) throw error;
      const holder = await describeOldest(work.client);
      if (systemClock.monotonicMs() - startedAtMs > PATIENCE_MS) {
        const message = `${subject} could not lock a table within ${PATIENCE_MS / 60_000} minutes${holder}. End that transaction and try again.`;
        throw new SchemaError(message, { cause: error });
      }
      work.onProgress(`${subject} is waiting for a table that is in use${holder}. Retrying in ${retryMs / 1000} s.`);
      await pause(retryMs);
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

function isLockTrouble(error: unknown): boolean {
  return error instanceof DatabaseError && [LOCK_NOT_AVAILABLE, DEADLOCK].includes(error.code ?? '');
}

/** PostgreSQL does not say who held the lock; the oldest open transaction is the likely one. */
async function describeOldest(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; seconds: number }>(`
    select pid, extract(epoch from now() - xact_start)::int as seconds from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`);
  const [oldest] = rows;
  return oldest === undefined ? '' : ` (the oldest transaction, process ${oldest.pid}, is ${oldest.seconds} s old)`;
}
