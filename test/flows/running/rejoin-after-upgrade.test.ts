// A node that crashes during a rolling upgrade starts again on the database that a newer version has migrated.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../../src/store/schema/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';
import { commandOf, serveFrom } from '../../../harness/nodes/served-node.ts';

let database: TestDatabase;
let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-rejoin-'));
  settings = serveSettings({ databaseUrl: database.url, folder });
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Migrates like a newer version that has this migration as well. */
async function migrateAsNewer(name: string, text: string): Promise<void> {
  const newer = path.join(folder, name);
  await cp(MIGRATIONS_FOLDER, newer, { recursive: true });
  await writeFile(path.join(newer, `${name}.sql`), text);
  expect(await migrate(database.url, { folder: newer })).toEqual({ applied: [`${name}.sql`] });
}

test('a killed node rejoins after a newer version has added to the schema', { timeout: START_LIMIT_MS }, async () => {
  await commandOf(MAIN, settings, ['restaurant', 'add', '--name', 'N', '--restaurant-id', 'R', '--auto-approve']);
  const { apiKey } = await commandOf(MAIN, settings, ['key', 'create', '--restaurant', 'R']);
  const place = async (address: string, orderId: string): Promise<number> => {
    const answer = await fetch(`${address}/webhook/third-party/order`, {
      method: 'POST',
      headers: { 'x-api-key': String(apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({ orderId, restaurantId: 'R' }),
    });
    return answer.status;
  };
  const node = await serveFrom(MAIN, settings);
  expect(await place(node.address, 'before')).toBe(201);
  await migrateAsNewer('9000_added', 'alter table orders add column of_the_next_version text');
  await node.stop('SIGKILL');
  const rejoined = await serveFrom(MAIN, settings);
  expect(await place(rejoined.address, 'after')).toBe(201);
  expect(await place(rejoined.address, 'before')).toBe(200);
  expect(rejoined.errors).toEqual([]);
  await rejoined.stop();
});

test(
  'control: after a newer version has removed something, it does not start and says why',
  { timeout: START_LIMIT_MS },
  async () => {
    await migrateAsNewer('9001_removed', '-- contract: needs 9000_added.sql\nalter table orders drop column warnings');
    await expect(serveFrom(MAIN, settings)).rejects.toThrow(
      /^A newer version of Waybill removed something that this version needs .* Run the newer version instead\.\n$/,
    );
  },
);
