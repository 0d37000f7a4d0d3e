// A service with its own database, for `npm run chaos -- content`.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildApp } from '../../src/app.ts';
import { createPlatform } from '../../src/platform.ts';
import { restoreBackup } from '../../src/store/backup/restore.ts';
import { writeBackup } from '../../src/store/backup/write.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { withScratchDatabase } from '../../src/store/schema/scratch-database.ts';
import { Postgres } from '../../harness/postgres/breakable-postgres.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import type { ContentStage } from './content-run.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 50;

export async function withContentStage<Result>(work: (stage: ContentStage) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-content-'));
  const postgres = await Postgres.start(path.join(folder, 'data'));
  try {
    await migrate(postgres.url);
    return await withScratchDatabase(postgres.url, 'waybill_restored', (restoredUrl) =>
      serve({ url: postgres.url, restoredUrl, folder }, work),
    );
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function serve<Result>(
  { url, restoredUrl, folder }: { url: string; restoredUrl: string; folder: string },
  work: (stage: ContentStage) => Promise<Result>,
): Promise<Result> {
  const app = buildApp({
    config: testConfig(),
    databaseUrl: url,
    masterKey: randomBytes(32),
    platform: createPlatform(),
  });
  const address = await app.start();
  try {
    return await work({ app, address, eventually, backUpAndRestore: () => backUpAndRestore() });
  } finally {
    await app.stop();
  }

  async function backUpAndRestore(): Promise<string> {
    const file = path.join(folder, 'backup');
    const onProgress = (): void => undefined;
    await writeBackup({ url, file, now: app.clock.now(), onProgress });
    await restoreBackup({ url: restoredUrl, file, opensKeyCheck: () => true, onProgress });
    return restoredUrl;
  }
}

async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > endsAtMs) throw new Error(`Timed out after ${PATIENCE_MS / 1_000} s: ${what}`);
    await pause(POLL_MS);
  }
}
