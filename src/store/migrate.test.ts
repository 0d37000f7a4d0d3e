import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/helpers/database.ts';
import { migrate } from './migrate.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

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

test('of several nodes that start at once on an empty database, one migrates and the others wait for it', async () => {
  await emptyDatabase();
  const nodes = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
  const applied = await run('select name from schema_migrations');
  expect(applied.length).toBeGreaterThan(0);
  expect(nodes.flatMap((node) => node.applied).sort()).toEqual(applied.map((row) => row['name']).sort());
  expect(await run('select from orders')).toEqual([]);
});

test('a database that is up to date is left as it is', async () => {
  expect(await migrate(database.url)).toEqual({ applied: [] });
});

test('a migration that was changed after it was applied is refused', async () => {
  await run(`update schema_migrations set hash = 'other'`);
  await expect(migrate(database.url)).rejects.toThrow('was changed after it was applied');
});

test('a database of a newer version is refused instead of being used wrongly', async () => {
  await run(`insert into schema_migrations (name, hash) values ('9999_from_the_future.sql', 'x')`);
  await expect(migrate(database.url)).rejects.toThrow('made by a newer Waybill');
});
