// Whoever starts the service with something wrong is told what, in one sentence that says what to do.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';

/** A start takes a second, and many times that where everything else is being tested at once. */
const START_LIMIT_MS = 90_000;
const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-cannot-serve-'));
  await writeFile(path.join(folder, 'a-file'), '');
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

function serve(settings: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  const env = {
    DATABASE_URL: database.url,
    WAYBILL_MASTER_KEY: randomBytes(32).toString('base64'),
    WAYBILL_DATA_DIR: path.join(folder, 'data'),
    WAYBILL_PORT: '0',
    ...settings,
  };
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
    /^The data folder .* cannot be used \(EEXIST\)\. Make it a folder that you may write to, or choose another one with WAYBILL_DATA_DIR\.$/,
  ],
  [
    'a database that is not there',
    () => ({ DATABASE_URL: 'postgresql://somebody:hush@127.0.0.1:1/none' }),
    /^The database at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. Check that it is running and that DATABASE_URL is right\.$/,
  ],
  [
    'a host that has no address',
    () => ({ WAYBILL_HOST: 'no-such-host.invalid' }),
    /^Cannot listen on no-such-host\.invalid port 0 \(ENOTFOUND\)\. Check WAYBILL_HOST and WAYBILL_PORT\.$/,
  ],
])('%s', { timeout: START_LIMIT_MS }, async (_, settings, sentence) => {
  const { code, stderr } = await serve(settings());
  expect(code).toBe(1);
  expect(stderr.trim()).toMatch(sentence);
});
