import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startService } from '../../../harness/service/service.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS_FOLDER, readMigrations } from './migrations.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-migrations-'));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Simulates a later version of the program. */
async function addMigration(name: string, text: string): Promise<void> {
  await writeFile(path.join(folder, name), text);
}

/** An open transaction that has read a table, as from a backup or a psql session. */
async function holdTable(table: string): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query(`select from ${table} limit 1`);
  return { release: () => client.end() };
}

async function run(statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** As empty as a database that was just created. */
function emptyDatabase(): Promise<unknown> {
  return run('drop schema public cascade; create schema public');
}

test('when several nodes start on an empty database, one migrates and the others wait for it', async () => {
  await emptyDatabase();
  const nodes = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
  const applied = await run('select name from schema_migrations');
  expect(applied.length).toBeGreaterThan(0);
  expect(nodes.flatMap((node) => node.applied).sort()).toEqual(applied.map((row) => row['name']).sort());
  expect(await run('select from orders')).toEqual([]);
});

test('an up-to-date database is left unchanged', async () => {
  expect(await migrate(database.url)).toEqual({ applied: [] });
});

test('a migration that changed after it was applied is refused', async () => {
  await run(`update schema_migrations set hash = 'other'`);
  await expect(migrate(database.url)).rejects.toThrow('was changed after it was applied');
});

test('an older program runs on a database where a newer one only added objects', async () => {
  await run(`insert into schema_migrations (name, hash) values ('9999_from_the_future.sql', 'x')`);
  expect(await migrate(database.url)).toEqual({ applied: [] });
});

test('a program stops when a required object was removed, and runs when it knows the replacement', async () => {
  await addMigration('9001_new_form.sql', 'create table new_form (id integer)');
  await addMigration(
    '9002_remove_old_form.sql',
    '-- Nobody uses it since 9001.\n-- contract: needs 9001_new_form.sql\ndrop table if exists old_form',
  );
  await migrate(database.url, { folder });
  await expect(migrate(database.url)).rejects.toThrow('needs a version that has 9001_new_form.sql');
  await rm(path.join(folder, '9002_remove_old_form.sql'));
  expect(await migrate(database.url, { folder })).toEqual({ applied: [] });
});

test('a database from a version without compatibility marks gets them', async () => {
  await run('alter table schema_migrations drop column needs');
  expect(await migrate(database.url)).toEqual({ applied: [] });
  expect(await run('select needs from schema_migrations limit 1')).toEqual([{ needs: null }]);
});

test('a database can be migrated to an older version first and the rest later', async () => {
  await emptyDatabase();
  const names = (await readMigrations()).map((migration) => migration.name);
  const older = names.slice(0, 5);
  expect(await migrate(database.url, { only: new Set(older) })).toEqual({ applied: older });
  expect(await migrate(database.url)).toEqual({ applied: names.slice(5) });
});

test('a non-transactional migration runs outside a transaction and is repeated after a partial failure', async () => {
  const name = '9001_index.sql';
  await addMigration(
    name,
    '-- no transaction\n-- A comment; with a semicolon.\ndrop index concurrently if exists orders_by_test;\n' +
      'create index concurrently orders_by_test on orders (state);\nselect from no_such_table;\n',
  );
  await expect(migrate(database.url, { folder })).rejects.toThrow('no_such_table');
  await addMigration(
    name,
    '-- no transaction\ndrop index concurrently if exists orders_by_test;\n' +
      'create index concurrently orders_by_test on orders (state);\n',
  );
  expect(await migrate(database.url, { folder })).toEqual({ applied: [name] });
});

test('nodes waiting to migrate do not block a concurrent index build', async () => {
  await addMigration(
    '9001_index.sql',
    '-- no transaction\ncreate index concurrently orders_by_test on orders (state);',
  );
  const nodes = await Promise.all(Array.from({ length: 3 }, () => migrate(database.url, { folder })));
  expect(nodes.flatMap((node) => node.applied)).toEqual(['9001_index.sql']);
});

/** Whether a migration waits in PostgreSQL's queue for a lock, so that later statements wait behind it. */
async function isQueued(): Promise<boolean> {
  const rows = await run(`select from pg_locks where not granted and mode = 'AccessExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`);
  return rows.length > 0;
}

test('a migration blocked by a long transaction delays no order and succeeds when that ends', async () => {
  await addMigration('9001_column.sql', 'alter table orders add column test_column text');
  const service = await startService({ databaseUrl: database.url });
  try {
    const restaurant = await service.addRestaurant();
    const holder = await holdTable('orders');
    const said: string[] = [];
    let isDone = false;
    const migration = migrate(database.url, { folder, onProgress: (text) => said.push(text) }).then((result) => {
      isDone = true;
      return result;
    });
    const slowest = { ms: 0 };
    for (let number = 1; said.length < 3; number += 1) {
      const startedAtMs = performance.now();
      expect((await service.post(restaurant, { orderId: `during-${number}` })).status).toBe(201);
      slowest.ms = Math.max(slowest.ms, performance.now() - startedAtMs);
    }
    expect(isDone).toBe(false);
    expect(slowest.ms).toBeLessThan(1_000);
    expect(said[0]).toMatch(
      /^Migration 9001_column.sql is waiting for a table that is in use \(the oldest transaction, process \d+/,
    );
    await holder.release();
    expect(await migration).toEqual({ applied: ['9001_column.sql'] });
    expect((await service.post(restaurant, { orderId: 'after' })).status).toBe(201);
  } finally {
    await service.stop();
  }
});

test('control: without the lock timeout, orders wait until that transaction ends', async () => {
  await addMigration('9001_column.sql', 'alter table orders add column test_column text');
  const service = await startService({ databaseUrl: database.url });
  try {
    const restaurant = await service.addRestaurant();
    const holder = await holdTable('orders');
    const migration = migrate(database.url, { folder, lockTimeoutMs: 0 });
    await expect.poll(isQueued).toBe(true);
    let isAnswered = false;
    const answer = service.post(restaurant, { orderId: 'during' }).then((response) => {
      isAnswered = true;
      return response.status;
    });
    // The statement that places the order also waits for a lock.
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%insert into orders%' and pid <> pg_backend_pid()`;
    await expect.poll(() => run(isWaiting)).toHaveLength(1);
    expect(isAnswered).toBe(false);
    await holder.release();
    await migration;
    expect(await answer).toBe(201);
  } finally {
    await service.stop();
  }
});
