import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { USUAL_ORDER } from '../../contract/integrator/orders/examples.ts';
import { readContentFacts, writeContentFacts } from '../../domain/orders/content-facts.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { FACTS_COLUMNS, factsOf, shownFactsOf, type FactsRow } from './facts.ts';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function addOrder(content: string, facts: string | null): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
       facts, warnings, issues, created_at)
     values ($1, gen_random_uuid(), 'o-' || nextval('order_numbers'), nextval('order_numbers'), 'NEW', 0, now(), $2, $3, '[]', '[]', now())`,
    [id, content, facts],
  );
  return id;
}

async function readRow(id: string): Promise<FactsRow> {
  const [row] = await db.query<FactsRow>(`select ${FACTS_COLUMNS} from orders o where o.id = $1`, [id]);
  if (row === undefined) throw new Error('the order is missing');
  return row;
}

test('an order stored without facts gets them from its content, in any number format', async () => {
  const id = await addOrder('{"timing":{"prepMinutes":15.0},"package":{"count":2e0}}', null);
  expect(factsOf(await readRow(id))).toMatchObject({ prepMinutes: 15, bags: 2 });
});

test('stored facts are used without reading the content', async () => {
  const row = await readRow(await addOrder('{"package":{"count":9}}', '{"bags":2}'));
  expect(row.unreadContent).toBeNull();
  expect(factsOf(row).bags).toBe(2);
});

test('a content change that does not set facts makes them be read from the content again', async () => {
  const id = await addOrder('{"package":{"count":2}}', '{"bags":2}');
  await db.query(`update orders set content = '{"package":{"count":5}}' where id = $1`, [id]);
  expect(factsOf(await readRow(id)).bags).toBe(5);
});

test('facts are kept by an update of both content and facts, and by one of neither', async () => {
  const id = await addOrder('{"package":{"count":2}}', '{"bags":2}');
  await db.query(`update orders set content = '{"package":{"count":5.0}}', facts = '{"bags":5}' where id = $1`, [id]);
  await db.query(`update orders set state = 'VALIDATED' where id = $1`, [id]);
  expect((await readRow(id)).facts).toEqual({ bags: 5 });
});

test('unreadable facts are an error for commands and omitted on pages', async () => {
  const row = await readRow(await addOrder('{}', '{"bags":"two"}'));
  expect(() => factsOf(row)).toThrow('bags');
  expect(shownFactsOf(row).bags).toBe(1);
});

test('a page of the table has room for three usual orders', async () => {
  await db.query('truncate orders cascade');
  for (let count = 0; count < 4; count += 1) {
    await addOrder(JSON.stringify(USUAL_ORDER), writeContentFacts(readContentFacts(USUAL_ORDER)));
  }
  const [pages] = await db.query(
    `select (ctid::text::point)[0]::int as page, count(*)::int from orders group by 1 order by 1`,
  );
  expect(pages).toEqual({ page: 0, count: 3 });
});
