// Where the master key comes from: the setting, or a file that the embedded installation generates.
import { link, open, readFile, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../settings/config.ts';
import { restrictToOwner, giveToFolderOwner, openDataFolder } from '../runtime/data-folder.ts';
import { decodeMasterKey, MASTER_KEY_BYTES } from '../settings/parsers.ts';

/** The message explains to the user what is wrong and what to do about it. */
export class MasterKeyError extends Error {
  override name = 'MasterKeyError';
}

type Source = Pick<Config, 'dataDir' | 'masterKey'>;

export function masterKeyFile(dataDir: string): string {
  return path.join(dataDir, 'master.key');
}

/** The key from the settings or the data folder; generated there if there is none yet. */
export async function obtainMasterKey(source: Source, randomBytes: (count: number) => Buffer): Promise<Buffer> {
  return (await findMasterKey(source)) ?? makeKey(source, randomBytes);
}

export async function findMasterKey(source: Source): Promise<Buffer | undefined> {
  if (source.masterKey !== null) return source.masterKey;
  return findKeyIn(masterKeyFile(source.dataDir));
}

async function findKeyIn(file: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    await restrictToOwner(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new MasterKeyError(`Cannot read the master key ${file}. Run Waybill as the user who owns the file.`, {
      cause: error,
    });
  }
  const reading = decodeMasterKey(text);
  if (reading.ok) return reading.key;
  throw new MasterKeyError(`${file} does not contain 32 bytes in base64. Replace it with your copy of the master key.`);
}

// Written to a temporary file and linked into place: if two programs start concurrently, one wins and both read the
// same key, and a crash never leaves half a key.
async function makeKey(
  source: Source,
  randomBytes: (count: number) => Buffer,
  file = masterKeyFile(source.dataDir),
): Promise<Buffer> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await openDataFolder(source.dataDir);
  const written = await open(draft, 'wx', 0o600);
  try {
    await giveToFolderOwner(written, source.dataDir);
    await written.writeFile(`${randomBytes(MASTER_KEY_BYTES).toString('base64')}\n`);
    await written.sync();
  } finally {
    await written.close();
  }
  try {
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  await flushFolder(source.dataDir);
  const key = await findKeyIn(file);
  if (key === undefined)
    throw new MasterKeyError(`The master key ${file} disappeared while it was being created. Try again.`);
  return key;
}

/** Throws if the file is missing or contains no key. */
export async function readKeyFile(file: string): Promise<Buffer> {
  const key = await findKeyIn(file);
  if (key === undefined) throw new MasterKeyError(`The file ${file} does not exist.`);
  return key;
}

function nextKeyFile(dataDir: string): string {
  return `${masterKeyFile(dataDir)}.next`;
}

/** Kept beside the current key until everything is encrypted with it, so an interrupted rotation can continue. */
export async function obtainNextKey(source: Source, randomBytes: (count: number) => Buffer): Promise<Buffer> {
  const file = nextKeyFile(source.dataDir);
  return (await findKeyIn(file)) ?? makeKey(source, randomBytes, file);
}

/** Call it once the database knows only the next key. */
export async function adoptNextKey(dataDir: string): Promise<void> {
  await rename(nextKeyFile(dataDir), masterKeyFile(dataDir));
  await flushFolder(dataDir);
}

// A key in use, and its name in the folder, must survive a power failure.
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
