// Every new column that can hold personal data must declare what happens to that data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/service/database.ts';
import { readDoc } from './docs/section.ts';

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
});
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

/** Every column that can hold text, bytes or coordinates: all but numbers, times, IDs and booleans. */
async function listColumns(): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and format_type(a.atttypid, null) not in
         ('uuid', 'integer', 'bigint', 'real', 'boolean', 'timestamp with time zone')`,
  );
  return rows.map(({ name }) => name).sort();
}

const listDocumented = (text: string): string[] =>
  [...text.matchAll(/`(\w+\.\w+)`/g)].flatMap(([, name = '']) => (name.endsWith('.ts') ? [] : [name])).sort();

test('docs/privacy.md documents every column exactly once, and no other column', async () => {
  expect(listDocumented(readDoc('docs/privacy.md'))).toEqual(await listColumns());
});

test('control: a new unclassified column is detected', async () => {
  await db.query('alter table orders add column customer_note text');
  try {
    expect(await listColumns()).toContain('orders.customer_note');
    expect(listDocumented(readDoc('docs/privacy.md'))).not.toContain('orders.customer_note');
  } finally {
    await db.query('alter table orders drop column customer_note');
  }
});
