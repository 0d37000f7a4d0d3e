// Copies a database exactly from one server to another: every row of every table, for any schema version. Unlike a
// backup, it also keeps short-lived state (leases, cursors, sequences), because nothing runs in between. Both servers
// run on this machine and exchange each table as a file. Neither can access the folders above its own, so the file is
// written in one server's folder and moved into the other's.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { DatabaseClient } from '../database/connecting/client.ts';
import { listSequences } from './tables.ts';
import { describeSchema } from '../schema/describe.ts';
import { migrate } from '../schema/migrate.ts';
import { findMissing, LIST_RECORDS, readMigrations, SchemaError, toRecords } from '../schema/migrations.ts';

export interface CopyOptions {
  fromUrl: string;
  /** Must be an empty database. */
  toUrl: string;
  /** The folders of the two clusters, which must be on one file system. */
  fromFolder: string;
  toFolder: string;
  onProgress: (text: string) => void;
}

export interface CopySummary {
  tables: number;
  rows: number;
}

/** A server's working directory is its cluster's folder. */
const OWN_FOLDER = '/proc/self/cwd';
const SENT = 'waybill-sent';
const ARRIVED = 'waybill-arrived';

export async function copyDatabase(options: CopyOptions): Promise<CopySummary> {
  const [from, to] = [await connect(options.fromUrl), await connect(options.toUrl)];
  try {
    await from.query('begin isolation level repeatable read read only');
    await makeSchema(from, to, options);
    // Disables foreign keys and triggers: the rows are complete and passed both when they were first written.
    await to.query(`set session_replication_role = 'replica'`);
    const tables = await listTables(from);
    await to.query(`truncate ${tables.map((table) => to.escapeIdentifier(table)).join(', ')}`);
    let rows = 0;
    for (const table of tables) rows += await copyTable({ from, to, table }, options);
    for (const { name, lastValue, isCalled } of await listSequences(from)) {
      await to.query('select setval($1::text::regclass, $2, $3)', [to.escapeIdentifier(name), lastValue, isCalled]);
    }
    options.onProgress('Collecting statistics');
    await to.query('analyze');
    return { tables: tables.length, rows };
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

/** In bytes. */
export async function measureDatabase(url: string): Promise<number> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size');
    return Number(rows[0]?.size ?? 0);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new DatabaseClient({ url, name: 'waybill-copy', keepAlive: true });
  await client.connect();
  // The text must be identical on both servers regardless of their settings, and a scan that joins a running one would
  // change the order of the rows.
  await client.query(`
    set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
    set extra_float_digits = 1; set synchronize_seqscans = off; set statement_timeout = 0; set lock_timeout = 0;
    set idle_in_transaction_session_timeout = 0`);
  return client;
}

/** Creates the source's current schema from the same migrations; `migrate` adds this version's changes later. */
async function makeSchema(from: Client, to: Client, { fromUrl, toUrl }: CopyOptions): Promise<void> {
  const known = await readMigrations();
  const recorded = toRecords((await from.query<{ record: unknown }>(LIST_RECORDS)).rows);
  findMissing(recorded, known);
  const unknown = recorded.find(({ name }) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) {
    throw new SchemaError(
      `The database was migrated by a newer version of Waybill (it has ${unknown.name}). Upgrade with that version.`,
    );
  }
  await migrate(toUrl, { only: new Set(recorded.map(({ name }) => name)) });
  const hasMarks = await from.query(
    `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'needs'`,
  );
  if (hasMarks.rowCount === 0) await to.query('alter table schema_migrations drop column needs');
  await makePartitions(from, to);
  refuseDifference(await describeSchema(fromUrl), await describeSchema(toUrl));
}

/** Weekly partitions are created by the service, not by migrations. */
async function makePartitions(from: Client, to: Client): Promise<void> {
  const { rows } = await from.query<{ name: string; parent: string; bound: string }>(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_class c
    join pg_inherits i on i.inhrelid = c.oid
    join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by c.relname`);
  for (const { name, parent, bound } of rows) {
    const found = await to.query('select from pg_class where relname = $1', [name]);
    if (found.rowCount !== 0) continue;
    const [partition, table] = [to.escapeIdentifier(name), to.escapeIdentifier(parent)];
    await to.query(`create table ${partition} (like ${table} including defaults including constraints)`);
    await to.query(`alter table ${table} attach partition ${partition} ${bound}`);
  }
}

// Otherwise something that an operator added by hand would be lost silently.
function refuseDifference(from: string, to: string): void {
  if (from === to) return;
  const made = new Set(to.split('\n'));
  const line = from.split('\n').find((candidate) => !made.has(candidate)) ?? 'something is missing';
  throw new SchemaError(
    `The database's schema differs from its migrations (${line.trim()}). Undo the change, upgrade, then apply the change again.`,
  );
}

/** Tables that hold rows themselves, so no partitioned parents. */
async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`);
  return rows.map((row) => row.name);
}

/** Compares what was received with what was sent, byte by byte: a new table returns its rows in insertion order. */
async function copyTable(
  { from, to, table }: { from: Client; to: Client; table: string },
  { fromFolder, toFolder, onProgress }: CopyOptions,
): Promise<number> {
  const [written, sent, arrived] = [
    path.join(fromFolder, SENT),
    path.join(toFolder, SENT),
    path.join(toFolder, ARRIVED),
  ];
  const quoted = from.escapeIdentifier(table);
  try {
    const { rowCount } = await from.query(`copy ${quoted} to '${OWN_FOLDER}/${SENT}'`);
    await rename(written, sent);
    onProgress(`${table}: ${rowCount ?? 0} rows`);
    await to.query(`copy ${quoted} from '${OWN_FOLDER}/${SENT}'`);
    await to.query(`copy ${quoted} to '${OWN_FOLDER}/${ARRIVED}'`);
    if ((await hashFile(sent)) !== (await hashFile(arrived))) {
      throw new SchemaError(
        `The copied rows of ${table} differ from the original ones. Nothing was changed. Check the disk.`,
      );
    }
    return rowCount ?? 0;
  } finally {
    for (const file of [written, sent, arrived]) await rm(file, { force: true });
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
