// The same job on pg-boss, set up as its documentation recommends for many small jobs: jobs fetched in batches and
// completed individually, workers woken by NOTIFY and kept busy while batches are full, retries with backoff.
import { Pool } from 'pg';
import { PgBoss, type Job, type JobResult } from 'pg-boss';
import { answerParent } from './messages.ts';
import { ATTEMPTS_TABLE, createPoster, startIntake, RivalLedger, type RivalJob, type RivalSetup } from './rival.ts';

const QUEUE = 'webhooks';
/** Several, so that one fetches a batch while others send; together they take more jobs than there are connections. */
const WORKERS = 4;
const BATCH = 50;
const CONNECTIONS = 20;

const ledger = new RivalLedger();

const commands = {
  async start(setup: RivalSetup): Promise<string> {
    const db = new Pool({ connectionString: setup.databaseUrl, max: WORKERS });
    await db.query(ATTEMPTS_TABLE);
    const boss = new PgBoss({ connectionString: setup.databaseUrl, max: CONNECTIONS, useListenNotify: true });
    boss.on('error', (error) => console.error(`pg-boss: ${error.message}`));
    await boss.start();
    await boss.createQueue(QUEUE, { notify: true, retryLimit: 10, retryDelay: 60, retryBackoff: true });
    const post = createPoster(setup);

    const deliver = async (jobs: Job<RivalJob>[]): Promise<JobResult[]> => {
      const ended = await Promise.allSettled(jobs.map(async (job) => ({ id: job.id, ...(await post(job.data)) })));
      const sent = ended.filter((one) => one.status === 'fulfilled').map((one) => one.value);
      await db.query({
        name: 'record_attempts',
        text: `insert into attempts (job_id, status, started_at, total_ms)
               select * from unnest($1::text[], $2::int[], $3::timestamptz[], $4::real[])`,
        values: [
          sent.map((one) => one.id),
          sent.map((one) => one.status),
          sent.map((one) => one.startedAt),
          sent.map((one) => one.totalMs),
        ],
      });
      ledger.recorded(sent.length);
      return jobs.map(({ id }, index) => ({
        id,
        status: ended[index]?.status === 'fulfilled' ? ('completed' as const) : ('failed' as const),
      }));
    };
    await boss.work<RivalJob, unknown, { perJobResults: true; batchSize: number }>(
      QUEUE,
      {
        perJobResults: true,
        batchSize: BATCH,
        localConcurrency: WORKERS,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
      } as { perJobResults: true; batchSize: number },
      deliver,
    );
    return startIntake(async (job) => {
      ledger.accepted();
      await boss.send(QUEUE, job);
    });
  },

  settle: (): Promise<void> => ledger.settle(),
};

export type PgBossCommands = typeof commands;

answerParent(commands);
