import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMasterKey, masterKeyFile, MasterKeyError, obtainMasterKey } from './master-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the first start creates a key that only its owner can read, and later starts use it', async () => {
  const source = { dataDir: path.join(folder, 'new'), masterKey: null };
  expect(await findMasterKey(source).catch((error: unknown) => error)).toBeUndefined();
  const made = await obtainMasterKey(source, randomBytes);
  expect(made).toHaveLength(32);
  expect((await stat(masterKeyFile(source.dataDir))).mode & 0o777).toBe(0o600);
  expect(await obtainMasterKey(source, randomBytes)).toEqual(made);
  expect(await readdir(source.dataDir)).toEqual(['master.key']);
});

test('concurrent first starts all get the same key', async () => {
  const source = { dataDir: folder, masterKey: null };
  const keys = await Promise.all(Array.from({ length: 20 }, () => obtainMasterKey(source, randomBytes)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(await readdir(folder)).toEqual(['master.key']);
});

test('a key from the settings takes precedence and nothing is written', async () => {
  const masterKey = randomBytes(32);
  expect(await obtainMasterKey({ dataDir: folder, masterKey }, randomBytes)).toBe(masterKey);
  expect(await readdir(folder)).toEqual([]);
});

test.each(['', 'not base64 at all', randomBytes(31).toString('base64')])(
  'a damaged key file is rejected and never replaced: %j',
  async (text) => {
    await writeFile(masterKeyFile(folder), text);
    await expect(obtainMasterKey({ dataDir: folder, masterKey: null }, randomBytes)).rejects.toThrow(MasterKeyError);
    expect((await stat(masterKeyFile(folder))).size).toBe(text.length);
  },
);
