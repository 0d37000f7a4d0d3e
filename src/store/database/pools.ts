// One connection pool per purpose within a process: pages, metrics scrapes and the planner cannot use up the
// connections needed to place orders. Pools open connections only on demand.
import { openAuthPool, type AuthPool } from './auth-pool.ts';
import { openDatabase, type Database, type DatabaseOptions } from './database.ts';

/** Maximum connections of each pool; 0 if the process does not use it. */
export interface PoolSizes {
  /** Requests from integrators, and every change to an order. */
  intake: number;
  /** Sending, deadlines, upkeep. */
  background: number;
  /** Reads and changes from the pages. */
  panel: number;
  /** The authentication library, which writes its own SQL. */
  signIn: number;
  metrics: number;
  planner: number;
}

export type PoolName = keyof PoolSizes;

export interface Pools extends Record<Exclude<PoolName, 'signIn'>, Database> {
  signIn: AuthPool;
  stats(): { pool: PoolName; total: number; idle: number; waiting: number }[];
  close(): Promise<void>;
}

export interface PoolsOptions {
  url: string;
  sizes: PoolSizes;
  /** How long a request may wait for the database. */
  requestDeadlineMs?: number;
  onIdleError: (error: Error) => void;
}

type Limits = Pick<DatabaseOptions, 'statementTimeoutMs' | 'answerTimeoutMs'>;

/** Low, although a person waits for the page: a slower statement would mostly slow down other requests. */
const PANEL_STATEMENT_TIMEOUT_MS = 5_000;
/** Scrapers usually give up after ten seconds. */
const METRICS_STATEMENT_TIMEOUT_MS = 5_000;

export function openPools({ url, sizes, requestDeadlineMs, onIdleError }: PoolsOptions): Pools {
  const opened = new Map<PoolName, Database>();
  const open = (name: PoolName, limits: Limits = {}): Database => {
    const database = openDatabase({
      url,
      name: `waybill-${name}`,
      maxConnections: Math.max(1, sizes[name]),
      onIdleError,
      ...limits,
    });
    opened.set(name, database);
    return database;
  };
  const main = open(sizes.background > 0 ? 'background' : 'planner');
  const openIfUsed = (name: PoolName, limits?: Limits): Database =>
    sizes[name] > 0 ? (opened.get(name) ?? open(name, limits)) : main;
  // Nobody waits longer, and a commit that is overdue by then makes the next requests fail at once.
  const answerLimit = requestDeadlineMs === undefined ? {} : { answerTimeoutMs: requestDeadlineMs };
  const intakeLimits = requestDeadlineMs === undefined ? {} : { ...answerLimit, statementTimeoutMs: requestDeadlineMs };
  const signIn = openAuthPool({ url, maxConnections: sizes.signIn, onIdleError, ...answerLimit });
  return {
    intake: openIfUsed('intake', intakeLimits),
    background: main,
    panel: openIfUsed('panel', { statementTimeoutMs: PANEL_STATEMENT_TIMEOUT_MS, ...answerLimit }),
    metrics: openIfUsed('metrics', { statementTimeoutMs: METRICS_STATEMENT_TIMEOUT_MS }),
    planner: openIfUsed('planner'),
    signIn,
    stats: () => [
      ...[...opened].map(([pool, database]) => ({ pool, ...database.stats() })),
      { pool: 'signIn', ...signIn.stats() },
    ],
    async close() {
      await signIn.end();
      for (const database of opened.values()) await database.close();
    },
  };
}
