// Detects a pooler that gives a client another server connection for each transaction, such as PgBouncer with
// `pool_mode = transaction`. Behind one, session locks, LISTEN, settings and prepared statements end up in sessions of
// other clients: a migration's lock was once left behind in an idle server connection, and the next start waited for it.
import { DatabaseError, type Client } from 'pg';
import { DatabaseClient } from './client.ts';

export class TransactionPooling extends Error {
  override name = 'TransactionPooling';

  constructor() {
    super(
      'The connection pooler in front of the database changes sessions between transactions, and Waybill needs sessions ' +
        'of its own. Set pool_mode = session in PgBouncer, or let DATABASE_URL name PostgreSQL itself.',
    );
  }
}

const ROUNDS = 3;
const QUERY_LIMIT_MS = 5_000;
const SETTING = 'waybill.session_check';

/** Throws `TransactionPooling`, or the error of a connection that fails. */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const clients = [1, 2].map(
    () =>
      new DatabaseClient({
        url,
        name: 'waybill-pooler-check',
        connectionTimeoutMillis: QUERY_LIMIT_MS,
        query_timeout: QUERY_LIMIT_MS,
      }),
  );
  try {
    for (const client of clients) await client.connect();
    if (!(await haveOwnSessions(clients))) throw new TransactionPooling();
  } catch (error) {
    // With pool_mode = statement, PgBouncer refuses to begin a transaction.
    const isStatementPooling = error instanceof DatabaseError && error.message.includes('statement pooling');
    throw isStatementPooling ? new TransactionPooling() : error;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * Two clients are connected at once, so with sessions of their own they see two different servers throughout. If the
 * pooler has a single idle server connection, both get the same one. If it has several, the one that a client used last
 * is either given to the other client's transaction, or rotates, and then a client sees another server than before.
 * Two clients and a transaction that is held open are enough to detect it, whichever connection the pooler prefers.
 */
async function haveOwnSessions(clients: readonly Client[]): Promise<boolean> {
  const processes = new Map<Client, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, other] = round % 2 === 0 ? clients : clients.toReversed();
    if (one === undefined || other === undefined) return true;
    if (!(await isSameSession(one, processes, `set ${SETTING} = 'round ${round}'`))) return false;
    await other.query('begin');
    const isSeparate = await isSameSession(other, processes);
    if (new Set(processes.values()).size < processes.size || !isSeparate) return false;
    if (!(await isSameSession(one, processes))) return false;
    await other.query('rollback');
    if ((await readSetting(one)) !== `round ${round}`) return false;
  }
  return true;
}

async function isSameSession(client: Client, processes: Map<Client, number>, first?: string): Promise<boolean> {
  if (first !== undefined) await client.query(first);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const known = processes.get(client) ?? pid;
  processes.set(client, pid);
  return known === pid;
}

async function readSetting(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ setting: string | null }>(
    `select current_setting('${SETTING}', true) as setting`,
  );
  return rows[0]?.setting ?? null;
}
