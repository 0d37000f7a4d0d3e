import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { DAY_MS } from '../../domain/time.ts';
import { createLog } from '../../runtime/log.ts';
import { deleteOldActs } from '../../store/couriers/actions.ts';
import { openDatabase, type Database, type Queryable } from '../../store/database/database.ts';
import { addWeek, listWeeks, weekOf } from '../../store/upkeep/history.ts';
import { keepHistory } from './keep-history.ts';

const START = Date.parse('2026-03-04T12:00:00Z');
const RESTAURANT = '0190b6a2-7c1e-7d57-a9cf-6b7c8d9e0f12';

let testDatabase: TestDatabase;
let db: Database;
let now: number;
let lines: string[];
let setAside: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ url: testDatabase.url });
});

afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  now = START;
  lines = [];
  setAside = [];
  await db.query('truncate events, attempts, order_history, courier_acts, deliveries, orders cascade');
});

const keep = () =>
  keepHistory({
    db,
    clock: { now: () => now, monotonicMs: () => now },
    log: createLog((line) => void lines.push(line)),
    setAside: { report: async (work, troubles) => void setAside.push(...troubles.map(({ id }) => `${work} ${id}`)) },
    keepHistoryDays: 90,
    keepPersonalDataDays: 30,
    keepUnfinishedDays: 90,
  });

test('a row that cannot be deleted does not stop other cleanup', async () => {
  await db.query(
    `insert into courier_acts (id, courier_id, order_id, kind, acted_at, received_at)
     values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'pick_up', $1, $1)`,
    [new Date(START - 100 * DAY_MS).toISOString()],
  );
  await db.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'this act cannot be deleted'; end $$`);
  await db.query('create trigger refuse before delete on courier_acts for each row execute function refuse()');
  const id = await addFinishedOrder(START - 31 * DAY_MS);
  await keep();
  expect(lines.join()).toContain('this act cannot be deleted');
  expect(await isErased(id)).toBe(true);
  await db.query('drop function refuse cascade');
});

test('an order that cannot be erased is set aside, and all others are erased in the same round', async () => {
  // More than one batch, with the bad orders first in line.
  const bad = [await addFinishedOrder(START - 40 * DAY_MS), await addFinishedOrder(START - 39 * DAY_MS)];
  for (const id of bad) {
    await db.query(
      `insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor,
         occurred_at, body)
       select gen_random_uuid(), $2, row_number() over () + 100, $1, 1, 'order.canceled', 'NEW', 'CANCELED', 'system', $3,
         'Zwiebelfisch'`,
      [id, RESTAURANT, new Date(START).toISOString()],
    );
  }
  const good = await Promise.all(Array.from({ length: 250 }, () => addFinishedOrder(START - 31 * DAY_MS)));
  await keep();
  const erased = await db.query<{ id: string }>('select id from orders where erased_at is not null');
  expect(erased.map(({ id }) => id).sort()).toEqual(good.toSorted());
  expect(setAside.toSorted()).toEqual(bad.map((id) => `erasure ${id}`).toSorted());
  expect(lines.join()).not.toContain('Zwiebelfisch');
});

async function addFinishedOrder(finishedAt: number): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
       warnings, issues, created_at, finished_at)
     select gen_random_uuid(), $1, gen_random_uuid()::text, nextval('order_numbers'), 'CANCELED', 1, $2, '{}', '[]', '[]',
       $2, $2 returning id`,
    [RESTAURANT, new Date(finishedAt).toISOString()],
  );
  return row?.id ?? '';
}

async function isErased(id: string): Promise<boolean> {
  return (await db.query('select from orders where id = $1 and erased_at is not null', [id])).length > 0;
}

async function addEvent(at: number): Promise<string> {
  const [row] = await db.query<{ id: string; partition: string }>(
    `insert into events (id, restaurant_id, sequence, order_id, version, type, from_state, to_state, actor, occurred_at, body)
     values (gen_random_uuid(), $1, 1, gen_random_uuid(), 1, 'order.status_changed', 'NEW', 'VALIDATED', 'system', $2, '{}')
     returning id, tableoid::regclass::text as partition`,
    [RESTAURANT, new Date(at).toISOString()],
  );
  return row?.id ?? '';
}

async function weekOfEvent(id: string): Promise<string | undefined> {
  const [row] = await db.query<{ partition: string }>(
    'select tableoid::regclass::text as partition from events where id = $1',
    [id],
  );
  return row?.partition;
}

test('weekly partitions begin on Monday and are created once, three weeks ahead', async () => {
  await keep();
  const monday = Date.parse('2026-03-02T00:00:00Z');
  const weeks = [0, 7, 14, 21].map((days) => monday + days * DAY_MS);
  for (const table of ['events', 'attempts', 'order_history'] as const) {
    // Every test database also has weeks of the machine's date.
    expect((await listWeeks(db, table)).filter((week) => week < START + 100 * DAY_MS)).toEqual(weeks);
  }
  lines = [];
  await keep();
  expect(lines).toEqual([]);
  expect(weekOf(monday - 1).endsAt).toBe(monday);
  expect(await weekOfEvent(await addEvent(START))).toBe('events_w20260302');
  expect(await weekOfEvent(await addEvent(START - 400 * DAY_MS))).toBe('events_rest');
});

test('a week is dropped when all of it is too old, and never while one of its events is undelivered', async () => {
  await keep();
  const delivered = await addEvent(START);
  const waiting = await addEvent(START);
  await db.query(
    `insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, occurred_at)
     select id, restaurant_id, 'status', order_id, version, occurred_at from events where id = $1`,
    [waiting],
  );
  now = weekOf(START).endsAt + 90 * DAY_MS - 1;
  await keep();
  expect(await weekOfEvent(delivered)).toBe('events_w20260302');
  now += 1;
  await keep();
  expect(await weekOfEvent(delivered)).toBe('events_w20260302');
  expect(await listWeeks(db, 'attempts')).not.toContain(weekOf(START).startsAt);
  await db.query('delete from deliveries');
  await keep();
  expect(await weekOfEvent(delivered)).toBeUndefined();
});

test('rows outside weekly partitions are deleted one by one, except undelivered events', async () => {
  const old = await addEvent(START - 400 * DAY_MS);
  const waiting = await addEvent(START - 400 * DAY_MS);
  await db.query(
    `insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, occurred_at)
     select id, restaurant_id, 'status', order_id, version, occurred_at from events where id = $1`,
    [waiting],
  );
  await keep();
  expect(await weekOfEvent(old)).toBeUndefined();
  expect(await weekOfEvent(waiting)).toBe('events_rest');
});

test('rows written before their week was created stay in place, and later ones go into weeks', async () => {
  now = START + 700 * DAY_MS;
  const early = await addEvent(now);
  await keep();
  expect(await weekOfEvent(early)).toBe('events_rest');
  expect(await listWeeks(db, 'events')).toContain(weekOf(now).startsAt);
  expect(await weekOfEvent(await addEvent(now + DAY_MS))).toBe('events_w20280131');
});

test('customer data is erased 30 days after the order finished, and not before', async () => {
  await db.query(
    `insert into restaurants (id, provider_restaurant_id, name, time_zone, created_at)
     values ($1, 'keep', 'Keep', 'UTC', now()) on conflict do nothing`,
    [RESTAURANT],
  );
  const place = async (name: string, finishedAt: number | null) =>
    db.query(
      `insert into orders (id, restaurant_id, provider_order_id, order_number, state, version, last_changed_at, content,
         warnings, issues, created_at, finished_at)
       values (gen_random_uuid(), $1, $2, nextval('order_numbers'), 'DELIVERED', 1, now(), '{"customer":"Ada"}', '[]',
         '[]', now(), $3)`,
      [RESTAURANT, name, finishedAt === null ? null : new Date(finishedAt).toISOString()],
    );
  await place('old', START - 30 * DAY_MS - 1);
  await place('young', START - 30 * DAY_MS);
  await place('live', null);
  await db.query(
    `insert into order_history (order_id, at, kind, actor, detail)
     select id, now(), 'dropoff_fixed', 'owner', 'Ada, 1 High Street' from orders`,
  );
  await keep();
  const fixed = await db.query<{ detail: string | null }>(
    `select h.detail from order_history h join orders o on o.id = h.order_id order by o.provider_order_id`,
  );
  expect(fixed.map((row) => row.detail)).toEqual(['Ada, 1 High Street', null, 'Ada, 1 High Street']);
  const rows = await db.query<{ name: string; content: object; erased: boolean }>(
    'select provider_order_id as name, content, erased_at is not null as erased from orders order by 1',
  );
  expect(rows).toEqual([
    { name: 'live', content: { customer: 'Ada' }, erased: false },
    { name: 'old', content: {}, erased: true },
    { name: 'young', content: { customer: 'Ada' }, erased: false },
  ]);
});

test('courier reports are deleted in batches with the history of their order, and not before', async () => {
  const report = (count: number, receivedAt: number) =>
    db.query(
      `insert into courier_acts (id, courier_id, order_id, kind, acted_at, received_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'arrived', $2, $2 from generate_series(1, $3::int)`,
      [RESTAURANT, new Date(receivedAt).toISOString(), count],
    );
  // More than one statement deletes.
  await report(6_000, START - 90 * DAY_MS - 1);
  await report(3, START - 90 * DAY_MS);
  await keep();
  const [left] = await db.query<{ count: number }>('select count(*)::int as count from courier_acts');
  expect(left?.count).toBe(3);
});

test('old courier reports are found without reading recent ones', async () => {
  const plan: string[] = [];
  const explaining: Queryable = {
    async query(statement, values) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const rows = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plan.push(...rows.map((row) => row['QUERY PLAN']));
      return [];
    },
  };
  await deleteOldActs(explaining, { before: START, limit: 1 });
  expect(plan.join()).toContain('courier_acts_by_time');
  expect(plan.join()).not.toContain('Seq Scan');
});

test('a lock held on a table delays the drop of weeks, and the drop never blocks the lock holder', async () => {
  await keep();
  now = START + 70 * DAY_MS;
  const other = openDatabase({ url: testDatabase.url });
  await other.transaction(async (tx) => {
    await tx.query('select from events limit 1');
    await tx.query(`insert into order_history (order_id, at, kind, actor) values (gen_random_uuid(), now(), 'k', 'a')`);
    now = START + 200 * DAY_MS;
    await keep();
    expect(await listWeeks(db, 'events')).toContain(weekOf(START).startsAt);
  });
  await keep();
  expect(await listWeeks(db, 'events')).not.toContain(weekOf(START).startsAt);
  await other.close();
});

test('a row being written while its week is added goes into that week', async () => {
  const at = START + 500 * DAY_MS;
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(7)');
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const writing = db.query<{ partition: string }>(
    `insert into order_history (order_id, at, kind, actor)
     select gen_random_uuid(), $1::timestamptz, 'dropoff_fixed', 'somebody' from (select pg_advisory_xact_lock(7)) waited
     returning tableoid::regclass::text as partition`,
    [new Date(at).toISOString()],
  );
  // Only in this database: others on the same server wait for their own locks.
  const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and l.objid = 7 and not l.granted`;
  await expect.poll(() => db.query(waiting)).not.toEqual([]);
  await db.transaction((tx) => addWeek(tx, 'order_history', weekOf(at).startsAt)).finally(release.resolve);
  await holding;
  expect(await writing).toEqual([{ partition: 'order_history_w20270712' }]);
});
