// The cluster: PostgreSQL's files in `<dataDir>/postgres`, created once.
import { mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';
import { howToRun } from '../how-to-run.ts';
import type { Binaries } from './binaries.ts';
import { changeOwner, changeOwnerOf } from './system/change-owner.ts';
import { EmbeddedPostgresError, hasCode } from './system/failure.ts';
import { chooseInitdbUser, explain, nameUser, runInFolder, type ServerOwner } from './system/process-owner.ts';

const MB = 1024 * 1024;
const MIN_BUFFERS_MB = 128;
const MAX_BUFFERS_MB = 1024;

// Written to postgresql.conf when the cluster is created; an operator may change them there later. Settings that must
// not change are passed on the command line at each start, or checked after it.
const INITIAL_SETTINGS = [
  'max_connections=200',
  `shared_buffers=${sharedBuffersFor(readMemoryBytes())}MB`,
  'max_wal_size=2GB',
  'timezone=UTC',
  'log_timezone=UTC',
  'log_min_messages=warning',
  // Statements and keys in the log could identify a customer.
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_line_prefix=%m [%p] ',
  'log_checkpoints=off',
  // Parallel workers share memory through /dev/shm, which is only 64 MB in a container.
  'max_parallel_workers_per_gather=0',
  'max_parallel_maintenance_workers=0',
];

/** In MB. An eighth of the memory, because the service and the system's file cache need the rest. */
export function sharedBuffersFor(memoryBytes: number): number {
  return Math.min(Math.max(Math.floor(memoryBytes / 8 / MB), MIN_BUFFERS_MB), MAX_BUFFERS_MB);
}

/** The memory of the machine, or the container's limit. */
function readMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

const UNFINISHED = 'postgres.new-';

/** The working directory of PostgreSQL's programs. Works even if their user may not enter the folders above it. */
export const WORKING_FOLDER = '/proc/self/cwd';

export interface NewCluster {
  folder: string;
  binaries: Binaries;
  owner: ServerOwner;
}

/** False if there is no cluster yet. Refuses a folder with other contents or of another user. */
export async function isClusterThere(folder: string, owner: ServerOwner): Promise<boolean> {
  const found = await stat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (found === undefined) return false;
  if (await isEmpty(folder)) return false;
  if (found.uid !== owner.uid) throw await explainOwner(folder, found.uid, owner.uid);
  if ((await readVersion(folder)) !== undefined) return true;
  throw new EmbeddedPostgresError(
    `The folder ${folder} is not empty and contains no PostgreSQL data. Move it away, or set WAYBILL_DATA_DIR to another folder.`,
  );
}

// A folder that we may not list belongs to another user, which is reported next.
async function isEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'EACCES')) return undefined;
    throw error;
  });
  return names?.length === 0;
}

/** Whether a data folder was used before. Does not check its contents. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await findMajor(path.join(dataDir, 'postgres'))) !== undefined;
}

async function explainOwner(folder: string, foundUid: number, uid: number): Promise<EmbeddedPostgresError> {
  return new EmbeddedPostgresError(
    `The database in ${folder} belongs to user ${await nameUser(foundUid)}, but PostgreSQL would now run as user ` +
      `${await nameUser(uid)}. Start Waybill as the user who started it first, or set WAYBILL_DATA_DIR to another folder.`,
  );
}

export async function refuseOtherVersion(folder: string, versionText: string): Promise<void> {
  const found = Number(await readVersion(folder));
  const ours = Number(/\d+/.exec(versionText)?.[0]);
  if (found === ours) return;
  const whatToDo =
    found < ours
      ? `Stop every Waybill service that uses it, and run "${howToRun('upgrade-database')}"`
      : 'Use a Waybill version that includes that PostgreSQL version';
  throw new EmbeddedPostgresError(
    `The database in ${folder} was created by PostgreSQL ${found}, and this Waybill version includes PostgreSQL ${ours}. ${whatToDo}.`,
  );
}

/** Undefined where there is no cluster. */
export async function findMajor(folder: string): Promise<number | undefined> {
  const version = await readVersion(folder);
  return version === undefined ? undefined : Number(version);
}

async function readVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Created beside its final path and renamed when complete, so that there is never a partial cluster. */
export async function createCluster(cluster: NewCluster): Promise<void> {
  const parent = path.dirname(cluster.folder);
  await removeUnfinished(parent);
  const unfinished = await mkdtemp(path.join(parent, UNFINISHED));
  try {
    await initialize(unfinished, cluster);
    await moveIntoPlace(unfinished, cluster.folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function initialize(folder: string, { binaries, owner }: NewCluster): Promise<void> {
  const user = await chooseInitdbUser(owner);
  if (process.getuid?.() === 0) await changeOwnerOf(folder, 0, user);
  const args = [
    `--pgdata=${WORKING_FOLDER}`,
    '--username=waybill',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
    '--auth-local=peer',
    '--auth-host=reject',
    '--no-instructions',
    ...INITIAL_SETTINGS.map((setting) => `--set=${setting}`),
  ];
  const outcome = await runInFolder({ owner: user, cwd: folder }, binaries.initdb, args);
  if (!outcome.ok) {
    throw new EmbeddedPostgresError(`Cannot set up the embedded PostgreSQL: ${explainInitialization(outcome)}.`);
  }
  if (user.uid !== owner.uid) await changeOwner(folder, user.uid, owner);
}

// initdb's last line says that it removes what it wrote; the reason is in an earlier line.
function explainInitialization(outcome: Parameters<typeof explain>[0]): string {
  const lines = outcome.stderr.split('\n').filter((line) => /error:|FATAL:|PANIC:/.test(line));
  return lines.at(0)?.trim() ?? explain(outcome);
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    throw new EmbeddedPostgresError(
      `Another Waybill process just created the database in ${to}. Try again, or set WAYBILL_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  const parent = await open(path.dirname(to), 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

// Left by a start that was killed. Its initdb may still be writing, so this may fail; the next start retries.
async function removeUnfinished(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of names) {
    await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
