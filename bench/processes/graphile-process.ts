// The same job on graphile-worker, with the settings that its documentation gives for the highest throughput: a local
// queue, results in batches. Retries are its own, with backoff.
import { run, Logger, type Task } from 'graphile-worker';
import { MOST_AT_ONCE } from '../../src/webhooks/queue/endpoint-queue.ts';
import { answerParent } from './messages.ts';
import { withClient } from '../../harness/postgres/cluster.ts';
import { ATTEMPTS_TABLE, createPoster, openDoor, RivalLedger, type RivalJob, type RivalSetup } from './rival.ts';

const TASK = 'deliver';
/** As many as there are connections to the receiver, and two more to the database, as it is recommended. */
const JOBS_AT_ONCE = MOST_AT_ONCE;
const CONNECTIONS = JOBS_AT_ONCE + 2;
const LOCAL_QUEUE = 500;

const ledger = new RivalLedger();

const commands = {
  async start(setup: RivalSetup): Promise<string> {
    await withClient(setup.databaseUrl, (client) => client.query(ATTEMPTS_TABLE));
    const post = createPoster(setup);

    const deliver: Task = async (payload, { job, withPgClient }) => {
      const { status, startedAt, totalMs } = await post(payload as RivalJob);
      await withPgClient((client) =>
        client.query({
          name: 'record_attempt',
          text: 'insert into attempts (job_id, status, started_at, total_ms) values ($1, $2, $3, $4)',
          values: [job.id, status, startedAt, totalMs],
        }),
      );
      ledger.recorded(1);
    };
    const runner = await run({
      preset: {
        worker: {
          connectionString: setup.databaseUrl,
          concurrentJobs: JOBS_AT_ONCE,
          maxPoolSize: CONNECTIONS,
          localQueue: { size: LOCAL_QUEUE },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      // It writes a line for each job otherwise, of which we would write one too, but into a file.
      logger: new Logger(() => () => {}),
      noHandleSignals: true,
      taskList: { [TASK]: deliver },
    });
    return openDoor(async (job) => {
      ledger.accepted();
      await runner.addJob(TASK, job);
    });
  },

  settle: (): Promise<void> => ledger.settle(),
};

export type GraphileCommands = typeof commands;

answerParent(commands);
