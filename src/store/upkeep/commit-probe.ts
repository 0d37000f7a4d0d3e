// A commit that changes nothing and takes the path of every order: it needs the locks that placing an order needs,
// writes to the log and waits for the standby if commits wait for one. `select 1` succeeded through an outage of 41 s in
// which no commit returned.
import { DatabaseClient } from '../database/connecting/client.ts';
import { isUnreplicatedCommit } from '../database/unreplicated-commit.ts';

const NAME = 'waybill-commit-probe';
const CONNECT_TIMEOUT_MS = 3_000;
/** Then the connection is given up: the server behind it may be frozen, or no longer be the primary. */
export const PROBE_TIMEOUT_MS = 10_000;

// One implicit transaction. `nowait` fails behind a lock queue at once, instead of becoming part of the queue.
const PROBE = `
  lock table only orders, only events, only deliveries, only event_counters in row exclusive mode nowait;
  select pg_logical_emit_message(true, 'waybill', '')`;
// A backend that waits for a standby does not notice that its client is gone, and would keep its connection.
const CANCEL = 'select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and application_name = $2';

export class CommitProbe {
  readonly #url: string;
  #client: DatabaseClient | undefined;
  #processId = 0;
  /** The backend of a probe that did not return. */
  #abandoned: number | undefined;
  #isClosed = false;
  /** Someone ended the wait for the standby; see unreplicated-commit.ts. */
  #isUnreplicated = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves when a commit has succeeded. Not to be called again before it has ended. */
  async run(): Promise<void> {
    const client = this.#client ?? (await this.#connect());
    try {
      this.#isUnreplicated = false;
      await client.query(PROBE);
      if (this.#isUnreplicated) throw new Error('the probe was committed here, but not on the standby');
    } catch (error) {
      const isHanging = error instanceof Error && error.message === 'Query read timeout';
      this.#disconnect();
      if (isHanging) this.#abandoned = this.#processId;
      throw error;
    }
  }

  /** A probe that is under way fails, and none follows. */
  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  #disconnect(): void {
    // Not `end()`, which waits for the server.
    this.#client?.connection.stream.destroy();
    this.#client = undefined;
  }

  async #connect(): Promise<DatabaseClient> {
    const client = new DatabaseClient({
      url: this.#url,
      name: NAME,
      mustBeWritable: true,
      requiredSession: { client_min_messages: 'warning' },
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('notice', (notice) => {
      if (isUnreplicatedCommit(notice)) this.#isUnreplicated = true;
    });
    await client.connect();
    this.#client = client;
    if (this.#isClosed) {
      this.#disconnect();
      throw new Error('the probe was closed');
    }
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    this.#processId = rows[0]?.pid ?? 0;
    if (this.#abandoned !== undefined) await client.query(CANCEL, [this.#abandoned, NAME]);
    this.#abandoned = undefined;
    return client;
  }
}
