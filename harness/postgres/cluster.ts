// A PostgreSQL for the bench alone, with the settings that the service uses for its embedded server.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { readTreeCpuSeconds, type Meter } from '../measure/cpu-time.ts';

/** 16 MB each. */
const LOG_FILES = 64;

/** Cleanup steps, added as soon as there is something to clean up. */
export type UndoList = (() => Promise<unknown>)[];

export interface Cluster {
  /** For other files that the bench needs while it runs. */
  folder: string;
  /** URL of the database that Waybill uses. */
  url: string;
  /** Creates another database on the same server; returns its URL. */
  addDatabase(name: string): Promise<string>;
  meter: Meter;
}

export async function openCluster(undo: UndoList): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, onProgress: () => {} });
  undo.push(() => postgres.stop());
  await withClient(postgres.url, fillLog);
  const postmaster = Number((await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  return {
    folder,
    url: postgres.url,
    async addDatabase(name) {
      await withClient(postgres.url, (client) => client.query(`create database ${name}`));
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    meter: () => readTreeCpuSeconds(postmaster),
  };
}

/**
 * Creates the WAL files in advance. A server that has run for an hour recycles old WAL files; a new one creates about
 * one per second under this load, and every commit waits for it.
 */
async function fillLog(client: Client): Promise<void> {
  await client.query(`alter system set min_wal_size = '${LOG_FILES * 16}MB'`);
  await client.query('select pg_reload_conf()');
  for (let file = 1; file <= LOG_FILES; file += 1) {
    await client.query(`select pg_logical_emit_message(true, 'bench', ''), pg_switch_wal()`);
  }
  await client.query('checkpoint');
}

/** A single connection without the service's own timeouts and limits. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
