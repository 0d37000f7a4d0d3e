// Data folders, servers and services for the tests of the embedded PostgreSQL, and their cleanup.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { findServerOwner, type ServerOwner } from '../../src/embedded/system/process-owner.ts';
import { listServerProcesses } from '../../src/embedded/system/processes.ts';

export const isRoot = process.getuid?.() === 0;

const folders: string[] = [];
const clusters = new Set<string>();
const children = new Set<ChildProcess>();
let preparedCluster: string | undefined;

/** By default, every user may pass through the folder. */
export async function makeFolder(mode = 0o755): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-embedded-'));
  folders.push(folder);
  await chmod(folder, mode);
  return folder;
}

/** A data folder with an initialized, stopped cluster; copied, because initializing one takes a second. */
export async function makeDataDir(): Promise<string> {
  preparedCluster ??= await prepareCluster();
  const dataDir = await makeFolder();
  await promisify(execFile)('cp', ['-a', preparedCluster, path.join(dataDir, 'postgres')]);
  return dataDir;
}

async function prepareCluster(): Promise<string> {
  const dataDir = path.join(await makeFolder(), 'prepared');
  await (await start(dataDir)).stop();
  return path.join(dataDir, 'postgres');
}

/** Registers the folder, so that a server running there is stopped during cleanup. */
export function watchCluster(dataDir: string): void {
  clusters.add(path.join(dataDir, 'postgres'));
}

export function start(
  dataDir: string,
  onProgress: (text: string) => void = () => {},
  maxConnections?: number,
): Promise<EmbeddedPostgres> {
  clusters.add(path.join(dataDir, 'postgres'));
  return startEmbeddedPostgres({ dataDir, maxConnections, onProgress });
}

const report = z.object({
  adopted: z.boolean().optional(),
  url: z.string().optional(),
  refusal: z.string().optional(),
});

interface Service {
  process: ChildProcess;
  /** What it reported after it started or was refused. */
  report: Promise<z.infer<typeof report>>;
  /** Kills the whole process group at once, like the machine's owner would. */
  kill(): Promise<void>;
}

const SERVICE = `
  import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../../src/embedded/postgres.ts', import.meta.url))};
  const [dataDir] = process.argv.slice(1);
  try {
    const { adopted, url } = await startEmbeddedPostgres({ dataDir, onProgress() {} });
    console.log(JSON.stringify({ adopted, url }));
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(JSON.stringify({ refusal: error.name + ': ' + error.message }));
  }
`;

/** A separate process that starts the server like the service does, by default as the user who runs the test. */
export function spawnService(dataDir: string, owner?: ServerOwner): Service {
  clusters.add(path.join(dataDir, 'postgres'));
  const args = ['--input-type=module', '-e', SERVICE, dataDir];
  const launch = owner?.launch(process.execPath, args) ?? { file: process.execPath, args, options: {} };
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(launch.file, launch.args, { ...launch.options, cwd, detached: true, stdio });
  children.add(child);
  const exited = once(child, 'exit');
  return {
    process: child,
    report: once(createInterface(child.stdout), 'line').then(([line]) => report.parse(JSON.parse(String(line)))),
    kill: async () => {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
      await exited;
    },
  };
}

export async function own(folder: string, owner: ServerOwner): Promise<string> {
  await mkdir(folder, { recursive: true });
  if (isRoot) await chown(folder, owner.uid, owner.gid);
  return folder;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Stops everything that a test left running, and removes its folders. */
export async function clearAway({
  keepPrepared,
  keep = [],
}: {
  keepPrepared: boolean;
  keep?: string[];
}): Promise<void> {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  children.clear();
  for (const cluster of clusters) {
    const owner = await findServerOwner(path.dirname(cluster)).catch(() => undefined);
    for (const pid of owner === undefined ? [] : await listServerProcesses(cluster, owner)) end(pid);
  }
  clusters.clear();
  if (!keepPrepared) preparedCluster = undefined;
  const kept = preparedCluster !== undefined ? path.dirname(path.dirname(preparedCluster)) : undefined;
  for (const folder of folders.splice(0)) {
    if (folder === kept || keep.includes(folder)) folders.push(folder);
    else await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // A child of the server that has already exited with it.
  }
}
