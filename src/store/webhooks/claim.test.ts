// How many rows a claim reads. PostgreSQL plans statements from table statistics, and those of a queue date from a
// quieter time.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { claimDueDeliveries } from './claim.ts';
import { openDatabase, type Database, type Queryable } from '../database/database.ts';
import { findNextDueAt } from './deliveries.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const LIMIT = 100;
const ENDPOINTS = 60;

let testDatabase: TestDatabase;
let db: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
  // So that the statistics are only those that the test creates.
  await db.query('alter table deliveries set (autovacuum_enabled = off)');
});

afterEach(async () => {
  await db.close();
  await testDatabase.drop();
});

/** Deliveries due for a minute, without a lease or leased to a node that does not claim in the test. */
async function addDue(endpoints: readonly number[], each: number, leasedBy: number | null = null): Promise<void> {
  await db.query(
    `with wanted as (
       select gen_random_uuid() as id, gen_random_uuid() as order_id, $5::timestamptz - interval '1 minute' as at,
         ('00000000-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid as restaurant_id, n
       from unnest($1::int[]) place, generate_series($4::int + 1, $4::int + $2::int) n
     ),
     placed as (
       insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
         warnings, issues, created_at)
       select order_id, restaurant_id, order_id::text, nextval('order_numbers'), 'VALIDATED', 1, at, '{}', '[]', '[]', at
       from wanted
     ),
     happened as (
       insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor,
         occurred_at, body)
       select id, restaurant_id, n, order_id, 1, 'order.status_changed', 'NEW', 'VALIDATED', 'test', at, '{}'
       from wanted
     )
     insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, leased_by, occurred_at)
     select id, restaurant_id, 'status', order_id, 1, at, $3, at from wanted order by n`,
    [endpoints, each, leasedBy, nextSequence, new Date(NOW)],
  );
  nextSequence += each;
}
let nextSequence = 0;

interface Claimed {
  count: number;
  /** Rows of the queue's table, read by any access path. */
  rowsRead: number;
}

function claim(): Promise<Claimed> {
  return db.transaction(async (tx) => {
    const before = await countRowsRead(tx);
    const claimed = await claimDueDeliveries(tx, {
      nodeId: '1',
      now: NOW,
      limit: LIMIT,
      rooms: new Map(),
      roomOfOthers: 2,
    });
    return { count: claimed.length, rowsRead: (await countRowsRead(tx)) - before };
  });
}

async function countRowsRead(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables where relname = 'deliveries'`,
  );
  return row?.count ?? 0;
}

const all = Array.from({ length: ENDPOINTS }, (_, place) => place);

describe('a claim reads only a bounded number of rows per delivery it takes', () => {
  const pasts: { past: string; live: () => Promise<void> }[] = [
    { past: 'there never was anything', live: async () => {} },
    { past: 'everything was being sent', live: () => addDue(all, 2, 99) },
    { past: 'a little was waiting', live: () => addDue([3], 5) },
  ];

  test.each(pasts)('when its statements were planned while $past', async ({ live }) => {
    await live();
    await db.query('analyze');
    await claim();
    await addDue(all, 100);
    const { count, rowsRead } = await claim();
    expect(count).toBe(LIMIT);
    expect(rowsRead).toBeLessThan(12 * LIMIT);
  });

  test('when one endpoint has far more than the others', async () => {
    await addDue(all, 20);
    await db.query('analyze');
    await claim();
    await addDue([7], 20_000);
    const { count, rowsRead } = await claim();
    expect(count).toBe(LIMIT);
    expect(rowsRead).toBeLessThan(12 * LIMIT);
  });
});

test('the next due time is read from one row, even with a plan made while everything was being sent', async () => {
  await addDue(all, 2, 99);
  await db.query('analyze');
  await findNextDueAt(db);
  await addDue(all, 100);
  await db.transaction(async (tx) => {
    expect(await findNextDueAt(tx)).toBe(NOW - 60_000);
    expect(await countRowsRead(tx)).toBeLessThan(10);
  });
});
