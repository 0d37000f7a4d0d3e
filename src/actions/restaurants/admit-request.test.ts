import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { createPlatform } from '../../platform.ts';
import { DatabaseUnavailable, openDatabase, type Database, type Queryable } from '../../store/database/database.ts';
import { createRequestAdmission } from './admit-request.ts';

const { newId } = createPlatform();
const START = Date.UTC(2026, 2, 1, 12);

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

/** A separate node with a settable clock and a count of its statements. */
function createNode(queryable: Queryable = db) {
  const node = { now: START, statements: 0 };
  const counting: Queryable = {
    query: (statement, values) => {
      node.statements += 1;
      return queryable.query(statement, values);
    },
  };
  const clock = { now: () => node.now, monotonicMs: () => node.now };
  return Object.assign(node, { admission: createRequestAdmission({ db: counting, clock }) });
}

function restaurant(rateLimitPerMinute: number) {
  return { id: newId(), rateLimitPerMinute };
}

test('two nodes on one database together admit exactly the limit', async () => {
  const [one, other] = [createNode(), createNode()];
  const limited = restaurant(300);
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => (index % 2 ? one : other).admission.admit(limited)),
  );
  expect(answers.filter(Boolean)).toHaveLength(300);
});

test('concurrent requests share one statement, and the first ones are admitted', async () => {
  const node = createNode();
  const [one, other] = [restaurant(3), restaurant(1_000)];
  await Promise.all([node.admission.admit({ ...one, id: newId() }), node.admission.admit(other)]);
  node.statements = 0;
  const calls = [one, other, one, one, one, other].map((each) => node.admission.admit(each));
  expect(await Promise.all(calls)).toEqual([true, true, true, true, false, true]);
  // One finds that the restaurant is new, one inserts it, one counts.
  expect(node.statements).toBeLessThanOrEqual(3);
  node.statements = 0;
  await Promise.all(Array.from({ length: 500 }, () => node.admission.admit(other)));
  expect(node.statements).toBe(1);
});

test('with a very large limit a node reserves a little ahead, and two nodes still never exceed it', async () => {
  const [one, other] = [createNode(), createNode()];
  const limited = restaurant(100_000);
  for (let call = 0; call < 500; call += 1) expect(await one.admission.admit(limited)).toBe(true);
  expect(one.statements).toBeLessThan(20);
  await db.query('update rate_windows set used = 99900 where restaurant_id = $1', [limited.id]);
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => other.admission.admit(limited)));
  expect(answers.filter(Boolean)).toHaveLength(100);
  // Requests counted in advance are valid only in their own minute.
  one.now += 60_000;
  one.statements = 0;
  expect(await one.admission.admit(limited)).toBe(true);
  expect(one.statements).toBe(1);
});

test('requests over the limit cost no statement until the minute ends, and are then admitted', async () => {
  const node = createNode();
  const limited = restaurant(2);
  expect(await Promise.all([1, 2, 3].map(() => node.admission.admit(limited)))).toEqual([true, true, false]);
  node.statements = 0;
  node.now = START + 59_999;
  expect(await node.admission.admit(limited)).toBe(false);
  expect(node.statements).toBe(0);
  node.now = START + 60_000;
  expect(await node.admission.admit(limited)).toBe(true);
});

test('a node that stopped asking notices a raised limit and a clock that went back', async () => {
  const node = createNode();
  const limited = restaurant(1);
  await node.admission.admit(limited);
  expect(await node.admission.admit(limited)).toBe(false);
  expect(await node.admission.admit({ ...limited, rateLimitPerMinute: 2 })).toBe(true);
  expect(await node.admission.admit({ ...limited, rateLimitPerMinute: 2 })).toBe(false);
  node.now = START - 3_600_000;
  expect(await node.admission.admit(limited)).toBe(false);
  node.now += 60_000;
  expect(await node.admission.admit(limited)).toBe(true);
});

test('without the table of rate windows, orders are taken and each node counts its own requests', async () => {
  const own = await createTestDatabase();
  const damaged = openDatabase({ url: own.url });
  onTestFinished(async () => {
    await damaged.close();
    await own.drop();
  });
  await damaged.query('alter table rate_windows rename to rate_windows_away');
  const node = createNode(damaged);
  const limited = restaurant(2);
  expect(await Promise.all([1, 2, 3].map(() => node.admission.admit(limited)))).toEqual([true, true, false]);
  node.now += 60_000;
  expect(await node.admission.admit(limited)).toBe(true);
  await damaged.query('alter table rate_windows_away rename to rate_windows');
  expect(await node.admission.admit(limited)).toBe(true);
  const [row] = await damaged.query<{ used: number }>('select used from rate_windows');
  expect(row?.used).toBe(1);
});

test('without the database no request is admitted, and none is refused by mistake', async () => {
  const gone = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nothing' });
  const { admission } = createNode(gone);
  await expect(admission.admit(restaurant(1))).rejects.toBeInstanceOf(DatabaseUnavailable);
  await gone.close();
});
