import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ensureReadableCopy } from './readable-copy.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

async function createPrograms(): Promise<{ folder: string; cache: string }> {
  const base = await mkdtemp(path.join(tmpdir(), 'waybill-open-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  await chmod(base, 0o755);
  const folder = path.join(base, 'only root', 'native');
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  await writeFile(path.join(folder, 'bin', 'postgres'), '#!/bin/sh\necho works\n', { mode: 0o755 });
  await symlink('postgres', path.join(folder, 'bin', 'link'));
  return { folder, cache: path.join(base, 'cache') };
}

test('programs that every user can reach are used in place', async () => {
  const { folder, cache } = await createPrograms();
  expect(await ensureReadableCopy(folder, cache)).toBe(folder);
});

test.runIf(isRoot)('programs in a root-only folder are copied once to where another user can run them', async () => {
  const { folder, cache } = await createPrograms();
  await chmod(path.dirname(folder), 0o700);
  const copies = await Promise.all([ensureReadableCopy(folder, cache), ensureReadableCopy(folder, cache)]);
  expect(new Set(copies).size).toBe(1);
  expect(await ensureReadableCopy(folder, cache)).toBe(copies[0]);
  const program = path.join(copies[0] ?? '', 'bin', 'link');
  const asNobody = { uid: NOBODY, gid: NOBODY, cwd: '/' };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'test -x "$0" && "$0"', program], asNobody);
  expect(stdout).toBe('works\n');
  // Control: at the original path, that user cannot.
  const before = path.join(folder, 'bin', 'link');
  await expect(promisify(execFile)('/bin/sh', ['-c', 'test -x "$0"', before], asNobody)).rejects.toThrow(
    'Command failed',
  );
});

test.runIf(isRoot)('a file that another user planted in place of the copy is not run', async () => {
  const { folder, cache } = await createPrograms();
  await chmod(path.dirname(folder), 0o700);
  const copy = await ensureReadableCopy(folder, cache);
  await chmod(copy, 0o777);
  await expect(ensureReadableCopy(folder, cache)).rejects.toThrow('the path is in use by something else');
});
