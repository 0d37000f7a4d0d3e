// One PostgreSQL server for all test files, with the schema in a template that each test clones. Uses the server of
// WAYBILL_TEST_DATABASE_URL, or an embedded one with production settings in a temporary folder. The folder is in memory
// if there is enough: cloning takes three times as long on a disk, and no data outlives the run.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { makeComingWeeks } from '../../src/actions/upkeep/keep-history.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { findServerOwner } from '../../src/embedded/system/process-owner.ts';
import { findProcessStart, listServerProcesses } from '../../src/embedded/system/processes.ts';
import { silentLog, systemClock } from '../../src/platform.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/schema/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    templateName: string;
  }
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

const PREFIX = 'waybill-test-';
const MEMORY = '/dev/shm';
/** Containers often have 64 MB; a run needs about 1 GB. */
const MIN_MEMORY_BYTES = 4 * 1024 ** 3;
const OWNER_FILE = 'owner';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env['WAYBILL_TEST_DATABASE_URL'];
  const server = external === undefined ? await startOwnServer() : { url: external, stop: async () => {} };
  const templateName = `waybill_template_${randomBytes(6).toString('hex')}`;
  try {
    await runAsAdmin(server.url, `create database ${templateName}`);
    await prepareTemplate(withDatabase(server.url, templateName));
  } catch (error) {
    await server.stop();
    throw error;
  }
  const version = await runAsAdmin(server.url, 'show server_version');
  console.log(
    `Tests use PostgreSQL ${String(version)} (${external === undefined ? 'embedded' : 'WAYBILL_TEST_DATABASE_URL'})`,
  );
  project.provide('adminUrl', server.url);
  project.provide('templateName', templateName);
  return async () => {
    if (external !== undefined) await runAsAdmin(server.url, `drop database ${templateName} with (force)`);
    await server.stop();
  };
}

/** With the weeks of history that a running service makes before its first order. */
async function prepareTemplate(url: string): Promise<void> {
  await migrate(url);
  const db = openDatabase({ url });
  try {
    await makeComingWeeks({ db, clock: systemClock, log: silentLog });
  } finally {
    await db.close();
  }
}

async function startOwnServer(): Promise<Server> {
  for (const parent of [tmpdir(), MEMORY]) await removeLeftovers(parent);
  const folder = await mkdtemp(path.join((await hasRoomInMemory()) ? MEMORY : tmpdir(), PREFIX));
  await writeFile(path.join(folder, OWNER_FILE), `${process.pid} ${await findProcessStart(process.pid)}`);
  const server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), onProgress: () => {} });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function hasRoomInMemory(): Promise<boolean> {
  const memory = await statfs(MEMORY).catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize >= MIN_MEMORY_BYTES;
}

// Servers of killed test runs keep running, because a server outlives its service.
async function removeLeftovers(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((candidate) => candidate.startsWith(PREFIX))) {
    const folder = path.join(parent, name);
    const owner = await readFile(path.join(folder, OWNER_FILE), 'utf8').catch(() => undefined);
    // A run that has just started has not written its owner yet.
    if (owner === undefined) continue;
    const [pid, startedAt] = owner.split(' ');
    if ((await findProcessStart(Number(pid))) === startedAt) continue;
    const dataDir = path.join(folder, 'data');
    const serverOwner = await findServerOwner(dataDir).catch(() => undefined);
    const servers = serverOwner && (await listServerProcesses(path.join(dataDir, 'postgres'), serverOwner));
    for (const server of servers ?? []) kill(server);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with its postmaster.
  }
}

async function runAsAdmin(url: string, statement: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
