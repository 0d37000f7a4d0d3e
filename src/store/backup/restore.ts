// Fills an empty database from a backup file in one transaction: all or nothing.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { DatabaseError, type Client } from 'pg';
import { DatabaseClient } from '../database/connecting/client.ts';
import type { z } from 'zod';
import { asQueryable, type Queryable } from '../database/database.ts';
import { BackupError, endSchema, headerSchema, rowSchema, tableLineSchema, type BackupHeader } from './format.ts';
import { listAppliedMigrations, listBackupTables, type BackupTable } from './tables.ts';
import { createWeekMaker } from './weeks.ts';

export interface RestoreOptions {
  /** A migrated, empty database. */
  url: string;
  file: string;
  /** Whether the master key matches the backup. */
  opensKeyCheck(keyCheck: Buffer): boolean;
  onProgress(text: string): void;
  /** Runs in the restore's transaction, after the last row. */
  finish?(tx: Queryable, backup: { createdAt: string }): Promise<unknown>;
}

export interface RestoreSummary {
  rows: number;
  tables: Record<string, number>;
  createdAt: string;
}

const BATCH_BYTES = 1_000_000;
const BATCH_ROWS = 1_000;

export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const client = new DatabaseClient({ url: options.url, name: 'waybill-restore', keepAlive: true });
  await client.connect();
  try {
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set statement_timeout = 0;
      set idle_in_transaction_session_timeout = 0; set lock_timeout = '5s'`);
    await client.query('begin');
    const summary = await fill(client, options);
    await client.query('commit');
    // Without statistics, the service's first statements would be planned on guesses about millions of rows.
    await client.query('analyze');
    return summary;
  } catch (error) {
    // Closing without a commit rolls everything back.
    if (error instanceof DatabaseError && /^2[23]/.test(error.code ?? '')) throw damaged(options.file, error);
    throw error;
  } finally {
    await client.end();
  }
}

async function fill(client: Client, options: RestoreOptions): Promise<RestoreSummary> {
  const reader = readLines(options.file);
  try {
    return await fillFrom(client, reader, options);
  } finally {
    await reader.close();
  }
}

async function fillFrom(client: Client, reader: LineReader, options: RestoreOptions): Promise<RestoreSummary> {
  const header = await readHeader(reader, options.file);
  await refuseOtherSchema(client, header);
  if (header.keyCheck !== null && !options.opensKeyCheck(Buffer.from(header.keyCheck, 'base64'))) {
    throw new BackupError(
      'The backup was made with a different master key. Set that key in WAYBILL_MASTER_KEY, or in master.key in the data folder, and try again.',
    );
  }
  const tables = await listBackupTables(client);
  await emptyForSure(client, tables);
  for (const { name, columns, rows } of header.tables) {
    const table = tables.find((candidate) => candidate.name === name);
    if (table === undefined) throw damaged(options.file);
    options.onProgress(`${name}: ${rows} rows`);
    await fillTable(client, { ...table, columns: orderColumns(table, columns) }, { reader, rows, file: options.file });
  }
  await readEnd(reader, header, options.file);
  for (const { name, lastValue, isCalled } of header.sequences) {
    await client.query('select setval($1::text::regclass, $2, $3)', [
      client.escapeIdentifier(name),
      lastValue,
      isCalled,
    ]);
  }
  await options.finish?.(asQueryable(client), header);
  const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
  const counts = Object.fromEntries(header.tables.map((table) => [table.name, table.rows]));
  return { rows, tables: counts, createdAt: header.createdAt };
}

async function refuseOtherSchema(client: Client, header: BackupHeader): Promise<void> {
  const here = await listAppliedMigrations(client);
  if (JSON.stringify(here) === JSON.stringify(header.migrations)) return;
  const last = header.migrations.at(-1)?.name ?? 'no migration';
  throw new BackupError(
    `The backup was made by another version of Waybill (its last migration is ${last}). Restore it with that version, then upgrade.`,
  );
}

// A service that has ever started has written its key check; the database still counts as empty.
const WRITTEN_AT_START: ReadonlySet<string> = new Set(['installation']);

async function emptyForSure(client: Client, tables: readonly BackupTable[]): Promise<void> {
  for (const { name } of tables) {
    const quoted = client.escapeIdentifier(name);
    // Block writes until the commit, so that the table contains only the restored rows.
    await client.query(`lock table ${quoted} in exclusive mode`);
    if (WRITTEN_AT_START.has(name)) {
      await client.query(`delete from ${quoted}`);
      continue;
    }
    const { rowCount } = await client.query(`select from ${quoted} limit 1`);
    if (rowCount !== 0)
      throw new BackupError(`The database is not empty (table ${name}). Restore into a new database.`);
  }
}

function orderColumns(table: BackupTable, names: readonly string[]): BackupTable['columns'] {
  const columns = names.map((name) => table.columns.find((column) => column.name === name));
  const known = columns.filter((column) => column !== undefined);
  if (known.length !== table.columns.length || known.length !== names.length) {
    throw new BackupError(`The columns of the table ${table.name} in the backup differ from those of this version.`);
  }
  return known;
}

interface TableRows {
  reader: LineReader;
  rows: number;
  file: string;
}

async function fillTable(client: Client, table: BackupTable, { reader, rows, file }: TableRows): Promise<void> {
  const opening = parse(tableLineSchema, await reader.next(), file);
  if (opening.table !== table.name) throw damaged(file);
  const quoted = table.columns.map(({ name }) => client.escapeIdentifier(name));
  const insert = `
    insert into ${client.escapeIdentifier(table.name)} (${quoted.join(', ')}) overriding system value
    select ${table.columns.map(({ type }, index) => `v.c${index}::${type}`).join(', ')}
    from unnest(${quoted.map((_, index) => `$${index + 1}::text[]`).join(', ')})
      as v(${quoted.map((_, index) => `c${index}`).join(', ')})`;
  const makeWeeks = await createWeekMaker(client, table);
  let batch: (string | null)[][] = [];
  let bytes = 0;
  for (let row = 0; row < rows; row += 1) {
    const line = await reader.next();
    const values = parse(rowSchema, line, file);
    if (values.length !== table.columns.length) throw damaged(file);
    batch.push(values);
    bytes += line?.length ?? 0;
    const isLast = row === rows - 1;
    if (!isLast && batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue;
    const taken = batch;
    await makeWeeks(taken);
    await client.query(
      insert,
      table.columns.map((_, index) => taken.map((cells) => cells[index])),
    );
    batch = [];
    bytes = 0;
  }
}

async function readHeader(reader: LineReader, file: string): Promise<BackupHeader> {
  const line = await reader.next();
  try {
    return headerSchema.parse(JSON.parse(line ?? ''));
  } catch (error) {
    throw new BackupError(`${file} is not a backup that this version of Waybill can read.`, { cause: error });
  }
}

async function readEnd(reader: LineReader, header: BackupHeader, file: string): Promise<void> {
  const sha256 = reader.digest();
  const end = parse(endSchema, await reader.next(), file);
  const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
  const isWhole = end.sha256 === sha256 && end.rows === rows && (await reader.next()) === undefined;
  if (!isWhole) throw damaged(file);
}

function parse<Schema extends z.ZodType>(schema: Schema, line: string | undefined, file: string): z.output<Schema> {
  if (line === undefined) throw damaged(file);
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged(file: string, cause?: unknown): BackupError {
  return new BackupError(`${file} is damaged or incomplete. Nothing was restored.`, { cause });
}

interface LineReader {
  /** Undefined after the last line. An unterminated line is ignored: the file was cut off there. */
  next(): Promise<string | undefined>;
  /** Checksum of all lines read so far. */
  digest(): string;
  close(): Promise<void>;
}

function readLines(file: string): LineReader {
  const lines = splitLines(file);
  const hash = createHash('sha256');
  return {
    async next() {
      const { value, done } = await lines.next();
      if (done === true) return undefined;
      hash.update(`${value}\n`);
      return value;
    },
    digest: () => hash.copy().digest('hex'),
    async close() {
      await lines.return(undefined);
    },
  };
}

async function* splitLines(file: string): AsyncGenerator<string, undefined> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  // `pipe` does not forward errors; without this, reading a missing file would hang forever.
  source.on('error', (error) => gunzip.destroy(error));
  let rest = '';
  try {
    for await (const chunk of source.pipe(gunzip).setEncoding('utf8') as AsyncIterable<string>) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new BackupError(`${file} cannot be read (${error.message}).`, { cause: error });
    }
    throw damaged(file, error);
  }
  if (rest !== '') throw damaged(file);
  return undefined;
}
