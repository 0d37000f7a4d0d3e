// The same job on graphile-worker, with the settings that its documentation recommends for maximum throughput: a local
// queue and batched results. Retries are its built-in ones, with backoff.
import { run, Logger, type Task } from 'graphile-worker';
import { MAX_CONCURRENT } from '../../src/webhooks/queue/endpoint-queue.ts';
import { answerParent } from './messages.ts';
import { withClient } from '../../harness/postgres/cluster.ts';
import { ATTEMPTS_TABLE, createPoster, startIntake, RivalLedger, type RivalJob, type RivalSetup } from './rival.ts';

const TASK = 'deliver';
/** One job per connection to the receiver, and two extra database connections, as its documentation recommends. */
const JOBS_AT_ONCE = MAX_CONCURRENT;
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
      // Silenced: its logger writes a line per job to the console. Waybill also logs one per job, but to a file.
      logger: new Logger(() => () => {}),
      noHandleSignals: true,
      taskList: { [TASK]: deliver },
    });
    return startIntake(async (job) => {
      ledger.accepted();
      await runner.addJob(TASK, job);
    });
  },

  settle: (): Promise<void> => ledger.settle(),
};

export type GraphileCommands = typeof commands;

answerParent(commands);
