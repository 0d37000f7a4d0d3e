// The connections of one process, apart by purpose: whatever the pages, a scrape or the planner ask for, they cannot take
// the connections on which orders are placed. Pools open connections only as they are needed.
import type { Pool } from 'pg';
import { openAuthPool } from './auth-pool.ts';
import { openDatabase, type Database } from './database.ts';

/** The most connections of each pool; 0 where the process has no use for it. */
export interface PoolSizes {
  /** Requests of integrators, and every change of an order. */
  intake: number;
  /** Sending, deadlines, upkeep. */
  background: number;
  /** What the pages read and change. */
  panel: number;
  /** The authentication library, which writes its own SQL. */
  signIn: number;
  metrics: number;
  planner: number;
}

export type PoolName = keyof PoolSizes;

export interface Pools extends Record<Exclude<PoolName, 'signIn'>, Database> {
  signIn: Pool;
  stats(): { pool: PoolName; total: number; idle: number; waiting: number }[];
  close(): Promise<void>;
}

export interface PoolsOptions {
  url: string;
  sizes: PoolSizes;
  onIdleError: (error: Error) => void;
}

/** People wait for a page, but a statement that takes longer than this would mostly be felt by others. */
const PANEL_STATEMENT_TIMEOUT_MS = 5_000;
/** A scrape is given up by whoever asked after ten seconds, as a rule. */
const METRICS_STATEMENT_TIMEOUT_MS = 5_000;

export function openPools({ url, sizes, onIdleError }: PoolsOptions): Pools {
  const opened = new Map<PoolName, Database>();
  const open = (name: PoolName, statementTimeoutMs?: number): Database => {
    const limits = statementTimeoutMs === undefined ? {} : { statementTimeoutMs };
    const database = openDatabase({ url, maxConnections: Math.max(1, sizes[name]), onIdleError, ...limits });
    opened.set(name, database);
    return database;
  };
  const main = open(sizes.background > 0 ? 'background' : 'planner');
  const openIfUsed = (name: PoolName, statementTimeoutMs?: number): Database =>
    sizes[name] > 0 ? (opened.get(name) ?? open(name, statementTimeoutMs)) : main;
  const signIn = openAuthPool({ url, maxConnections: sizes.signIn, onIdleError });
  return {
    intake: openIfUsed('intake'),
    background: main,
    panel: openIfUsed('panel', PANEL_STATEMENT_TIMEOUT_MS),
    metrics: openIfUsed('metrics', METRICS_STATEMENT_TIMEOUT_MS),
    planner: openIfUsed('planner'),
    signIn,
    stats: () => [
      ...[...opened].map(([pool, database]) => ({ pool, ...database.stats() })),
      { pool: 'signIn', total: signIn.totalCount, idle: signIn.idleCount, waiting: signIn.waitingCount },
    ],
    async close() {
      await signIn.end();
      for (const database of opened.values()) await database.close();
    },
  };
}
