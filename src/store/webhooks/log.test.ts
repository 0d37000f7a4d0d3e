import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { openDatabase, type Database, type Queryable } from '../database/database.ts';
import { addWeek, weekOf } from '../upkeep/history.ts';
import { listEndpointQueues, listWaitingLog, MAX_SORTED } from './waiting.ts';
import { listWebhookFigures, MAX_SAMPLED_PER_SPAN } from './figures.ts';
import {
  findMatchingOrderIds,
  listAttemptLog,
  listAttemptLogOfOrders,
  MAX_SEARCHED,
  seekAttempts,
  type LogPage,
  type LogScope,
} from './log.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');
const ATTEMPTS = 60_000;
/** Three weeks, one attempt every half minute, the newest last. */
const STEP_MS = 30 * SECOND_MS;
const FIRST_AT = NOW - ATTEMPTS * STEP_MS;
const WAITING = MAX_SORTED + 5_000;
const busy = randomUUID();
const flooded = randomUUID();
const quiet = randomUUID();
const order = randomUUID();
const rareEvent = randomUUID();

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
  for (let { startsAt } = weekOf(FIRST_AT); startsAt < NOW; startsAt += 7 * DAY_MS) {
    await db.transaction((tx) => addWeek(tx, 'attempts', startsAt));
    await db.transaction((tx) => addWeek(tx, 'events', startsAt));
  }
  await addAttempts();
  await addWaiting();
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

// Every second attempt belongs to another restaurant; only one failed, among the oldest, at the cancel endpoint.
async function addAttempts(): Promise<void> {
  await db.query(
    `insert into attempts (event_id, restaurant_id, endpoint, number, outcome, started_at, ended_at, status, total_ms)
     select gen_random_uuid(), case n % 2 when 0 then $1::uuid else $2::uuid end, 'status', 1, 'delivered', at,
       at + interval '1 second', 200, n % 100
     from generate_series(1, $3::int) n, lateral (select to_timestamp(($4 + n * $5::float8) / 1000) as at) t
     order by n`,
    [busy, randomUUID(), ATTEMPTS, FIRST_AT, STEP_MS],
  );
  await db.query(
    `update attempts set event_id = $2, endpoint = 'cancel', outcome = 'failed', status = 500
     where id = (select id from attempts where restaurant_id = $1 order by id offset 500 limit 1)`,
    [busy, rareEvent],
  );
  await db.query(
    `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
       warnings, issues, created_at)
     values ($1, $2, 'A-1', 700001, 'CANCELED', 1, now(), '{}', '[]', '[]', now())`,
    [order, busy],
  );
  await db.query(
    `insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at,
       body)
     values ($1, $2, 1, $3, 1, 'order.canceled', 'NEW', 'CANCELED', 'test', $4, '{}')`,
    [rareEvent, busy, order, new Date(FIRST_AT)],
  );
}

async function addWaiting(): Promise<void> {
  await db.query(
    `with made as (
       insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor,
         occurred_at, body)
       select gen_random_uuid(), $1, n, gen_random_uuid(), 1, 'order.status_changed', 'NEW', 'VALIDATED', 'test',
         to_timestamp(($3 + n * 1000.0) / 1000), '{}'
       from generate_series(1, $2::int) n
       returning id, order_id, occurred_at
     )
     insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, attempts, failures, due_at, occurred_at)
     select id, $1, 'status', order_id, 1, 2, 2, occurred_at + interval '1 day', occurred_at from made`,
    [flooded, WAITING, NOW - DAY_MS],
  );
  await db.query('analyze');
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Counts the table and index rows that statements touch, as measured by the server. */
function countReads(): Pick<Database, 'query' | 'transaction'> & { rowsRead: number } {
  const counting = {
    rowsRead: 0,
    ...explaining(db, (rows) => {
      counting.rowsRead += rows;
    }),
    transaction: <Result>(work: (tx: Queryable) => Promise<Result>) =>
      db.transaction((tx) =>
        work(
          explaining(tx, (rows) => {
            counting.rowsRead += rows;
          }),
        ),
      ),
  };
  return counting;
}

function explaining(inner: Queryable, onRead: (rows: number) => void): Queryable {
  return {
    async query<Row extends object>(statement: Parameters<Queryable['query']>[0], values: readonly unknown[] = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      if (/^\s*(select|with)\b/.test(text)) {
        const [answer] = await inner.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
          `explain (analyze, format json) ${text}`,
          values,
        );
        for (const { Plan } of answer?.['QUERY PLAN'] ?? []) onRead(rowsOf(Plan));
      }
      return inner.query<Row>(statement, values);
    },
  };
}

function rowsOf(node: PlanNode): number {
  const isRead = /^(Seq|Index|Index Only|Bitmap Index|Bitmap Heap) Scan$/.test(node['Node Type']);
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = isRead ? each * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0);
}

const EVERYTHING: LogScope = { restaurantId: busy, endpoint: null, from: null, until: null, before: null, limit: 50 };

test('a page without filters reads few extra rows, and pages have no gaps or repeats', async () => {
  const reads = countReads();
  const first = await listAttemptLog(reads, { ...EVERYTHING, outcome: null });
  expect(first.rows).toHaveLength(50);
  expect(reads.rowsRead).toBeLessThan(300);
  const second = await listAttemptLog(db, { ...EVERYTHING, outcome: null, before: first.next });
  const cursors = [...first.rows, ...second.rows].map((row) => row.cursor);
  expect(cursors).toEqual(cursors.toSorted((left, right) => right - left));
  expect(new Set(cursors).size).toBe(100);
  const expected = await db.query<{ id: string }>(
    'select id from attempts where restaurant_id = $1 order by id desc limit 100',
    [busy],
  );
  expect(cursors).toEqual(expected.map(({ id }) => Number(id)));
});

test('failed attempts are found at once, with any number of later deliveries', async () => {
  for (const endpoint of [null, 'cancel'] as const) {
    const reads = countReads();
    const page = await listAttemptLog(reads, { ...EVERYTHING, outcome: 'failed', endpoint });
    expect(page.rows.map(({ eventId }) => eventId)).toEqual([rareEvent]);
    expect(page).toMatchObject({ next: null, searchedBackTo: null });
    expect(reads.rowsRead).toBeLessThan(50);
  }
  expect(await listAttemptLog(db, { ...EVERYTHING, outcome: 'discarded' })).toMatchObject({ rows: [], next: null });
});

describe('rare attempts are found in steps that each read a bounded number of rows', () => {
  test.each([
    ['by endpoint', { outcome: null, endpoint: 'cancel' }],
    ['by endpoint and success', { outcome: 'delivered', endpoint: 'cancel' }],
  ] as const)('%s', async (_, filter) => {
    const found: LogPage['rows'] = [];
    let pages = 0;
    let before: number | null = null;
    do {
      const reads = countReads();
      const page: LogPage = await listAttemptLog(reads, { ...EVERYTHING, ...filter, before });
      expect(reads.rowsRead).toBeLessThanOrEqual(MAX_SEARCHED + 300);
      if (page.next !== null) expect(page.searchedBackTo).not.toBeNull();
      found.push(...page.rows);
      before = page.next;
      pages += 1;
    } while (before !== null);
    if (filter.outcome === null) {
      expect(found.map(({ eventId }) => eventId)).toEqual([rareEvent]);
      expect(found[0]?.order).toEqual({ id: order, orderId: 'A-1', orderNumber: '700001' });
    } else {
      expect(found).toEqual([]);
    }
    expect(pages).toBe(2);
  });
});

test('a time range is read directly, with any number of later attempts', async () => {
  const reads = countReads();
  const from = FIRST_AT + 3 * DAY_MS;
  const until = from + HOUR_MS;
  const page = await listAttemptLog(reads, { ...EVERYTHING, from, until, outcome: null, limit: 500 });
  expect(page.rows).toHaveLength(HOUR_MS / STEP_MS / 2);
  expect(page.rows.every(({ at }) => at >= from && at < until)).toBe(true);
  expect(page.next).toBeNull();
  expect(reads.rowsRead).toBeLessThan(1_000);
});

test('an id separates attempts before a time from those after it', async () => {
  const at = FIRST_AT + 10 * DAY_MS + 1;
  const [middle, none, start, end] = await seekAttempts(db, busy, [at, null, FIRST_AT, NOW + DAY_MS]);
  expect(none).toBeUndefined();
  const [row] = await db.query(
    `select max(started_at) filter (where id <= $2) as before, min(started_at) filter (where id > $2) as after,
       min(id) > $3 as is_all_after_start, max(id) <= $4 as is_all_before_end
     from attempts where restaurant_id = $1`,
    [busy, middle, start, end],
  );
  const before = FIRST_AT + 10 * DAY_MS;
  expect(row).toEqual({ before, after: before + 2 * STEP_MS, isAllAfterStart: true, isAllBeforeEnd: true });
  expect(await seekAttempts(db, quiet, [at])).toEqual([0]);
});

test('an order is found by each of its ids, for its own restaurant only, and so are its attempts', async () => {
  for (const name of ['A-1', '700001', order]) {
    expect(await findMatchingOrderIds(db, busy, name)).toEqual([order]);
    expect(await findMatchingOrderIds(db, quiet, name)).toEqual([]);
  }
  const reads = countReads();
  const page = await listAttemptLogOfOrders(reads, { ...EVERYTHING, outcome: null, orderIds: [order] });
  expect(page.rows.map(({ eventId }) => eventId)).toEqual([rareEvent]);
  expect(reads.rowsRead).toBeLessThan(20);
  const others = await listAttemptLogOfOrders(db, {
    ...EVERYTHING,
    restaurantId: quiet,
    outcome: null,
    orderIds: [order],
  });
  expect(others.rows).toEqual([]);
});

describe('waiting webhooks', () => {
  const scope = { ...EVERYTHING, restaurantId: flooded, kind: 'waiting', orderIds: null } as const;

  test('too many to sort are found by newest event, a page at a time', async () => {
    const reads = countReads();
    const first = await listWaitingLog(reads, scope);
    expect(first.rows.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 50 }, (_, index) => WAITING - index));
    expect(reads.rowsRead).toBeLessThanOrEqual(MAX_SORTED + 500);
    expect(first.rows[0]).toMatchObject({ outcome: 'waiting', number: 2, endpoint: 'status' });
    const second = await listWaitingLog(db, { ...scope, before: first.next });
    expect(second.rows[0]?.cursor).toBe(WAITING - 50);
  });

  test('a small number is read completely, in pages', async () => {
    await db.query(
      `delete from deliveries d using events e
       where e.id = d.event_id and d.restaurant_id = $1 and e.sequence > 120`,
      [flooded],
    );
    const reads = countReads();
    const first = await listWaitingLog(reads, { ...scope, limit: 100 });
    expect(first.rows.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 100 }, (_, index) => 120 - index));
    const second = await listWaitingLog(db, { ...scope, limit: 100, before: first.next });
    expect(second.rows).toHaveLength(20);
    expect(second.next).toBeNull();
    expect((await listWaitingLog(db, { ...scope, endpoint: 'cancel' })).rows).toEqual([]);
    expect((await listWaitingLog(db, { ...scope, kind: 'held' })).rows).toEqual([]);
  });

  test('are counted up to a limit, with the next attempt', async () => {
    await db.query(`insert into restaurants (id, provider_restaurant_id, name, time_zone, created_at)
      values ('${flooded}', 'flooded', 'Flooded', 'UTC', now())`);
    await db.query(
      `insert into endpoints (restaurant_id, kind) values ('${flooded}', 'status'), ('${flooded}', 'cancel')`,
    );
    const nextAttemptAt = NOW + SECOND_MS;
    expect(await listEndpointQueues(db, flooded, 1_000)).toEqual([
      { endpoint: 'status', waiting: 120, held: 0, nextAttemptAt },
      { endpoint: 'cancel', waiting: 0, held: 0, nextAttemptAt: null },
    ]);
    expect((await listEndpointQueues(db, flooded, 7))[0]?.waiting).toBe(7);
  });
});

test('figures of a range read a limited number of attempts and report when they are a sample', async () => {
  const reads = countReads();
  const spans = { until: NOW + MINUTE_MS, lengthMs: 7 * DAY_MS, count: 3 };
  const figures = await listWebhookFigures(reads, busy, spans);
  expect(figures.map(({ isSampled }) => isSampled)).toEqual([true, true, true]);
  expect(figures.map(({ delivered }) => delivered)).toEqual([
    MAX_SAMPLED_PER_SPAN,
    MAX_SAMPLED_PER_SPAN,
    MAX_SAMPLED_PER_SPAN,
  ]);
  expect(reads.rowsRead).toBeLessThan(3 * MAX_SAMPLED_PER_SPAN + 500);
  const [hour] = await listWebhookFigures(db, busy, { until: NOW, lengthMs: HOUR_MS, count: 1 });
  expect(hour).toMatchObject({ delivered: 60, failed: 0, isSampled: false, from: NOW - HOUR_MS, until: NOW });
  expect(hour?.p50Ms).toBeGreaterThan(40);
  expect(hour?.p95Ms).toBeGreaterThan(hour?.p50Ms ?? Infinity);
  const [empty] = await listWebhookFigures(db, quiet, { until: NOW, lengthMs: HOUR_MS, count: 1 });
  expect(empty).toMatchObject({ delivered: 0, failed: 0, p50Ms: null, p95Ms: null, isSampled: false });
});
