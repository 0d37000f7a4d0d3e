// Writes a backup while the service keeps running: one snapshot, rows in small batches, constant memory.
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Client } from 'pg';
import { DatabaseClient } from '../database/connecting/client.ts';
import { formatUtc, type Instant } from '../../domain/time.ts';
import { BackupError, FORMAT_NAME, FORMAT_VERSION, type BackupHeader } from './format.ts';
import { listAppliedMigrations, listBackupTables, listSequences, type BackupTable } from './tables.ts';

export interface BackupOptions {
  url: string;
  file: string;
  now: Instant;
  /** Called and awaited before each table. */
  onProgress(text: string): void | Promise<void>;
}

export interface BackupSummary {
  file: string;
  rows: number;
  tables: Record<string, number>;
}

const BATCH_BYTES = 1_000_000;
const FIRST_BATCH_ROWS = 50;
const MAX_BATCH_ROWS = 2_000;

export async function writeBackup(options: BackupOptions): Promise<BackupSummary> {
  const { file } = options;
  if (await isThere(file)) throw new BackupError(`${file} already exists. Choose another name, or remove the file.`);
  // Written under a temporary name until complete: a file with the final name is always a complete backup.
  const draft = `${file}.partial`;
  const client = new DatabaseClient({ url: options.url, name: 'waybill-backup', keepAlive: true });
  await client.connect();
  try {
    const summary = await writeDraft(client, draft, options);
    await flush(draft);
    await rename(draft, file);
    await flush(path.dirname(path.resolve(file)));
    return summary;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function writeDraft(client: Client, draft: string, options: BackupOptions): Promise<BackupSummary> {
  const gzip = createGzip({ level: 6 });
  // Secrets are encrypted and keys hashed, but the backup contains customers' names and addresses.
  const written = pipeline(gzip, createWriteStream(draft, { mode: 0o600, flags: 'w' }));
  // Awaited at the end; until then, a full disk must not cause an unhandled rejection.
  written.catch(() => undefined);
  const sink: Sink = { gzip, hash: createHash('sha256'), failed: written };
  try {
    await openSnapshot(client);
    const tables = await listBackupTables(client);
    const header = await describe(client, tables, options.now);
    await writeLine(sink, JSON.stringify(header));
    for (const table of tables) {
      await options.onProgress(
        `${table.name}: ${header.tables.find(({ name }) => name === table.name)?.rows ?? 0} rows`,
      );
      await writeTable(client, table, sink);
    }
    const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
    gzip.end(`${JSON.stringify({ end: true, rows, sha256: sink.hash.digest('hex') })}\n`);
    await written;
    return {
      file: options.file,
      rows,
      tables: Object.fromEntries(header.tables.map(({ name, rows }) => [name, rows])),
    };
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    throw error;
  }
}

async function openSnapshot(client: Client): Promise<void> {
  // The text must not depend on the settings of this server or user.
  await client.query(`
    set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
    set extra_float_digits = 1; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`);
  await client.query('begin isolation level repeatable read read only');
}

async function describe(client: Client, tables: readonly BackupTable[], now: Instant): Promise<BackupHeader> {
  const counted: BackupHeader['tables'] = [];
  for (const { name, columns } of tables) {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${client.escapeIdentifier(name)}`);
    counted.push({ name, columns: columns.map((column) => column.name), rows: Number(rows[0]?.count ?? 0) });
  }
  const check = await client.query<{ key_check: Buffer }>('select key_check from installation');
  return {
    format: FORMAT_NAME,
    version: FORMAT_VERSION,
    createdAt: formatUtc(now),
    migrations: await listAppliedMigrations(client),
    keyCheck: check.rows[0]?.key_check.toString('base64') ?? null,
    tables: counted,
    // Sequences are not part of snapshots. Read after the snapshot began, they are at least as high as any of its rows.
    sequences: await listSequences(client),
  };
}

interface Sink {
  gzip: Gzip;
  hash: Hash;
  failed: Promise<void>;
}

async function writeTable(client: Client, table: BackupTable, sink: Sink): Promise<void> {
  await writeLine(sink, JSON.stringify({ table: table.name }));
  const values = table.columns.map(({ name }) => selectColumn(client, table.name, name)).join(', ');
  await client.query(
    `declare batch no scroll cursor for
     select to_json(array[${values}])::text as line from ${client.escapeIdentifier(table.name)}`,
  );
  let batchRows = FIRST_BATCH_ROWS;
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${batchRows} from batch`);
    if (rows.length === 0) break;
    const text = rows.map((row) => row.line).join('\n');
    await writeLine(sink, text);
    const rowBytes = Math.max(1, text.length / rows.length);
    batchRows = Math.min(MAX_BATCH_ROWS, Math.max(1, Math.floor(BATCH_BYTES / rowBytes)));
  }
  await client.query('close batch');
}

function selectColumn(client: Client, table: string, column: string): string {
  // The backup excludes the nodes that held leases, so leased deliveries are due again.
  if (table === 'deliveries' && column === 'leased_by') return 'null';
  return `${client.escapeIdentifier(column)}::text`;
}

async function writeLine(sink: Sink, line: string): Promise<void> {
  const text = `${line}\n`;
  sink.hash.update(text);
  if (sink.gzip.write(text)) return;
  // A full disk ends the pipeline without a drain event.
  await Promise.race([once(sink.gzip, 'drain'), sink.failed]);
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function flush(place: string): Promise<void> {
  const handle = await open(place);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
