// Connections whose answer is overdue. A commit that waits for a standby cannot be ended from here: `statement_timeout`
// does not apply to it, and the server does not notice that the client is gone. If the pool replaced such a connection,
// each replacement would wait too, until the server had no connections left. So the pool keeps it, unused, until the
// server answers, or until the server turns out not to wait for a standby in that session.
import { DatabaseError, type PoolClient } from 'pg';
import { DatabaseClient } from './connecting/client.ts';

const CHECK_INTERVAL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 3_000;
// Class 53: the server has no connection left, so the overdue ones must not be replaced.
const NO_RESOURCES = /^53/;

export class OverdueConnections {
  readonly #url: string;
  readonly #kept = new Map<PoolClient, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(url: string) {
    this.#url = url;
  }

  get count(): number {
    return this.#kept.size;
  }

  keep(client: PoolClient): void {
    const close = (): void => {
      if (!this.#kept.delete(client)) return;
      client.off('drain', close).off('end', close);
      client.release(true);
      if (this.#kept.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    this.#kept.set(client, close);
    // `drain`: the overdue answer has arrived.
    client.once('drain', close).once('end', close);
    this.#timer ??= setInterval(() => void this.#check(), CHECK_INTERVAL_MS).unref();
    void this.#check();
  }

  closeAll(): void {
    for (const close of this.#kept.values()) close();
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const clients = [...this.#kept.keys()];
    try {
      const waiting = await listWaiting(this.#url, clients.map(sessionOf));
      for (const client of clients) if (!waiting.has(sessionOf(client))) this.#kept.get(client)?.();
    } catch (error) {
      // Otherwise the server is gone or frozen, and a new connection may reach another one.
      const isFull = error instanceof DatabaseError && NO_RESOURCES.test(error.code ?? '');
      if (!isFull) for (const client of clients) this.#kept.get(client)?.();
    } finally {
      this.#isChecking = false;
    }
  }
}

function sessionOf(client: PoolClient): number {
  // The driver has it, but its types do not.
  return 'processID' in client ? Number(client.processID) : 0;
}

/** Which of these sessions wait for a standby. */
async function listWaiting(url: string, sessions: readonly number[]): Promise<Set<number>> {
  const client = new DatabaseClient({
    url,
    name: 'waybill-overdue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = any($1::int[]) and wait_event = 'SyncRep'`,
      [sessions],
    );
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    await client.end().catch(() => undefined);
  }
}
