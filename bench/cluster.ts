// A PostgreSQL of the bench's own, with the settings that the service gives to an embedded one.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/postgres.ts';
import { readTreeCpuSeconds, type Meter } from './cpu-time.ts';

/** Where each thing that must be undone is put, as soon as it must. */
export type UndoList = (() => Promise<unknown>)[];

export interface Cluster {
  /** For whatever else the bench has to keep as long as it runs. */
  folder: string;
  /** Of the database that Waybill uses. */
  url: string;
  /** Makes a further database beside it; gives its URL. */
  addDatabase(name: string): Promise<string>;
  meter: Meter;
}

export async function openCluster(undo: UndoList): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-bench-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  // Open for passing through: started by root, the database runs as somebody else.
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, onProgress: () => {} });
  undo.push(() => postgres.stop());
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

/** One connection without the limits that a service sets for itself. */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
