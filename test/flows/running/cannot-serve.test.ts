// A start with something wrong fails with a one-sentence error that says how to fix it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { query } from '../../processes/embedded.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';

let database: TestDatabase;
let folder: string;
/** A server with few connections, simulated by a connection limit on this database. */
let scarce: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  scarce = await createTestDatabase();
  await query(scarce.url, `alter database "${new URL(scarce.url).pathname.slice(1)}" connection limit 40`);
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-cannot-serve-'));
  await writeFile(path.join(folder, 'a-file'), '');
});

afterAll(async () => {
  await database.drop();
  await scarce.drop();
  await rm(folder, { recursive: true });
});

function serve(settings: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  const env = { ...serveSettings({ databaseUrl: database.url, folder }), ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'serve'], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

test.concurrent.each([
  [
    'a data folder that is a file',
    () => ({ WAYBILL_DATA_DIR: path.join(folder, 'a-file') }),
    /^Cannot use the data folder .* \(EEXIST\)\. Make it a writable folder, or set WAYBILL_DATA_DIR to another one\.$/,
  ],
  [
    'a database that the server does not have',
    () => ({ DATABASE_URL: database.url.replace(new URL(database.url).pathname, '/none') }),
    /^The database at \S+ refused the connection\. The database "none" does not exist\. Create it, or correct DATABASE_URL\.$/,
  ],
  [
    'a database that does not give as many connections as the node needs',
    () => ({ DATABASE_URL: scarce.url, WAYBILL_WORKERS: '8' }),
    /^The database allows 40 connections, and this node needs at least \d+\. Raise max_connections in PostgreSQL by \d+ or more, or lower WAYBILL_WORKERS to \d\.$/,
  ],
  [
    'a host that has no address',
    () => ({ WAYBILL_HOST: 'no-such-host.invalid' }),
    /^Cannot listen on no-such-host\.invalid port 0 \(ENOTFOUND\)\. Check WAYBILL_HOST and WAYBILL_PORT\.$/,
  ],
])('the service exits with a one-line error: %s', { timeout: START_LIMIT_MS }, async (_, settings, sentence) => {
  const { code, stderr } = await serve(settings());
  expect(code).toBe(1);
  expect(stderr.trim()).toMatch(sentence);
});
