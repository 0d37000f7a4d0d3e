// Allows one installation at a time. The lock is a folder that appears by one rename, with its owner's pid in it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProcess, isStillThere } from './processes.mjs';

const POLL_INTERVAL_MS = 200;

export async function withInstallLock(lock, work, doing = 'installing the packages') {
  await acquire(lock, doing);
  try {
    return await work({ guard: (pid) => addOwner(lock, pid) });
  } finally {
    await release(lock);
  }
}

// Released by one rename, as it was taken: while a folder is emptied in place, another process could take the lock.
async function release(lock) {
  const aside = `${lock}-done-${randomUUID()}`;
  // If this fails, the lock becomes stale when this process exits.
  await rename(lock, aside).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
}

async function acquire(lock, doing) {
  let hasSaidSo = false;
  for (;;) {
    if (await take(lock)) return;
    const owners = await readOwners(lock);
    if (owners.length > 0 && !(await isAnyAlive(owners))) {
      await removeStale(lock, owners);
    } else {
      if (!hasSaidSo) console.error(`Waiting for another command that is ${doing}`);
      hasSaidSo = true;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}

async function take(lock) {
  const mine = await mkdtemp(`${lock}-`);
  await addOwner(mine, process.pid);
  try {
    // Fails if the target folder is not empty, and a held lock never is.
    await rename(mine, lock);
    return true;
  } catch (error) {
    await rm(mine, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

// npm is an owner too: it continues installing if only this process is killed.
async function addOwner(lock, pid) {
  const owner = await findProcess(pid);
  if (owner !== undefined) await writeFile(path.join(lock, String(pid)), owner.start);
}

async function readOwners(lock) {
  const names = await readdir(lock).catch(() => []);
  return Promise.all(
    names.map(async (pid) => ({ pid, start: await readFile(path.join(lock, pid), 'utf8').catch(() => '') })),
  );
}

async function isAnyAlive(owners) {
  return (await Promise.all(owners.map(isStillThere))).includes(true);
}

// Moved aside first: if another process has taken the lock since we read it, it is put back.
async function removeStale(lock, owners) {
  const aside = `${lock}-stale-${process.pid}`;
  try {
    await rename(lock, aside);
  } catch {
    // Another process has already removed the lock.
    return;
  }
  const isSame = JSON.stringify(await readOwners(aside)) === JSON.stringify(owners);
  if (!isSame) await rename(aside, lock).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
}
