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
  countWaiting(): Promise<number>;
  /** Ends these waits: the transactions are committed, but only here. Returns how many there were. */
  endWaits(how: 'cancel' | 'terminate'): Promise<number>;
  /** Ends waits until the work is done. */
  endWaitsDuring<Result>(how: 'cancel' | 'terminate', work: Promise<Result>): Promise<Result>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Closes every session but this one. */
  closeSessions(): Promise<void>;
  stop(): Promise<void>;
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
  const countWaiting = async (): Promise<number> =>
    Number((await query<{ count: string }>(`select count(*) ${WAITING}`))[0]?.count);
  const endWaits: ReplicatedServer['endWaits'] = async (how) =>
    (await query(`select pg_${how}_backend(pid) ${WAITING}`)).length;
  return {
    url: server.url,
    query,
    countWaiting,
    endWaits,
    async loseStandby() {
      await reload(`set synchronous_standby_names = 'nobody'`);
      const trial = await connect(server.url);
      const pid = Number((await trial.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid);
      const isWaiting = async (): Promise<boolean> => (await query(`select ${WAITING} and pid = $1`, [pid])).length > 0;
      // The server's processes notice the change one after another, so others may wait before the trial does.
      let isOver = false;
      while (!isOver) {
        const trialCommit = { isAnswered: false };
        const commit = trial
          .query(`select pg_catalog.pg_logical_emit_message(true, 'trial', '')`)
          .then(() => (trialCommit.isAnswered = true));
        while (!trialCommit.isAnswered && !isOver) isOver = await isWaiting();
        if (isOver) await query('select pg_cancel_backend($1)', [pid]);
        await commit;
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

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
