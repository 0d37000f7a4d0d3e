import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { clearAway, makeFolder } from '../../test/processes/embedded.ts';
import { cutLongLog } from './server-log.ts';

afterEach(() => clearAway({ keepPrepared: false }));

test('a log that has grown too long is cut and kept once, a short one is left', async () => {
  const log = path.join(await makeFolder(), 'postgres.log');
  await writeFile(log, 'x'.repeat(100));
  await cutLongLog(log, 100);
  expect((await stat(log)).size).toBe(100);
  await cutLongLog(log, 99);
  expect((await stat(log)).size).toBe(0);
  expect((await stat(`${log}.1`)).size).toBe(100);
});
