// The cluster that an upgrade to a newer PostgreSQL fills, beside the one that it replaces:
//   filling     `postgres-upgrade` has no mark: it is worthless, the next attempt starts over
//   complete    the mark exists: everything was copied and compared, only the folders must be swapped
//   swapping    `postgres` was moved away and the new one is not in place yet: no server may start
//   done        `postgres-upgrade` is gone; the older cluster stays beside the new one until an operator removes it
import { createHash } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { howToRun } from '../how-to-run.ts';
import { findMajor } from './cluster.ts';
import { EmbeddedPostgresError } from './system/failure.ts';
import { withStartLock } from './start-lock.ts';

const UPGRADE = 'postgres-upgrade';
const MARK = 'complete.json';
const markSchema = z.object({
  keptAs: z.string(),
  /** Hash of the older cluster's control file. A different one means that the cluster was used after it was copied. */
  control: z.string(),
  tables: z.number(),
  rows: z.number(),
});
export type UpgradeMark = z.output<typeof markSchema>;

/** A separate data folder, in which the new cluster is created. */
export function upgradeFolderOf(dataDir: string): string {
  return path.join(dataDir, UPGRADE);
}

export async function makeUpgradeFolder(dataDir: string): Promise<string> {
  const folder = upgradeFolderOf(dataDir);
  await mkdir(folder, { mode: 0o700 });
  // Both servers run as the same user, because each reads what the other has written.
  const { uid, gid } = await stat(path.join(dataDir, 'postgres'));
  if (process.getuid?.() === 0) await chown(folder, uid, gid);
  return folder;
}

export async function findUpgradeMark(dataDir: string): Promise<UpgradeMark | undefined> {
  const text = await readFile(path.join(upgradeFolderOf(dataDir), MARK), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : markSchema.parse(JSON.parse(text));
}

/** False when the older version was started again after its cluster was copied: then the copy is out of date. */
export async function isStillCurrent(dataDir: string, mark: UpgradeMark): Promise<boolean> {
  const isMoved = (await findMajor(path.join(dataDir, 'postgres'))) === undefined;
  const isDone = (await findMajor(path.join(upgradeFolderOf(dataDir), 'postgres'))) === undefined;
  return isMoved || isDone || (await hashControlFile(dataDir)) === mark.control;
}

async function hashControlFile(dataDir: string): Promise<string> {
  const bytes = await readFile(path.join(dataDir, 'postgres', 'global', 'pg_control'));
  return createHash('sha256').update(bytes).digest('hex');
}

/** Put in place by a rename, so that there is never a partial mark. */
export async function markUpgradeComplete(
  dataDir: string,
  copied: { major: number; tables: number; rows: number },
): Promise<UpgradeMark> {
  const { major, ...counts } = copied;
  const mark = { keptAs: await findFreeName(dataDir, major), control: await hashControlFile(dataDir), ...counts };
  const folder = upgradeFolderOf(dataDir);
  const draft = path.join(folder, `${MARK}.new`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(mark));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path.join(folder, MARK));
  await sync(folder);
  return mark;
}

/** An operator may have downgraded once and kept that cluster too. */
async function findFreeName(dataDir: string, major: number): Promise<string> {
  const names = new Set(await readdir(dataDir));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `postgres-${major}` : `postgres-${major}-${number}`;
    if (!names.has(name)) return name;
  }
}

/** Idempotent: can be repeated after a kill at any point. */
export async function swapClusters(dataDir: string, mark: UpgradeMark): Promise<void> {
  const [current, kept] = [path.join(dataDir, 'postgres'), path.join(dataDir, mark.keptAs)];
  const upgraded = path.join(upgradeFolderOf(dataDir), 'postgres');
  await withStartLock(dataDir, async () => {
    if ((await findMajor(upgraded)) !== undefined) {
      if ((await findMajor(kept)) === undefined) await rename(current, kept);
      await sync(dataDir);
      await rename(upgraded, current);
      await sync(dataDir);
    }
    await rm(upgradeFolderOf(dataDir), { recursive: true, force: true });
  });
}

/** Without this, a start in the middle of the swap would set up an empty database. */
export async function refuseUnfinishedUpgrade(dataDir: string): Promise<void> {
  if ((await findUpgradeMark(dataDir)) === undefined) return;
  throw new EmbeddedPostgresError(
    `The upgrade of the database in ${dataDir} was interrupted. Run "${howToRun('upgrade-database')}" to finish it.`,
  );
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
