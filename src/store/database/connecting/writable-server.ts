// Which of several servers accepts writes. All connections of a process share what was found, so that after a failover
// each of them tries the new primary first.
import { Client } from 'pg';
import type { DatabaseServer } from './database-url.ts';

/** A server that is down or frozen must not use up the time in which the next one could answer. */
const ANSWER_LIMIT_MS = 1_000;

/** Reads both, because a primary can be set to accept no writes. */
export const STATE_COLUMNS = `pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`;

export interface ServerState {
  is_standby: boolean;
  is_read_only: boolean;
}

export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer';

  constructor(state: ServerState) {
    super(state.is_standby ? 'a standby, or still in recovery' : 'read-only');
  }
}

export interface ServerFailure {
  place: string;
  error: unknown;
}

export class NoWritableServer extends Error {
  override name = 'NoWritableServer';
  readonly failures: readonly ServerFailure[];

  constructor(failures: readonly ServerFailure[]) {
    const reasons = failures.map(({ place, error }) => `${place}: ${reasonOf(error)}`);
    super(`no server accepts writes (${reasons.join('; ')})`);
    this.failures = failures;
  }
}

/** The server, or each of several, can be reached and doesn't accept writes, or not yet. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof NoWritableServer || error instanceof ReadOnlyServer;
}

export function refuseReadOnly(state: ServerState | undefined): void {
  if (state !== undefined && (state.is_standby || state.is_read_only)) throw new ReadOnlyServer(state);
}

const lastFound = new Map<string, DatabaseServer>();
const searches = new Map<string, Promise<DatabaseServer>>();

/** Tries the last one found first, then the others in their order. Concurrent calls share one search. */
export function findWritableServer(servers: readonly DatabaseServer[]): Promise<DatabaseServer> {
  const key = servers.map(({ url }) => url).join(' ');
  const underWay = searches.get(key);
  if (underWay !== undefined) return underWay;
  const search = tryEach(servers, lastFound.get(key))
    .then((found) => {
      lastFound.set(key, found);
      return found;
    })
    .finally(() => searches.delete(key));
  searches.set(key, search);
  return search;
}

async function tryEach(servers: readonly DatabaseServer[], first: DatabaseServer | undefined): Promise<DatabaseServer> {
  const failures: ServerFailure[] = [];
  const others = servers.filter(({ url }) => url !== first?.url);
  for (const server of first === undefined ? servers : [first, ...others]) {
    try {
      await checkWritable(server.url);
      return server;
    } catch (error) {
      failures.push({ place: server.place, error });
    }
  }
  throw new NoWritableServer(failures);
}

async function checkWritable(url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'waybill-find-primary',
    connectionTimeoutMillis: ANSWER_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    refuseReadOnly((await client.query<ServerState>(`select ${STATE_COLUMNS}`)).rows[0]);
  } finally {
    // Not awaited: a frozen server would not answer the goodbye either.
    void client.end().catch(() => undefined);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.message === '' ? String(error.code) : error.message;
}
