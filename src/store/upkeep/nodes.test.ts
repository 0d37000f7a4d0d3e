import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { registerNode, releaseDeadNodes } from './nodes.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

let testDatabase: TestDatabase;
let db: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
});

afterEach(async () => {
  await db.close();
  await testDatabase.drop();
});

test('a node that died before the database clock went back is not alive until the clock catches up', async () => {
  await registerNode(db);
  await db.query(`update nodes set beat_at = now() + interval '1 hour'`);
  expect(await releaseDeadNodes(db, NOW)).toMatchObject({ nodes: 0 });
  expect(await db.query('select from nodes where beat_at <= now()')).toHaveLength(1);
});
