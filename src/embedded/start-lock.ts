// Held only while a server is being created, adopted or started. It spares a second service a confusing error. If it
// ever fails, PostgreSQL's own pid file and the atomic rename of a new cluster still protect the data.
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, EmbeddedPostgresError, hasCode } from './system/failure.ts';
import { nameUser } from './system/process-owner.ts';
import { findProcessStart } from './system/processes.ts';

let attempts = 0;

export async function withStartLock<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const lock = path.join(dataDir, 'postgres.starting');
  await acquire(dataDir, lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(dataDir: string, lock: string): Promise<void> {
  attempts += 1;
  const mine = `${lock}.${process.pid}.${attempts}`;
  try {
    await writeFile(mine, `${process.pid} ${await findProcessStart(process.pid)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw await explainUnwritable(dataDir, error);
  }
  try {
    await linkOrTakeOver(mine, lock);
  } finally {
    await rm(mine, { force: true });
  }
}

// A hard link appears together with its content, so that no process ever reads a lock without a pid.
async function linkOrTakeOver(mine: string, lock: string): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    try {
      await link(mine, lock);
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const holder = await readFile(lock, 'utf8').catch(() => undefined);
    if (holder === undefined) continue;
    if (await isHeld(holder)) throw refusal(holder);
    await removeStale(lock, holder, `${mine}.stale`);
  }
  throw refusal('?');
}

async function isHeld(holder: string): Promise<boolean> {
  const [pid, startedAt] = holder.trim().split(' ');
  return pid !== undefined && startedAt !== undefined && (await findProcessStart(Number(pid))) === startedAt;
}

// Moved aside before it is removed: if another process has taken the lock since we read it, we have moved a held lock
// and put it back.
async function removeStale(lock: string, stale: string, aside: string): Promise<void> {
  try {
    await rename(lock, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function refusal(holder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Another Waybill process (${holder.split(' ')[0]}) is starting in this data folder. ` +
      'Try again in a moment, or set WAYBILL_DATA_DIR to another folder.',
  );
}

async function explainUnwritable(dataDir: string, error: unknown): Promise<unknown> {
  if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return error;
  const owner = await nameUser((await stat(dataDir)).uid);
  return new EmbeddedPostgresError(
    `The data folder ${dataDir} belongs to user ${owner} and cannot be written by user ` +
      `${await nameUser(process.getuid?.() ?? -1)} (${describe(error)}). Start Waybill as the owner of the folder, ` +
      'or set WAYBILL_DATA_DIR to another folder.',
    { cause: error },
  );
}
