// Copies the embedded database of an older PostgreSQL into a cluster of Waybill's current version. The older cluster is
// only read, and kept. If the command was killed, the next run starts over, or finishes if the copy was complete.
import { realpath, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { findBinaries, type Binaries } from './binaries.ts';
import { findMajor, hasCluster } from './cluster.ts';
import { ensureOlderBinaries, findOlderBinaries } from './older-binaries.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres, type EmbeddedPostgres } from './postgres.ts';
import { chooseServerOwner, runAs } from './system/process-owner.ts';
import {
  findUpgradeMark,
  isStillCurrent,
  makeUpgradeFolder,
  markUpgradeComplete,
  swapClusters,
  upgradeFolderOf,
} from './upgrade-folder.ts';
import { copyDatabase, measureDatabase, type CopySummary } from '../store/backup/copy-database.ts';
import { tryTakeLock, USE_LOCK } from '../store/database/service-lock.ts';

export interface UpgradeOptions {
  dataDir: string;
  /** The folder with the older programs. Null: download them from the npm registry. */
  oldBinaries: string | null;
  onProgress: (text: string) => void;
}

export interface UpgradeResult extends CopySummary {
  /** The folder of the older cluster, which is no longer needed. */
  kept: string;
}

const MEGABYTE = 1_000_000;

/** Undefined if the cluster already has the right version. */
export async function upgradeDatabase(options: UpgradeOptions): Promise<UpgradeResult | undefined> {
  if (!(await hasCluster(options.dataDir)) && (await findUpgradeMark(options.dataDir)) === undefined) {
    throw new EmbeddedPostgresError(`There is no database in ${path.resolve(options.dataDir)}.`);
  }
  const dataDir = await realpath(options.dataDir);
  const finished = await finishUpgrade(dataDir);
  if (finished !== undefined) return finished;
  const [found, ours] = [await findMajor(path.join(dataDir, 'postgres')), await readOwnMajor(dataDir)];
  if (found === undefined || found >= ours) return undefined;
  options.onProgress(`Upgrading the database from PostgreSQL ${found} to ${ours}`);
  const binaries = await getOlderBinaries(found, { ...options, dataDir });
  const counts = await copyCluster(dataDir, binaries, options.onProgress);
  await markUpgradeComplete(dataDir, { major: found, ...counts });
  return finishUpgrade(dataDir);
}

/** Finishes an upgrade that was already copied and compared. Undefined if there is none. */
async function finishUpgrade(dataDir: string): Promise<UpgradeResult | undefined> {
  const mark = await findUpgradeMark(dataDir);
  if (mark === undefined || !(await isStillCurrent(dataDir, mark))) return undefined;
  await swapClusters(dataDir, mark);
  return { tables: mark.tables, rows: mark.rows, kept: path.join(dataDir, mark.keptAs) };
}

async function readOwnMajor(dataDir: string): Promise<number> {
  const { postgres } = await findBinaries();
  const { stdout } = await runAs(await chooseServerOwner(dataDir, postgres), postgres, ['--version']);
  return Number(/\d+/.exec(stdout)?.[0]);
}

function getOlderBinaries(major: number, { dataDir, oldBinaries, onProgress }: UpgradeOptions): Promise<Binaries> {
  return oldBinaries === null
    ? ensureOlderBinaries({ major, keepIn: dataDir, onProgress })
    : findOlderBinaries(oldBinaries);
}

async function copyCluster(
  dataDir: string,
  binaries: Binaries,
  onProgress: (text: string) => void,
): Promise<CopySummary> {
  const old = await startEmbeddedPostgres({ dataDir, binaries, onProgress: onProgress });
  const use = await tryTakeLock(old.url, { key: USE_LOCK, shared: false });
  if (use === undefined) {
    throw new EmbeddedPostgresError(`A Waybill service is using the database in ${dataDir}. Stop it first.`);
  }
  try {
    await refuseFullDisk(dataDir, await measureDatabase(old.url));
    return await withNewCluster(dataDir, onProgress, (server, toFolder) =>
      copyDatabase({
        fromUrl: old.url,
        toUrl: server.url,
        fromFolder: path.join(dataDir, 'postgres'),
        toFolder,
        onProgress,
      }),
    );
  } finally {
    // Held until the server has stopped: the older version must not adopt it before everything is copied.
    await old.stop();
    await use.release().catch(() => undefined);
  }
}

async function withNewCluster(
  dataDir: string,
  onProgress: (text: string) => void,
  work: (server: EmbeddedPostgres, clusterFolder: string) => Promise<CopySummary>,
): Promise<CopySummary> {
  await removeLeftovers(dataDir);
  const folder = await makeUpgradeFolder(dataDir);
  const server = await startEmbeddedPostgres({ dataDir: folder, onProgress: onProgress });
  try {
    return await work(server, path.join(folder, 'postgres'));
  } finally {
    await server.stop();
  }
}

/** Removes what a killed upgrade left; its server may still be running. */
async function removeLeftovers(dataDir: string): Promise<void> {
  const folder = upgradeFolderOf(dataDir);
  if (await hasCluster(folder)) {
    const server = await startEmbeddedPostgres({ dataDir: folder, onProgress: () => undefined });
    await server.stop();
  }
  await rm(folder, { recursive: true, force: true });
}

/** The disk must hold the new cluster and, for a moment, the largest table twice as text. */
async function refuseFullDisk(dataDir: string, databaseBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const [needed, free] = [2 * databaseBytes, bavail * bsize].map((bytes) => Math.ceil(bytes / MEGABYTE));
  if (needed === undefined || free === undefined || needed <= free) return;
  throw new EmbeddedPostgresError(
    `The upgrade needs about ${needed} MB of free disk space for ${dataDir}, but only ${free} MB are free. Free some space and try again.`,
  );
}
