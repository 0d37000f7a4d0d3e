// A server of the test's own with synchronous replication, whose only standby can be lost. The standby is not a server:
// a name that nobody has makes every commit wait, exactly as when the standby is gone.
import { Client } from 'pg';
import { migrate } from '../../src/store/schema/migrate.ts';
import { makeDataDir, start } from '../processes/embedded.ts';

export interface ReplicatedServer {
  url: string;
  /** From now on, commits wait. Resolves when they do. */
  loseStandby(): Promise<void>;
  /** Everything that waits is confirmed, and new commits wait for nobody. */
  bringStandbyBack(): Promise<void>;
  countWaiting(ofClient?: string): Promise<number>;
  /** Ends these waits, or one client's: the transactions are committed, but only here. Returns how many there were. */
  endWaits(how: 'cancel' | 'terminate', ofClient?: string): Promise<number>;
  /** Ends waits until the work is done. */
  endWaitsDuring<Result>(how: 'cancel' | 'terminate', work: Promise<Result>): Promise<Result>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Closes every session but this one. */
  closeSessions(): Promise<void>;
  stop(): Promise<void>;
}

interface Wait {
  pid: number;
  began: string;
}

const WAITING = `from pg_stat_activity where wait_event = 'SyncRep'`;
const MAX_CONNECTIONS = 60;

export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const server = await start(await makeDataDir(), undefined, MAX_CONNECTIONS);
  await migrate(server.url);
  const admin = await connect(server.url);
  const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await admin.query<Row>(text, values)).rows;
  const reload = async (change: string): Promise<void> => {
    await query(`alter system ${change}`);
    await query('select pg_reload_conf()');
  };
  const countWaiting: ReplicatedServer['countWaiting'] = async (ofClient = '%') => {
    const [row] = await query<{ count: string }>(`select count(*) ${WAITING} and application_name like $1`, [ofClient]);
    return Number(row?.count);
  };
  const endWaits: ReplicatedServer['endWaits'] = async (how, ofClient = '%') => {
    const ended = await query<Wait>(
      `select pid, xact_start::text as began, pg_${how}_backend(pid) ${WAITING} and application_name like $1`,
      [ofClient],
    );
    const pids = ended.map(({ pid }) => pid);
    const starts = ended.map(({ began }) => began);
    // A session reacts a little later. Until then it would be counted again.
    const left = `select ${WAITING} and (pid, xact_start::text) in (select * from unnest($1::int[], $2::text[]))`;
    while (ended.length > 0 && (await query(left, [pids, starts])).length > 0);
    return ended.length;
  };
  return {
    url: server.url,
    query,
    countWaiting,
    endWaits,
    async loseStandby() {
      await reload(`set synchronous_standby_names = 'nobody'`);
      const trial = await connect(server.url, 'trial');
      // The server's processes notice the change one after another.
      let hasWaited = false;
      while (!hasWaited) {
        const commit = { isAnswered: false };
        const committed = trial
          .query(`select pg_catalog.pg_logical_emit_message(true, 'trial', '')`)
          .then(() => (commit.isAnswered = true));
        while (!commit.isAnswered) hasWaited = (await endWaits('cancel', 'trial')) > 0 || hasWaited;
        await committed;
      }
      await trial.end();
    },
    async bringStandbyBack() {
      await reload('reset synchronous_standby_names');
      while ((await countWaiting()) > 0);
    },
    async endWaitsDuring(how, work) {
      const progress = { isDone: false };
      const done = work.finally(() => (progress.isDone = true));
      // The caller handles a failure.
      done.catch(() => undefined);
      while (!progress.isDone) await endWaits(how);
      return done;
    },
    async closeSessions() {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
    },
    async stop() {
      await admin.end();
      await server.stop();
    },
  };
}

async function connect(url: string, name = 'test'): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: name });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
