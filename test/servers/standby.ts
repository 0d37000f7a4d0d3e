// A primary and a standby that starts from the same data. The standby follows nobody: tests need its state, not the data.
import { appendFile, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { makeDataDir, makeFolder, start } from '../processes/embedded.ts';

export interface Pair {
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  /** Both servers, the standby first. */
  url: string;
  promoteStandby(): Promise<void>;
}

export async function startPair(): Promise<Pair> {
  const dataDir = await makeDataDir();
  const original = await start(dataDir);
  await migrate(original.url);
  await original.stop();
  const copyDir = await makeFolder();
  await promisify(execFile)('cp', ['-a', path.join(dataDir, 'postgres'), path.join(copyDir, 'postgres')]);
  // Kept as an empty file that belongs to the owner of the folder.
  await promisify(execFile)('cp', [
    '-a',
    path.join(copyDir, 'postgres', 'PG_VERSION'),
    path.join(copyDir, 'postgres', 'standby.signal'),
  ]);
  await writeFile(path.join(copyDir, 'postgres', 'standby.signal'), '');
  await appendFile(path.join(copyDir, 'postgres', 'postgresql.auto.conf'), 'hot_standby = on\n');
  const primary = await start(dataDir);
  const standby = await start(copyDir);
  const hostOf = (url: string): string => new URL(url).searchParams.get('host') ?? '';
  const url = new URL(primary.url);
  url.searchParams.set('host', `${hostOf(standby.url)},${hostOf(primary.url)}`);
  url.searchParams.set('target_session_attrs', 'read-write');
  return {
    primary,
    standby,
    url: url.href,
    promoteStandby: async () => {
      const client = new Client({ connectionString: standby.url });
      await client.connect();
      await client.query('select pg_promote(true)');
      await client.end();
    },
  };
}
