// Which commands may run on a database of another version. Only `migrate` and `serve` may change its schema.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand, runJson } from '../../test/processes/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
import { openDatabase, type Database } from '../store/database/database.ts';
import { migrate } from '../store/schema/migrate.ts';
import { readMigrations } from '../store/schema/migrations.ts';

let database: TestDatabase;
let db: Database;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-schema-version-'));
  const dataDir = path.join(folder, 'data');
  env = {
    DATABASE_URL: database.url,
    WAYBILL_MASTER_KEY: randomBytes(32).toString('base64'),
    WAYBILL_DATA_DIR: dataDir,
  };
});

afterEach(async () => {
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function goBackTo(count: number): Promise<void> {
  await db.query('drop schema public cascade');
  await db.query('create schema public');
  const names = (await readMigrations()).slice(0, count).map((migration) => migration.name);
  if (count > 0) await migrate(database.url, { only: new Set(names) });
}

const listMigrations = () => db.query<{ name: string }>('select name from schema_migrations');

test('a command on an older database names the fix and leaves the schema alone; migrate upgrades it', async () => {
  await goBackTo(5);
  for (const words of ['restaurant list', 'key list --restaurant R', 'order show x', 'user list', 'audit list']) {
    const { code, stdout, stderr } = await runCommand(env, words.split(' '));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^The database is older than this version of Waybill \(\d+ migrations are missing, starting with 0006_restaurant_address\.sql\)\. Run "npm run waybill -- migrate"/,
    );
  }
  const restored = await runCommand(env, ['restore', path.join(folder, 'backup.gz')]);
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('is older than this version') });
  expect(await listMigrations()).toHaveLength(5);
  const { applied } = await runJson(env, ['migrate']);
  expect(applied).toHaveLength((await listMigrations()).length - 5);
  expect(await runJson(env, ['restaurant', 'list'])).toEqual({ restaurants: [] });
});

test('a command on a database without tables names the fix and creates none', async () => {
  await goBackTo(0);
  const { code, stderr } = await runCommand(env, ['restaurant', 'list', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringMatching(
      /^The database does not contain the Waybill schema yet\. Run "npm run waybill -- migrate"/,
    ),
  });
  expect(await db.query(`select to_regclass('schema_migrations') as found`)).toEqual([{ found: null }]);
});

test('a command runs on a newer database that only adds to the schema, and not on one that lacks what it needs', async () => {
  await db.query(`insert into schema_migrations (name, hash) values ('9998_more.sql', 'x')`);
  expect(await runJson(env, ['restaurant', 'list'])).toEqual({ restaurants: [] });
  await db.query(`insert into schema_migrations (name, hash, needs) values ('9999_less.sql', 'x', '9998_more.sql')`);
  const { code, stderr } = await runCommand(env, ['restaurant', 'list']);
  expect(code).toBe(1);
  expect(stderr).toContain('Run the newer version instead.');
});

test('an unused data folder stays empty until the service or migrate creates its database', async () => {
  const { DATABASE_URL: _external, WAYBILL_MASTER_KEY: _key, ...embedded } = env;
  for (const words of [
    ['restaurant', 'list'],
    ['backup', path.join(folder, 'backup.gz')],
  ]) {
    const { code, stderr } = await runCommand(embedded, words);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^There is no database yet\. Run "npm run waybill -- migrate"/),
    });
  }
  expect(await readdir(folder)).toEqual([]);
});
