// Finds out whether a server runs in this cluster and whether it is ours. A killed service leaves its server running,
// and the next service adopts it. A server that was started by hand is left alone.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../platform.ts';
import { EmbeddedPostgresError } from './system/failure.ts';
import type { ServerOwner } from './system/process-owner.ts';
import { listServerProcesses } from './system/processes.ts';
import { askServer } from './server-connection.ts';
import { isOurSocketFolder, refuseOpenFolder } from './socket-folder.ts';

export interface RunningServer {
  pid: number;
  socketFolder: string;
}

interface PidFile {
  pid: number;
  socketFolder: string;
  listenAddress: string;
}

export interface Place {
  dataDir: string;
  cluster: string;
  owner: ServerOwner;
  onProgress: (text: string) => void;
}

// Stopping takes as long as the server's checkpoint, starting as long as its recovery.
const SETTLE_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 25;

/** Undefined if no server runs. Then everything that would prevent a new one from starting has been removed. */
export async function findRunningServer(place: Place): Promise<RunningServer | undefined> {
  const deadline = systemClock.monotonicMs() + SETTLE_TIMEOUT_MS;
  for (let round = 0; ; round += 1) {
    const pids = await listServerProcesses(place.cluster, place.owner);
    const file = await readPidFile(place.cluster);
    if (pids.length === 0) {
      await clearStalePidFile(place, file);
      return undefined;
    }
    // If the pid in the file is not among them, these are the exiting children of a killed server, or a new server that
    // has not written its file yet.
    if (file !== undefined && pids.includes(file.pid)) {
      await refuseForeignServer(place, file);
      if ((await askServer(file.socketFolder)) === 'ready') return { pid: file.pid, socketFolder: file.socketFolder };
    }
    if (round === 0) place.onProgress(`Waiting for PostgreSQL to start or stop (process ${pids.join(', ')})`);
    if (systemClock.monotonicMs() > deadline) throw neverSettled(place.cluster, pids);
    await pause(POLL_INTERVAL_MS);
  }
}

async function refuseForeignServer(place: Place, file: PidFile): Promise<void> {
  // Written a moment after the pid: while both are empty, the server is still starting.
  if (file.socketFolder === '' && file.listenAddress === '') return;
  if (isOurSocketFolder(file.socketFolder, place.dataDir)) {
    if (file.socketFolder !== place.cluster) await refuseOpenFolder(file.socketFolder, place.owner.uid);
    return;
  }
  throw new EmbeddedPostgresError(
    `The database in ${place.cluster} is in use by a PostgreSQL server that Waybill did not start ` +
      `(process ${file.pid}). Stop that server, or set WAYBILL_DATA_DIR to another folder.`,
  );
}

function neverSettled(cluster: string, pids: readonly number[]): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `A PostgreSQL server in ${cluster} (process ${pids.join(', ')}) does not respond and does not stop. Stop it and try again.`,
  );
}

async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const [pid, , , , socketFolder, listenAddress] = text?.split('\n') ?? [];
  if (pid === undefined || !/^\d+$/.test(pid)) return undefined;
  // The path is relative to the cluster, which is the server's working directory.
  const absolute = socketFolder === undefined || socketFolder === '' ? '' : path.resolve(cluster, socketFolder);
  return { pid: Number(pid), socketFolder: absolute, listenAddress: listenAddress ?? '' };
}

async function clearStalePidFile(place: Place, file: PidFile | undefined): Promise<void> {
  const name = path.join(place.cluster, 'postmaster.pid');
  if (file === undefined) {
    // A power failure may leave the file empty, and PostgreSQL does not start with an empty one.
    await rm(name, { force: true });
    return;
  }
  await refuseUnseenServer(place, file);
  // PostgreSQL refuses to start if the kernel has reused the old pid. It treats its parent's pid, ours, as stale. With
  // the rest of the file intact, it still checks that no process uses the old shared memory.
  const text = await readFile(name, 'utf8');
  await writeFile(name, text.replace(/^\d+/, String(process.pid)));
}

// A container that shares the folder has its own process list, but its server's socket is reachable from here.
async function refuseUnseenServer(place: Place, file: PidFile): Promise<void> {
  if (!isOurSocketFolder(file.socketFolder, place.dataDir)) return;
  if ((await askServer(file.socketFolder)) === 'silent') return;
  throw new EmbeddedPostgresError(
    `The database in ${place.cluster} is in use by a PostgreSQL server outside this container. Stop that server first.`,
  );
}
