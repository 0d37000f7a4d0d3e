import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

// Plain JavaScript in a separate process, like the commands that use the lock. Pauses are skipped, so the lock is
// requested at the very moment it is released.
const COMPETITION = `
  import { withInstallLock } from '${path.join(import.meta.dirname, '..', 'scripts', 'install-lock.mjs')}';
  globalThis.setTimeout = (run) => setImmediate(run);
  console.error = () => undefined;
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  const compete = async () => {
    for (let round = 0; round < 40; round += 1) await withInstallLock(process.argv[1], work);
  };
  await Promise.all([compete(), compete(), compete()]);
  console.log(most);`;

test('of several processes that want the lock when it is released, one gets it and none fails', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = ['--input-type=module', '-e', COMPETITION, path.join(folder, 'lock')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('1\n');
  expect(await readdir(folder)).toEqual([]);
});
