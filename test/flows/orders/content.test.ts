import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runContent, type ContentOptions, type ContentStage } from '../../../chaos/content/content-run.ts';
import { restoreBackup } from '../../../src/store/backup/restore.ts';
import { writeBackup } from '../../../src/store/backup/write.ts';
import { newSeed } from '../../../harness/chance.ts';
import { createTestDatabase } from '../../../harness/service/database.ts';
import { startService } from '../../../harness/service/service.ts';

async function run(options: Pick<ContentOptions, 'orders' | 'batchSize' | 'reader'>, seed = newSeed()) {
  const service = await startService();
  const target = await createTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-content-'));
  const stage: ContentStage = {
    ...service,
    async backUpAndRestore() {
      const file = path.join(folder, 'backup');
      const onProgress = (): void => undefined;
      await writeBackup({ url: service.databaseUrl, file, now: service.app.clock.now(), onProgress });
      await restoreBackup({ url: target.url, file, opensKeyCheck: () => true, onProgress });
      return target.url;
    },
    eventually: async (what, isTrue) => {
      await expect.poll(isTrue, { message: `${what} (WAYBILL_TEST_SEED=${seed})` }).toBe(true);
    },
  };
  try {
    return await runContent(stage, { ...options, seed, onProgress: () => undefined });
  } catch (error) {
    throw new Error(`With WAYBILL_TEST_SEED=${seed}`, { cause: error });
  } finally {
    await service.stop();
    await target.drop();
    await rm(folder, { recursive: true });
  }
}

test('3,000 orders in every accepted spelling break no reader and delay no other orders', async () => {
  const report = await run({ orders: 3_000, batchSize: 1_000 });
  expect(report.accepted).toBe(3_000);
  expect(report.waitsBeside).toHaveLength(3);
}, 300_000);

test('control: a reader that casts the content itself is detected', async () => {
  const cast = run({
    orders: 200,
    batchSize: 200,
    reader: async ({ db }, orderIds) => {
      await db.query(
        `select (content #>> '{timing,prepMinutes}')::integer, (content #>> '{package,count}')::integer,
           (content #>> '{timing,readyAt}')::timestamptz
         from orders where id = any($1::uuid[])`,
        [orderIds],
      );
    },
  });
  // Which spelling the cast meets first depends on the seed: PostgreSQL has several sentences for a data exception.
  await expect(cast).rejects.toMatchObject({ cause: { code: expect.stringMatching(/^22/) } });
}, 60_000);
