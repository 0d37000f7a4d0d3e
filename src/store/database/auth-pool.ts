// Connections for the authentication library, which writes its own SQL. The pool is separate and small so that a flood
// of sign-ins cannot use up the connections needed to place orders.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';
import { DatabaseUnavailable, openGuardedPool, toUnavailable, type GuardedPool } from './database.ts';

/** What the library uses of a pool. */
export interface AuthPool extends Pick<GuardedPool, 'stats'> {
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
}

export interface AuthPoolOptions {
  url: string;
  maxConnections: number;
  /** How long the server may take to answer a statement. */
  answerTimeoutMs?: number;
  onIdleError: (error: Error) => void;
}

const ANSWER_TIMEOUT_MS = 5_000;

export function openAuthPool({ answerTimeoutMs = ANSWER_TIMEOUT_MS, ...options }: AuthPoolOptions): AuthPool {
  const pool = openGuardedPool({
    ...options,
    name: 'waybill-sign-in',
    // The driver treats 0 as its default of ten.
    maxConnections: Math.max(1, options.maxConnections),
    statementTimeoutMs: answerTimeoutMs,
    answerTimeoutMs,
  });
  return {
    connect() {
      const lent = Promise.withResolvers<PoolClient>();
      const use = (client: PoolClient): Promise<void> =>
        new Promise((resolve, reject) => lent.resolve(lend(client, { resolve, reject })));
      pool.withClient(use, () => true).catch((error: unknown) => lent.reject(noteOutage(error)));
      return lent.promise;
    },
    stats: () => pool.stats(),
    end: () => pool.close(),
  };
}

/** The client as the library sees it. When it is released, the pool learns whether the database was unavailable. */
function lend(client: PoolClient, use: { resolve(): void; reject(error: unknown): void }): PoolClient {
  let outage: { error: unknown } | undefined;
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    // After an overdue answer, a rollback would only wait behind it.
    if (outage !== undefined) throw outage.error;
    try {
      return await client.query(text, values);
    } catch (error) {
      if (noteOutage(error) instanceof DatabaseUnavailable) outage = { error };
      throw error;
    }
  };
  const release = (): void => (outage === undefined ? use.resolve() : use.reject(outage.error));
  return new Proxy(client, {
    get(target, name) {
      if (name === 'query') return query;
      return name === 'release' ? release : Reflect.get(target, name, target);
    },
  });
}

const watches = new AsyncLocalStorage<{ outage?: DatabaseUnavailable }>();

/** The library replaces errors of the database by its own, or ignores them. Fails if the database was unavailable. */
export async function failOnOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  const watch: { outage?: DatabaseUnavailable } = {};
  const [result] = await Promise.allSettled([watches.run(watch, work)]);
  if (watch.outage !== undefined) throw watch.outage;
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Returns the error as `toUnavailable` converts it. */
export function noteOutage(error: unknown): unknown {
  const failure = toUnavailable(error);
  const watch = watches.getStore();
  if (watch !== undefined && failure instanceof DatabaseUnavailable) watch.outage ??= failure;
  return failure;
}
