import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clearAway, makeFolder } from '../../test/processes/embedded.ts';
import { rotateLargeLog } from './server-log.ts';

afterEach(() => clearAway({ keepPrepared: false }));

test('an oversized log is truncated with one copy kept, and a short log is left alone', async () => {
  const log = path.join(await makeFolder(), 'postgres.log');
  await writeFile(log, 'x'.repeat(100));
  await rotateLargeLog(log, 100);
  expect((await stat(log)).size).toBe(100);
  await rotateLargeLog(log, 99);
  expect((await stat(log)).size).toBe(0);
  expect((await stat(`${log}.1`)).size).toBe(100);
});
