// The service as a process: what exists when it reports that it is ready, and how it stops.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { HISTORY_TABLES, listWeeks, weekOf } from '../../../src/store/upkeep/history.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';

let testDatabase: TestDatabase;
let db: Database;
let folder: string;
let service: ChildProcessByStdio<null, null, Readable>;
let said: string;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-start-and-stop-'));
});

afterEach(async () => {
  service.kill('SIGKILL');
  await db.close();
  await testDatabase.drop();
  await rm(folder, { recursive: true });
});

async function serve(settings: Record<string, string>): Promise<void> {
  const env = { ...serveSettings({ databaseUrl: testDatabase.url, folder }), ...settings };
  said = '';
  service = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  service.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await hears('Waybill is ready');
}

async function hears(words: string): Promise<void> {
  while (!said.includes(words)) await once(service.stderr, 'data');
}

// A node that only takes orders never adds weeks after its start.
test(
  'when the service is ready, this week and the next three have their partitions',
  { timeout: START_LIMIT_MS },
  async () => {
    await serve({ WAYBILL_ROLES: 'api' });
    const { startsAt } = weekOf(Date.now());
    const weeks = [0, 1, 2, 3].map((ahead) => startsAt + ahead * 604_800_000);
    for (const table of HISTORY_TABLES) expect(await listWeeks(db, table)).toEqual(weeks);
  },
);

test('a Ctrl-C that arrives twice still shuts down in order', { timeout: START_LIMIT_MS }, async () => {
  await serve({});
  await expect.poll(() => db.query('select from nodes')).toHaveLength(1);
  service.kill('SIGINT');
  await hears('stopping');
  service.kill('SIGINT');
  const [code, signal] = await once(service, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  // The node unregistered itself, so it does not have to be detected as dead.
  expect(await db.query('select from nodes')).toEqual([]);
});
