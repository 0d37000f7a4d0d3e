// Brings a database to the newest schema. Any number of nodes may start at once: one migrates, the others wait.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { describeConnectFailure } from './connect-failure.ts';

const MIGRATIONS_FOLDER = new URL('../../migrations/', import.meta.url);
const MIGRATION_LOCK = 0x5761_7962; // "Wayb": shared by all versions of the program, never reused for another lock.
const CONNECT_TIMEOUT_MS = 10_000;

interface Migration {
  name: string;
  text: string;
  hash: string;
}

export async function migrate(url: string): Promise<{ applied: string[] }> {
  const migrations = await readMigrations();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
  } catch (error) {
    throw new Error(describeConnectFailure(error, url), { cause: error });
  }
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return { applied: await applyMissing(client, migrations) };
  } finally {
    await client.end();
  }
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, MIGRATIONS_FOLDER), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function applyMissing(client: Client, migrations: readonly Migration[]): Promise<string[]> {
  await client.query(`
    create table if not exists schema_migrations (
      name text primary key,
      hash text not null,
      applied_at timestamptz not null default now()
    )`);
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from schema_migrations');
  const applied = new Map(rows.map((row) => [row.name, row.hash]));
  refuseForeignHistory(applied, migrations);
  const missing = migrations.filter((migration) => !applied.has(migration.name));
  for (const migration of missing) {
    // One transaction each: a migration is there whole, with its record, or not at all.
    await client.query('begin');
    try {
      await client.query(migration.text);
      await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [
        migration.name,
        migration.hash,
      ]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
  return missing.map((migration) => migration.name);
}

function refuseForeignHistory(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.hash]));
  for (const [name, hash] of applied) {
    const expected = known.get(name);
    if (expected === undefined) {
      throw new Error(`The database was made by a newer Waybill (it has ${name}). Start that version instead.`);
    }
    if (expected !== hash) {
      throw new Error(`Migration ${name} was changed after it was applied. Restore the file; changes go in a new one.`);
    }
  }
}
