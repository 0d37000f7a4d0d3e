import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../harness/service/database.ts';
import { openDatabase } from '../database/database.ts';
import { describeSchema } from './describe.ts';

test('schema.sql matches the migrations; if not, run: npm run waybill -- schema', async () => {
  const committed = await readFile(new URL('../../../schema.sql', import.meta.url), 'utf8');
  const database = await createTestDatabase();
  try {
    expect(await describeSchema(database.url)).toBe(committed);
  } finally {
    await database.drop();
  }
});

test.each([
  ['alter table orders add column extra text', 'extra text'],
  ['alter table orders alter column created_at drop not null', 'created_at timestamp with time zone,'],
  [`alter table orders alter column state set default 'NEW'`, `default 'NEW'::text`],
  ['create index orders_extra on orders (state) where version > 1', 'orders_extra'],
  ['alter table orders add constraint extra check (version < 100)', 'constraint extra CHECK (version < 100)'],
  ['create sequence extra start with 5', 'create sequence extra as bigint start with 5'],
  ['create function extra() returns int language sql as $$select 1$$', 'FUNCTION public.extra()'],
])('%s changes the description', async (statement, part) => {
  const database = await createTestDatabase();
  try {
    const before = await describeSchema(database.url);
    const db = openDatabase({ url: database.url });
    await db.query(statement);
    await db.close();
    const after = await describeSchema(database.url);
    expect(after).not.toBe(before);
    expect(after).toContain(part);
    expect(before).not.toContain(part);
  } finally {
    await database.drop();
  }
});
