import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { listOrderPlans, saveOrderPlans, type PlanExplanation } from './plans.ts';

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

const NONE = { courierId: null, pickupPlace: null, dropoffPlace: null, pickupAt: null, dropoffAt: null };
const [ADA, BO] = [randomUUID(), randomUUID()];
const UNTIL = '2026-03-01T12:00:00.000Z';

/** The explanation stored after a plan gave this one; null: the plan gave no new one. */
async function save(orderId: string, explanation: PlanExplanation | null) {
  await saveOrderPlans(db, [{ ...NONE, orderId, explanation }], 0);
  const [plan] = await listOrderPlans(db, [orderId]);
  return plan?.explanation;
}

const placed = (courierId: string, nextBest: { courierId: string; extraCost: number } | null): PlanExplanation => ({
  kind: 'placed',
  courierId,
  extraCost: 252.5,
  nextBest,
  offerAt: UNTIL,
});
const offered = (courierId: string): PlanExplanation => ({ kind: 'offered', courierId, until: UNTIL });
const accepted = (courierId: string): PlanExplanation => ({ kind: 'accepted', courierId });

test('the reason a courier was chosen survives replanning until another courier gets the order', async () => {
  const orderId = randomUUID();
  const nextBest = { courierId: BO, extraCost: 90 };
  await save(orderId, placed(ADA, nextBest));
  const choice = { extraCost: 252.5, nextBest };
  expect(await save(orderId, offered(ADA))).toEqual({ ...offered(ADA), choice });
  expect(await save(orderId, accepted(ADA))).toEqual({ ...accepted(ADA), choice });
  expect(await save(orderId, accepted(ADA))).toEqual({ ...accepted(ADA), choice });
  expect(await save(orderId, null)).toEqual({ ...accepted(ADA), choice });
  expect(await save(orderId, accepted(BO))).toEqual(accepted(BO));
  expect(await save(orderId, accepted(ADA))).toEqual(accepted(ADA));
});

test('a choice without a rival is kept too, and a courier who was not planned has no reason', async () => {
  const orderId = randomUUID();
  await save(orderId, placed(ADA, null));
  expect(await save(orderId, offered(ADA))).toMatchObject({ choice: { extraCost: 252.5, nextBest: null } });
  const waiting: PlanExplanation = { kind: 'waiting', reason: 'NO_ROOM', until: null };
  expect(await save(orderId, waiting)).toEqual(waiting);
  expect(await save(orderId, offered(ADA))).toEqual(offered(ADA));
  expect(await save(orderId, placed(BO, null))).toEqual(placed(BO, null));
});
