// Connections whose answer is overdue. A commit that waits for a standby cannot be ended from here: `statement_timeout`
// does not apply to it, and the server does not notice that the client is gone. If the pool replaced such a connection,
// each replacement would wait too, until the server had no connections left. So the pool keeps it, unused, until the
// server answers. A connection is:
//
// - `unchecked` from the time its answer is overdue until the server was asked what that session waits for. An answer
//   that is overdue for another reason, such as a lock, moves it to `closed`.
// - `waiting` for a standby. It is asked about again once a second, because the server may be frozen or another one.
// - `closed`: its answer has arrived, or it does not wait for a standby. The pool replaces it.
import { DatabaseError, type PoolClient } from 'pg';
import { DatabaseClient } from './connecting/client.ts';

const CHECK_INTERVAL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 3_000;
// Class 53: the server has no connection left, so the overdue ones must not be replaced.
const NO_RESOURCES = /^53/;

interface Kept {
  phase: 'unchecked' | 'waiting';
  close(): void;
}

interface Options {
  url: string;
  /** How many connections the pool has. One of them is left for reads. */
  poolSize: number;
}

export class OverdueConnections {
  readonly #url: string;
  readonly #maxKept: number;
  readonly #kept = new Map<PoolClient, Kept>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;

  constructor({ url, poolSize }: Options) {
    this.#url = url;
    this.#maxKept = Math.max(1, poolSize - 1);
  }

  get count(): number {
    return this.#kept.size;
  }

  keep(client: PoolClient): void {
    // Those that are kept already make the pool refuse writes, so no more of these follow.
    if (this.#kept.size >= this.#maxKept) {
      client.release(true);
      return;
    }
    const close = (): void => {
      if (!this.#kept.delete(client)) return;
      client.off('drain', close).off('end', close);
      client.release(true);
      if (this.#kept.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    this.#kept.set(client, { phase: 'unchecked', close });
    // `drain`: the overdue answer has arrived.
    client.once('drain', close).once('end', close);
    this.#timer ??= setInterval(() => this.#startCheck(), CHECK_INTERVAL_MS).unref();
    this.#startCheck();
  }

  /** Whether a commit waits for a standby. One that is overdue is checked first: it may wait for a lock. */
  async hasWaiting(): Promise<boolean> {
    if (!this.#has('waiting')) await this.#checking;
    return this.#has('waiting');
  }

  closeAll(): void {
    for (const kept of this.#kept.values()) kept.close();
  }

  #has(phase: Kept['phase']): boolean {
    return [...this.#kept.values()].some((kept) => kept.phase === phase);
  }

  #startCheck(): void {
    this.#checking ??= this.#checkAll().finally(() => (this.#checking = undefined));
  }

  async #checkAll(): Promise<void> {
    do await this.#check([...this.#kept]);
    while (this.#has('unchecked'));
  }

  async #check(overdue: readonly [PoolClient, Kept][]): Promise<void> {
    const waiting = await this.#listWaiting(overdue.map(([client]) => sessionOf(client)));
    for (const [client, kept] of overdue) {
      if (waiting === 'unknown' || waiting.has(sessionOf(client))) kept.phase = 'waiting';
      else kept.close();
    }
  }

  /** Unknown if the server has no connection left to ask. */
  async #listWaiting(sessions: readonly number[]): Promise<Set<number> | 'unknown'> {
    try {
      return await listWaiting(this.#url, sessions);
    } catch (error) {
      if (error instanceof DatabaseError && NO_RESOURCES.test(error.code ?? '')) return 'unknown';
      // The server is gone or frozen, and a new connection may reach another one.
      return new Set();
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
