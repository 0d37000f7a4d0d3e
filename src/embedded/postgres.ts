// The embedded PostgreSQL: a real server from npm that the service starts, adopts or refuses, and stops.
//
// A server is always in one of these conditions when the service starts:
//   none yet        the cluster is made, then the server started
//   stopped         started; PostgreSQL recovers by itself if it was killed
//   ours, running   the service before us was killed: adopted, once it answers
//   not ours        refused
// The server lives in a session of its own, so that Ctrl-C reaches the service alone, which stops it in order.
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
  /** For node-postgres. It stays the same for as long as the data folder stays where it is. */
  url: string;
  /** The server was running already, left by a service that was killed or used by one that still runs. */
  adopted: boolean;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** For a server that is started; what postgresql.conf says where nothing is given. */
  maxConnections?: number | undefined;
  onProgress: (text: string) => void;
  /** Of another version, for a cluster that it made; without them those that npm brought. */
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
// Recovery after a crash reads at most max_wal_size, which takes a slow disk a minute or two.
const START_TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 20;
// PostgreSQL cuts paths at 1,024 bytes, and adds up to a hundred of its own.
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
    // Before adopting a server that runs: during an upgrade, one of the older version does.
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

// Whoever starts a server the moment ours has ended has prepared the folder for it, and holds the lock: then the folder
// is theirs.
async function tidyUp(site: Site, socketFolder: string): Promise<void> {
  await withStartLock(site.dataDir, () => removeSocketFolder(socketFolder, site.dataDir)).catch(() => undefined);
}
