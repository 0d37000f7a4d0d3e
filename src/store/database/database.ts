// The connection pool. Everything that speaks SQL gets a `Queryable`; only actions open transactions.
import { DatabaseError, Pool, type ClientBase, type PoolClient } from 'pg';

/** A named statement is parsed once per connection; hot queries all have a name. */
export interface Statement {
  name?: string;
  text: string;
  /** Rows as arrays of their columns, where there are so many that naming them costs much. */
  rowMode?: 'array';
  /** For what may take longer than anything else; the statement timeout of the transaction has to be raised as well. */
  timeoutMs?: number;
}

export interface Queryable {
  query<Row extends object>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  /** May do the work twice, the first time in vain: it must not keep anything outside of the transaction. */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** The database cannot be reached or cannot work now. Whether the last commit happened may be unknown. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

export interface DatabaseOptions {
  url: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
  onIdleError?: (error: Error) => void;
}

const STATEMENT_TIMEOUT_MS = 10_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    lock_timeout: 5_000,
    // Every statement is written for one plan, by index. Planning anew costs more than running; and a plan made while
    // a table was small must not scan it when it has grown.
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off',
    // A node that freezes inside a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 10_000,
    // For a server that is frozen itself and therefore cannot keep its own timeout.
    query_timeout: statementTimeoutMs + 2_000,
    keepAlive: true,
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  const unreplicated = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    // The pool listens only while a client is idle: a connection that breaks while it is being used would otherwise
    // end the process. Whoever uses it is told by the query that fails.
    client.on('error', () => undefined);
    client.on('notice', (notice) => {
      if (isUnreplicatedCommit(notice.message)) unreplicated.add(client);
    });
  });

  async function withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw new DatabaseUnavailable(describe(error), { cause: error });
    }
    let broken = false;
    try {
      const result = await work(client);
      if (unreplicated.delete(client)) throw new DatabaseUnavailable('committed here, but not on the standby');
      return result;
    } catch (error) {
      const failure = toUnavailable(error);
      broken = failure instanceof DatabaseUnavailable;
      throw failure;
    } finally {
      client.release(broken);
    }
  }

  /** What has met a week on its way in was rolled back whole, and finds that week the second time. */
  async function twiceIfNeeded<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    try {
      return await withClient(work);
    } catch (error) {
      if (!hasMissedNewWeek(error)) throw error;
      return withClient(work);
    }
  }

  return {
    query: (statement, values) => twiceIfNeeded((client) => run(client, statement, values)),
    transaction: (work) => twiceIfNeeded((client) => runTransaction(client, work)),
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

async function run<Row extends object>(
  client: ClientBase,
  statement: Statement | string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const config = typeof statement === 'string' ? { text: statement } : statement;
  const limit = config.timeoutMs === undefined ? {} : { query_timeout: config.timeoutMs };
  const result = await client.query<Row>({ ...config, ...limit, values: [...values] });
  return result.rows;
}

async function runTransaction<Result>(client: PoolClient, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work({ query: (statement, values) => run(client, statement, values) });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** For a connection that is not from the pool. */
export function asQueryable(client: ClientBase): Queryable {
  return { query: (statement, values) => run(client, statement, values) };
}

// Classes 08 (connection), 53 (resources, disk full among them), 57 (shutdown, cancelled) and 58 (system), and a
// server that is not writable or lost a deadlock or lock race: all of them may pass by themselves.
const PASSING_CODES = /^(08|53|57|58|25006|40001|40P01|55P03)/;

// A statement decides where a row belongs when it begins, and learns only on writing that its week was added meanwhile.
function hasMissedNewWeek(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === '23514' && error.message.includes('violates partition constraint')
  );
}

/** For whatever a driver throws: `DatabaseUnavailable` where it may pass by itself, or the error as it is. */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (error instanceof DatabaseError) {
    return PASSING_CODES.test(error.code ?? '') ? new DatabaseUnavailable(describe(error), { cause: error }) : error;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isSocketError =
    /^E[A-Z]+$/.test(code) || (error instanceof Error && /[Cc]onnection|timeout/.test(error.message));
  return isSocketError ? new DatabaseUnavailable(describe(error), { cause: error }) : error;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// With synchronous replication, a cancelled wait commits locally and says so only by a warning.
function isUnreplicatedCommit(message: string | undefined): boolean {
  return message?.includes('synchronous replication') ?? false;
}
