// `serve` is often started together with its database, or while the database fails over: it waits instead of exiting.
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../servers/database-proxy.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let folder: string;
let env: Record<string, string>;
let service: ChildProcessByStdio<null, null, Readable> | undefined;
let said: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-waiting-'));
  env = serveSettings({ databaseUrl: proxy.url, folder });
  service = undefined;
});

afterEach(async () => {
  service?.kill('SIGKILL');
  await proxy.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

function serve(): ChildProcessByStdio<null, null, Readable> {
  said = '';
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  service = child;
  return child;
}

async function hears(words: string): Promise<void> {
  await expect
    .poll(() => said.includes(words) || service?.exitCode !== null, { timeout: START_LIMIT_MS, interval: 20 })
    .toBe(true);
  expect(said).toContain(words);
}

const WAITING = /^Waiting for the database\. The database at \S+ cannot be reached \(.*\)\. Check that it is running/m;

test('the service says what it waits for, and starts as soon as it is there', { timeout: START_LIMIT_MS }, async () => {
  proxy.refuse(true);
  serve();
  await hears('Waiting for the database');
  expect(said).toMatch(WAITING);
  proxy.refuse(false);
  await hears('Waybill is ready');
  expect(said.match(/Waiting for/g)).toHaveLength(1);
});

test('a database that goes away during the start is waited for', { timeout: START_LIMIT_MS }, async () => {
  const cut = proxy.cutAfter(['from installation'], 'request').then(() => proxy.refuse(true));
  serve();
  await cut;
  await hears('Waiting for the database');
  proxy.refuse(false);
  await hears('Waybill is ready');
});

test('a stop signal ends the wait', { timeout: START_LIMIT_MS }, async () => {
  proxy.refuse(true);
  const child = serve();
  await hears('Waiting for the database');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('control: a command does not wait', { timeout: START_LIMIT_MS }, async () => {
  proxy.refuse(true);
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [MAIN, 'restaurant', 'list'], { env, timeout: START_LIMIT_MS }, (error, _out, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/^The database at \S+ cannot be reached/)]);
});
