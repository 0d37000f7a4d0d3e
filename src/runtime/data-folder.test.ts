import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restrictToOwner, giveToFolderOwner, openDataFolder } from './data-folder.ts';

const isRoot = process.getuid?.() === 0;

let base: string;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'waybill-folder-'));
});
afterEach(() => rm(base, { recursive: true }));

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o7777).toString(8);
}

test.each(['0', '022', '0777'])('a new data folder has mode 700 under umask %s', async (umask) => {
  const folder = path.join(base, 'my data');
  const script = `
    process.umask(${JSON.stringify(umask)});
    const { openDataFolder } = await import(${JSON.stringify(new URL('data-folder.ts', import.meta.url))});
    await openDataFolder(process.argv[1]);
  `;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder]);
  expect(await modeOf(folder)).toBe('700');
});

test('an existing data folder that others can enter is restricted to its owner', async () => {
  for (const name of ['empty', 'used']) await mkdir(path.join(base, name), { mode: 0o755 });
  await writeFile(path.join(base, 'used', 'master.key'), '');
  for (const name of ['empty', 'used']) {
    expect(await openDataFolder(path.join(base, name))).toBeUndefined();
    expect(await modeOf(path.join(base, name))).toBe('700');
  }
});

test('a folder that other programs use keeps its mode, with a warning', async () => {
  const foreign = path.join(base, 'home');
  await mkdir(foreign);
  await writeFile(path.join(foreign, 'photo.jpg'), '');
  await chmod(foreign, 0o755);
  expect(await openDataFolder(foreign)).toContain('files of other programs');
  expect(await modeOf(foreign)).toBe('755');

  const temporary = path.join(base, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  expect(await openDataFolder(temporary)).toContain('files of other programs');
  expect(await modeOf(temporary)).toBe('1777');
});

test('a secret that others can read is restricted to its owner', async () => {
  const file = path.join(base, 'master.key');
  await writeFile(file, 'secret');
  await chmod(file, 0o644);
  await restrictToOwner(file);
  expect(await modeOf(file)).toBe('600');
});

test.runIf(isRoot)('files that root creates in another user’s data folder belong to that user', async () => {
  const folder = path.join(base, 'data');
  await mkdir(folder);
  await chown(folder, 1, 1);
  const file = await open(path.join(folder, 'demo.json'), 'wx');
  await giveToFolderOwner(file, folder);
  await file.close();
  expect((await stat(path.join(folder, 'demo.json'))).uid).toBe(1);
});
