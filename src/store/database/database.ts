// The connection pool. Code that runs SQL receives a `Queryable`; only actions open transactions.
import { DatabaseError, type ClientBase, type Pool, type PoolClient } from 'pg';
import { createPool, sessionLimits, type PoolOptions } from './connecting/pool.ts';
import { createConnector } from './connecting/reconnect.ts';
import { isUnwritable } from './connecting/writable-server.ts';
import { OverdueConnections } from './overdue-connections.ts';
import { COLUMN_TYPES, toRows } from './rows.ts';
import { isUnreplicatedCommit } from './unreplicated-commit.ts';

/** A named statement is parsed once per connection, so all hot queries are named. */
export interface Statement {
  name?: string;
  text: string;
  /** Returns rows as arrays of columns, for results so large that naming the columns is expensive. */
  rowMode?: 'array';
  /** For a statement slower than the pool's timeout; the transaction's statement timeout must be raised as well. */
  timeoutMs?: number;
}

export interface Queryable {
  /** Columns have camelCase names, and times are instants. */
  query<Row extends object>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  /** May run the work twice, after rolling back the first run: it must have no effect outside the transaction. */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** The database is unreachable or temporarily unable to work. Whether the last commit succeeded may be unknown. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Earlier commits wait for the standby, so writes are refused at once; reads work. */
export class StandbyUnavailable extends DatabaseUnavailable {
  override name = 'StandbyUnavailable';
}

export interface DatabaseOptions {
  url: string;
  /** What the connections are for; shown as `application_name`. */
  name?: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  /** How long the server may take to answer a statement; 2 s more than the statement may take by default. */
  answerTimeoutMs?: number;
  onIdleError?: (error: Error) => void;
}

const STATEMENT_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 10;

export function openDatabase(options: DatabaseOptions): Database {
  const pool = openGuardedPool({ ...options, session: PLAN_SETTINGS });

  /** A transaction that failed because its week was being attached was rolled back; the second run finds the week. */
  async function twiceIfNeeded<Result>(...given: Parameters<typeof pool.withClient<Result>>): Promise<Result> {
    try {
      return await pool.withClient(...given);
    } catch (error) {
      if (!hasMissedNewWeek(error)) throw error;
      return pool.withClient(...given);
    }
  }

  return {
    query: (statement, values) =>
      twiceIfNeeded(
        (client) => run(client, statement, values),
        () => isWriting(statement),
      ),
    transaction: (work) =>
      twiceIfNeeded(
        (client) => runTransaction(client, work),
        () => true,
      ),
    stats: () => pool.stats(),
    close: () => pool.close(),
  };
}

export interface GuardedPool extends Pick<Database, 'stats' | 'close'> {
  /** While a commit waits for the standby, work that writes is refused. */
  withClient<Result>(work: (client: PoolClient) => Promise<Result>, isWrite: () => boolean): Promise<Result>;
}

/** A pool that notices unreplicated commits, and whose connections do not pile up while the server cannot commit. */
export function openGuardedPool(options: DatabaseOptions & Pick<PoolOptions, 'session'>): GuardedPool {
  const { maxConnections = MAX_CONNECTIONS } = options;
  const pool = openPool({ ...options, maxConnections });
  pool.on('error', (error) => options.onIdleError?.(error));
  const unreplicated = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    client.on('notice', (notice) => {
      if (isUnreplicatedCommit(notice)) unreplicated.add(client);
    });
  });
  const connect = createConnector(pool);
  const overdue = new OverdueConnections({ url: options.url, poolSize: maxConnections });

  async function refuseWhileWaiting(isWrite: () => boolean): Promise<void> {
    if (overdue.count === 0 || !(isWrite() || overdue.count >= maxConnections)) return;
    if (await overdue.hasWaiting()) throw new StandbyUnavailable('earlier commits still wait for the standby');
  }

  return {
    async withClient(work, isWrite) {
      await refuseWhileWaiting(isWrite);
      let client: PoolClient;
      try {
        client = await connect();
      } catch (error) {
        throw new DatabaseUnavailable(describe(error), { cause: error });
      }
      let next: 'reuse' | 'close' | 'keep' = 'reuse';
      try {
        // Commits may have become overdue while this waited for a connection.
        await refuseWhileWaiting(isWrite);
        const result = await work(client);
        if (unreplicated.delete(client)) throw new DatabaseUnavailable('committed here, but not on the standby');
        return result;
      } catch (error) {
        const failure = toUnavailable(error);
        if (failure instanceof DatabaseUnavailable) next = nextAfter(error);
        throw failure;
      } finally {
        if (next === 'keep') overdue.keep(client);
        else client.release(next === 'close');
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close() {
      const closed = pool.end();
      overdue.closeAll();
      return closed;
    },
  };
}

// Every statement is written for one plan that uses indexes. Replanning costs more than running, and a plan made while a
// table was small must not scan the table after it has grown.
const PLAN_SETTINGS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

function openPool(options: DatabaseOptions & Pick<PoolOptions, 'session'>): Pool {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, maxConnections = MAX_CONNECTIONS } = options;
  const { answerTimeoutMs = statementTimeoutMs + 2_000 } = options;
  return createPool({
    url: options.url,
    name: options.name ?? 'waybill',
    max: maxConnections,
    idleTimeoutMillis: 30_000,
    session: { ...sessionLimits(statementTimeoutMs), ...options.session },
    // An unreplicated commit is reported only as a warning.
    requiredSession: { client_min_messages: 'warning' },
    // In case the server is frozen and cannot enforce its own timeout, or a commit waits for a standby.
    query_timeout: answerTimeoutMs,
  });
}

async function run<Row extends object>(
  client: ClientBase,
  statement: Statement | string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  const limit = config.timeoutMs === undefined ? {} : { query_timeout: config.timeoutMs };
  const result = await client.query<unknown[]>({
    ...config,
    ...limit,
    values: [...values],
    rowMode: 'array',
    types: COLUMN_TYPES,
  });
  return toRows<Row>(result, config.rowMode);
}

async function runTransaction<Result>(client: PoolClient, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work({ query: (statement, values) => run(client, statement, values) });
    await client.query('commit');
    return result;
  } catch (error) {
    // After an overdue answer, a rollback would only wait behind it.
    if (!isOverdue(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** What becomes of a connection on which the database was unavailable. */
function nextAfter(error: unknown): 'reuse' | 'close' | 'keep' {
  // Nothing was sent.
  if (error instanceof StandbyUnavailable) return 'reuse';
  return isOverdue(error) ? 'keep' : 'close';
}

/** The driver gave up waiting for an answer; the server may still be at work on the statement. */
function isOverdue(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

// Every statement is ours, so its text shows what it does. A word too many only refuses a read during an outage.
function isWriting(statement: Statement | string): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return /\b(?:insert|update|delete|nextval|pg_logical_emit_message)\b/.test(text);
}

/** For a connection outside the pool. */
export function asQueryable(client: ClientBase): Queryable {
  return { query: (statement, values) => run(client, statement, values) };
}

// Classes 08 (connection), 40 (deadlock, recovery conflict), 53 (resources: connections, memory, disk), 57 (shutdown,
// canceled, starting) and 58 (system), plus what a server says while it changes its role: read-only (25006), and a closed
// idle transaction (25P03, 25P04). 55P03 is a lock that was not available. All of these may be temporary.
const PASSING_CODES = /^(08|40|53|57|58|25006|25P03|25P04|55P03)/;

const NOT_SUPPORTED = '0A000';
// Most statements with this code are wrong, but two functions give it for what passes: a standby cannot read unlogged
// tables, and a migration makes the plan of a prepared statement invalid. The text is in the server's language.
const PASSING_ROUTINES = new Set(['get_relation_info', 'RevalidateCachedQuery']);

function isPassing({ code = '', routine }: DatabaseError): boolean {
  if (code === NOT_SUPPORTED) return routine === undefined || PASSING_ROUTINES.has(routine);
  return PASSING_CODES.test(code);
}

/** Begins the name of a constraint that keeps rows out of the default partition while their week is attached. */
export const FENCE_PREFIX = 'fence_';

// Happens only if the clock jumped over the minutes by which a fence begins in the future. The week comes soon.
function isBehindFence({ code, constraint }: DatabaseError): boolean {
  return code === '23514' && constraint?.startsWith(FENCE_PREFIX) === true;
}

// A statement routes a row to a partition when it starts; if its week is attached meanwhile, the write fails.
function hasMissedNewWeek(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === '23514' && error.message.includes('violates partition constraint')
  );
}

/** Converts any driver error: `DatabaseUnavailable` if it may be temporary, otherwise the error unchanged. */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (error instanceof DatabaseError) {
    const isOutage = isPassing(error) || isBehindFence(error);
    return isOutage ? new DatabaseUnavailable(describe(error), { cause: error }) : error;
  }
  if (isUnwritable(error)) return new DatabaseUnavailable(describe(error), { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isSocketError =
    /^E(AI_)?[A-Z]+$/.test(code) || (error instanceof Error && /[Cc]onnection|timeout/.test(error.message));
  return isSocketError ? new DatabaseUnavailable(describe(error), { cause: error }) : error;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
