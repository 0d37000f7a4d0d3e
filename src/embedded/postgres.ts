// The embedded PostgreSQL: a real server from npm that the service starts, adopts or refuses, and stops.
//
// When the service starts, the server is in one of these conditions:
//   none yet        the cluster is created, then the server is started
//   stopped         started; PostgreSQL recovers on its own if it was killed
//   ours, running   left by a service that was killed: adopted once it accepts connections
//   not ours        refused
// The server runs in its own session, so that Ctrl-C reaches only the service, which then stops the server cleanly.
import { spawn, type ChildProcess } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { giveToFolderOwner, openDataFolder } from '../runtime/data-folder.ts';
import { systemClock } from '../platform.ts';
import { writeAccessRules } from './access-rules.ts';
import { findBinaries, type Binaries } from './binaries.ts';
import { createCluster, isClusterThere, refuseOtherVersion, WORKING_FOLDER } from './cluster.ts';
import { describe, EmbeddedPostgresError } from './system/failure.ts';
import { chooseServerOwner, runAs, SERVER_ENVIRONMENT, type ServerOwner } from './system/process-owner.ts';
import { replaceFormerOwner } from './former-owner.ts';
import { findRunningServer, type RunningServer } from './running-server.ts';
import { limitServerLog, openServerLog, readFailure } from './server-log.ts';
import { askServer, createDatabase, refuseUnsafeServer, reloadSettings } from './server-connection.ts';
import { buildUrl, chooseSocketFolder, prepareSocketFolder, removeSocketFolder, SOCKET_PORT } from './socket-folder.ts';
import { withStartLock } from './start-lock.ts';
import { stopServer } from './stop-server.ts';
import { refuseUnfinishedUpgrade } from './upgrade-folder.ts';

export { EmbeddedPostgresError } from './system/failure.ts';

export interface EmbeddedPostgres {
  /** For node-postgres. Does not change unless the data folder is moved. */
  url: string;
  /** The server was already running: left by a killed service, or still in use by another process. */
  adopted: boolean;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** Applies only if the server is started here. Default: the value in postgresql.conf. */
  maxConnections?: number | undefined;
  onProgress: (text: string) => void;
  /** Programs of another version, for a cluster of that version. Default: those that npm installed. */
  binaries?: Binaries;
}

interface Site {
  dataDir: string;
  cluster: string;
  log: string;
  binaries: Binaries;
  owner: ServerOwner;
  maxConnections: number | undefined;
}

const DATABASE = 'waybill';
// Crash recovery reads at most max_wal_size, which takes a minute or two on a slow disk.
const START_TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 20;
// PostgreSQL truncates paths at 1,024 bytes, and appends up to 100 bytes of its own.
const MAX_PATH_BYTES = 900;

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = await prepareDataFolder(options.dataDir);
  return withStartLock(dataDir, () => startOrAdopt(dataDir, options));
}

async function prepareDataFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  if (/[\n\r]/.test(absolute) || Buffer.byteLength(absolute) > MAX_PATH_BYTES) {
    throw new EmbeddedPostgresError(
      `The path of the data folder must be at most ${MAX_PATH_BYTES} bytes without line breaks: ${absolute}`,
    );
  }
  try {
    await openDataFolder(absolute);
    return await realpath(absolute);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `Cannot create the data folder ${absolute} (${describe(error)}). Set WAYBILL_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

async function startOrAdopt(dataDir: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { maxConnections, onProgress } = options;
  const binaries = options.binaries ?? (await findBinaries());
  const owner = await chooseServerOwner(dataDir, binaries.postgres);
  const cluster = path.join(dataDir, 'postgres');
  const site: Site = { dataDir, cluster, log: path.join(dataDir, 'postgres.log'), binaries, owner, maxConnections };

  await replaceFormerOwner(site, onProgress);
  if (await isClusterThere(cluster, owner)) {
    // Checked before adopting a running server: during an upgrade, that server is of the older version.
    await refuseOtherVersion(cluster, (await runAs(owner, binaries.postgres, ['--version'])).stdout);
    const running = await findRunningServer({ dataDir, cluster, owner, onProgress });
    if (running !== undefined) return adopt(site, running, onProgress);
  } else {
    await refuseUnfinishedUpgrade(dataDir);
    onProgress(`Setting up PostgreSQL in ${cluster}`);
    await createCluster({ folder: cluster, binaries, owner });
  }
  onProgress('Starting PostgreSQL');
  return start(site);
}

async function adopt(
  site: Site,
  running: RunningServer,
  onProgress: (text: string) => void,
): Promise<EmbeddedPostgres> {
  onProgress(`Using the PostgreSQL that is already running (process ${running.pid})`);
  if (await writeAccessRules(site.cluster, site.owner)) await reloadSettings(running.socketFolder);
  await createDatabase(running.socketFolder, DATABASE);
  await refuseUnsafeServer(buildUrl(running.socketFolder, DATABASE), site.cluster);
  return { ...describeServer(site, running), adopted: true };
}

async function start(site: Site): Promise<EmbeddedPostgres> {
  const socketFolder = chooseSocketFolder(site.dataDir);
  await prepareSocketFolder(socketFolder, site);
  await writeAccessRules(site.cluster, site.owner);
  const child = await spawnServer(site, socketFolder);
  const running: RunningServer = { pid: child.pid ?? 0, socketFolder };
  try {
    await waitUntilReady(child, site, socketFolder);
    await createDatabase(socketFolder, DATABASE);
    await refuseUnsafeServer(buildUrl(socketFolder, DATABASE), site.cluster);
  } catch (error) {
    await stopServer(site, running.pid);
    await removeSocketFolder(socketFolder, site.dataDir);
    throw error;
  }
  return { ...describeServer(site, running), adopted: false };
}

function describeServer(site: Site, running: RunningServer): Omit<EmbeddedPostgres, 'adopted'> {
  const endLogWatch = limitServerLog(site.log);
  let stopping: Promise<void> | undefined;
  return {
    url: buildUrl(running.socketFolder, DATABASE),
    stop() {
      endLogWatch();
      stopping ??= stopServer(site, running.pid).then(() => tidyUp(site, running.socketFolder));
      return stopping;
    },
  };
}

async function spawnServer(site: Site, socketFolder: string): Promise<ChildProcess> {
  const settings = [
    'listen_addresses=',
    `port=${SOCKET_PORT}`,
    'unix_socket_permissions=0700',
    // Quoted, because the setting is a list that is split at commas.
    `unix_socket_directories="${socketFolder === site.cluster ? '.' : socketFolder.replaceAll('"', '""')}"`,
    `hba_file=${WORKING_FOLDER}/pg_hba.conf`,
    `ident_file=${WORKING_FOLDER}/pg_ident.conf`,
    'logging_collector=off',
    'log_destination=stderr',
    ...(site.maxConnections === undefined ? [] : [`max_connections=${site.maxConnections}`]),
  ];
  const args = ['-D', WORKING_FOLDER, ...settings.flatMap((setting) => ['-c', setting])];
  const launch = site.owner.launch(site.binaries.postgres, args);
  const log = await openServerLog(site.log);
  try {
    await giveToFolderOwner(log, site.dataDir);
    const child = spawn(launch.file, launch.args, {
      ...launch.options,
      cwd: site.cluster,
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

async function waitUntilReady(child: ChildProcess, site: Site, socketFolder: string): Promise<void> {
  const deadline = systemClock.monotonicMs() + START_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null) {
    if ((await askServer(socketFolder)) === 'ready') return;
    if (systemClock.monotonicMs() > deadline) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL was not ready after ${START_TIMEOUT_MS / 60_000} minutes. See ${site.log}.`,
      );
    }
    await pause(POLL_INTERVAL_MS);
  }
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL did not start: ${await readFailure(site.log)}. See ${site.log}.`,
  );
}

// Another process may start a server right after ours has stopped. It then holds the lock and has prepared the folder
// for its server, so this leaves the folder alone.
async function tidyUp(site: Site, socketFolder: string): Promise<void> {
  await withStartLock(site.dataDir, () => removeSocketFolder(socketFolder, site.dataDir)).catch(() => undefined);
}
