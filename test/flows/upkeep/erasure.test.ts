// Personal data is gone from every column when its retention period ends: the whole database is searched before and
// after for a word that only this test uses.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { erasePersonalData } from '../../../src/actions/upkeep/erase-personal-data.ts';
import { reportAct } from '../../../src/actions/couriers/report-action.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { saveTroubles } from '../../../src/store/upkeep/set-aside.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Answer, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const WORD = 'Zwiebelfisch';

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let owner: Browser;
let answerWith: Answer;

beforeAll(async () => {
  receiver = await startReceiver({ onRequest: () => answerWith });
  service = await startService({ roles: ['api', 'deliver'] });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  owner = await signInAs(service, 'owner', { restaurant });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

beforeEach(async () => {
  answerWith = { status: 200, body: `Thank you, ${WORD}` };
  await service.app.db.query('truncate orders, order_history, events, attempts, deliveries, erasures_left');
});

/** Columns of all tables that contain the word. */
async function findWord(): Promise<string[]> {
  const columns = await service.app.db.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const where = `select from "${table}" where "${column}"::text like '%${WORD}%' limit 1`;
    if ((await service.app.db.query(where)).length > 0) found.push(`${table}.${column}`);
  }
  return found.sort();
}

function eraseAfter(days: number): Promise<void> {
  const { db, log, setAside } = service.app;
  const now = service.app.clock.now() + days * DAY_MS;
  const clock = { now: () => now, monotonicMs: () => now };
  return erasePersonalData({ db, log, setAside, clock, keepPersonalDataDays: 30, keepUnfinishedDays: 90 });
}

async function place(): Promise<string> {
  const dropoff = { address: { line1: `${WORD} Street` }, location: { latitude: 41, longitude: 29 } };
  const body = { orderId: randomUUID(), customer: { name: WORD }, dropoff, [`of${WORD}`]: 'unknown' };
  return ((await (await service.post(restaurant, body)).json()) as { serviceOrderId: string }).serviceOrderId;
}

async function cancel(orderId: string): Promise<void> {
  const body = { cancelReasonId: 'OTHER', reason: `${WORD} called` };
  expect((await owner.send('POST', `/api/orders/${orderId}/cancel`, body)).status).toBe(200);
}

const countDeliveries = async () => (await service.app.db.query('select from deliveries')).length;
const bodiesOf = async (orderId: string) =>
  (
    await service.app.db.query<{ body: string }>(
      `select body from events where order_id = $1 and type = 'order.canceled'`,
      [orderId],
    )
  ).map(({ body }) => body);

test('every free text of an order is erased 30 days after it finished, and nothing else changes', async () => {
  const { changer, clock } = service.app;
  const orderId = await place();
  const fix = { address: { line1: `${WORD} Avenue` } };
  expect((await owner.send('PATCH', `/api/orders/${orderId}/dropoff`, fix)).status).toBe(200);
  const courierId = await service.addCourier();
  const courier = { role: 'courier', courierId } as const;
  const assign = {
    scope: 'everything',
    orderId,
    command: { name: 'assign', courierId },
    actor: { role: 'operator' },
  } as const;
  await changer.change(assign);
  await changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'decline', reason: `${WORD} owes me money` },
    actor: courier,
  });
  await changer.change(assign);
  await changer.change({ scope: 'everything', orderId, command: { name: 'accept' }, actor: courier });
  const act = { id: randomUUID(), courierId, orderId, kind: 'problem', actedAt: clock.now() } as const;
  expect((await reportAct(service.app, { ...act, detail: `${WORD} is not at home` })).kind).toBe('applied');
  await cancel(orderId);
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
  const troubles = [{ kind: 'order', id: orderId, reason: `unreadable: ${WORD}` }] as const;
  await saveTroubles(service.app.db, { work: 'planning', troubles, now: clock.now() });

  await eraseAfter(29);
  expect(await findWord()).toEqual([
    'attempts.answer',
    'events.body',
    'order_history.detail',
    'orders.cancel_reason',
    'orders.content',
    'orders.facts',
    'orders.warnings',
    'planning_alarms.detail',
    'set_aside.reason',
  ]);
  const [before = ''] = await bodiesOf(orderId);
  await eraseAfter(31);
  expect(await findWord()).toEqual([]);
  const [after = ''] = await bodiesOf(orderId);
  expect(after).toBe(before.replace(`${WORD} called`, 'Other reasons'));
  expect((await owner.get(`/api/orders/${orderId}`)).body).toMatchObject({
    isErased: true,
    state: 'CANCELED',
    cancellation: { reasonId: 'OTHER', text: 'Other reasons' },
  });
  expect(await service.app.db.query('select from erasures_left')).toEqual([]);
});

test('an event keeps its bytes while its webhook is pending, and loses the text afterward', async () => {
  const orderId = await place();
  answerWith = { status: 500, body: WORD };
  await cancel(orderId);
  // Waits until every attempt is recorded, because a delivery that is under way cannot be resent.
  const countUntried = async () => (await service.app.db.query('select from deliveries where failures = 0')).length;
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBeGreaterThan(1);
  await expect.poll(countUntried, { timeout: 10_000 }).toBe(0);
  const before = await bodiesOf(orderId);
  await eraseAfter(31);
  expect(await bodiesOf(orderId)).toEqual(before);
  await eraseAfter(32);
  expect(await bodiesOf(orderId)).toEqual(before);
  answerWith = 200;
  for (const { id } of await service.app.db.query<{ id: string }>('select event_id as id from deliveries')) {
    expect((await owner.send('POST', `/api/orders/${orderId}/deliveries/${id}/resend`)).status).toBe(200);
  }
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
  // Every attempt sent the same bytes.
  const sent = receiver.requests.map(({ body }) => body.toString()).filter((body) => before.includes(body));
  expect(sent.length).toBeGreaterThan(1);
  await eraseAfter(33);
  expect(await findWord()).toEqual([]);
});

test('an order that never finishes is erased 90 days after its last change, and again once it has finished', async () => {
  const orderId = await place();
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
  await eraseAfter(89);
  expect(await findWord()).toContain('orders.content');
  await eraseAfter(91);
  expect(await findWord()).toEqual([]);
  expect((await owner.get(`/api/orders/${orderId}`)).body).toMatchObject({ state: 'VALIDATED', isErased: true });
  const fix = await owner.send('PATCH', `/api/orders/${orderId}/dropoff`, { address: { line1: WORD } });
  expect(fix).toMatchObject({ status: 409, body: { code: 'ORDER_003' } });
  await cancel(orderId);
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
  expect(await findWord()).toContain('events.body');
  await eraseAfter(121);
  expect(await findWord()).toEqual([]);
  expect(await service.app.db.query('select from erasures_left')).toEqual([]);
});

test('an order scheduled for later is not erased before then', async () => {
  const orderId = await place();
  const inAYear = new Date(service.app.clock.now() + 365 * DAY_MS).toISOString();
  await service.app.db.query('update orders set wanted_at = $2 where id = $1', [orderId, inAYear]);
  await eraseAfter(365);
  expect(await findWord()).toContain('orders.content');
});

test('what a node of the previous version erased in part is fully erased by this one', async () => {
  const orderId = await place();
  await cancel(orderId);
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
  await service.app.db.query(`update orders set content = '{}', issues = '[]', erased_at = now() where id = $1`, [
    orderId,
  ]);
  expect(await findWord()).toContain('orders.cancel_reason');
  await eraseAfter(31);
  expect(await findWord()).toEqual([]);
  expect(await service.app.db.query('select from erasures_left')).toEqual([]);
});
