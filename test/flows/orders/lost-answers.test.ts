// A commit whose answer is lost may or may not have happened. Either way there is one order, each event is sent once
// and in order, and no answer or webhook is incorrect.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resendDelivery } from '../../../src/store/webhooks/delivery-log.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../servers/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let courierId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  service = await startService({ databaseUrl: proxy.url });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  courierId = await service.addCourier();
});

afterAll(async () => {
  await service.stop();
  await proxy.close();
  await database.drop();
  await receiver.close();
});

// Names of prepared statements, which are sent with each use. Placing is a single statement that commits on its own.
const PLACING = ['insert_placed_orders'];
const CHANGING = ['update_orders', 'commit'];
const CLAIMING = ['lease_due_deliveries', 'commit'];
const RECORDING = ['record_attempts', 'commit'];

interface Placed {
  serviceOrderId: string;
  status: string;
}

async function place(orderId: string): Promise<Placed> {
  const answer = await service.post(restaurant, { orderId });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Placed;
}

/** The states received so far, in order of arrival. */
function statesOf(orderId: string): string[] {
  return receiver.requests
    .map((request) => JSON.parse(request.body.toString()) as { orderId: string; status: string })
    .filter((body) => body.orderId === orderId)
    .map((body) => body.status);
}

async function countOrders(orderId: string): Promise<number> {
  const rows = await service.app.db.query('select from orders where provider_order_id = $1', [orderId]);
  return rows.length;
}

async function isOneEventEach(orderId: string, versions: number): Promise<void> {
  const rows = await service.app.db.query<{ version: number }>(
    `select e.version from events e join orders o on o.id = e.order_id where o.provider_order_id = $1 order by 1`,
    [orderId],
  );
  expect(rows.map((row) => row.version)).toEqual(Array.from({ length: versions }, (_, index) => index + 1));
}

test('an order whose commit confirmation is lost is placed once and answered 201', async () => {
  const cut = proxy.cutAfter(PLACING, 'answer');
  const placed = await place('void-1');
  await cut;
  expect(placed.status).toBe('VALIDATED');
  expect(await countOrders('void-1')).toBe(1);
  await isOneEventEach('void-1', 1);
  await receiver.waitFor(() => statesOf('void-1').length > 0, 20_000);
  expect(statesOf('void-1')).toEqual(['VALIDATED']);
  const again = await service.post(restaurant, { orderId: 'void-1' });
  expect(again.status).toBe(200);
});

test('an order whose commit never reached the database is placed on the next try', async () => {
  const cut = proxy.cutAfter(PLACING, 'request');
  await place('lost-1');
  await cut;
  expect(await countOrders('lost-1')).toBe(1);
  await isOneEventEach('lost-1', 1);
});

test('if the database stays away after the commit, the answer is 503 and the retry gives 200', async () => {
  const cut = proxy.cutAfter(PLACING, 'answer');
  const posting = service.post(restaurant, { orderId: 'away-1' });
  await cut;
  proxy.refuse(true);
  proxy.cutAll();
  const answer = await posting;
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  proxy.refuse(false);
  await expect
    .poll(async () => (await service.post(restaurant, { orderId: 'away-1' })).status, { timeout: 10_000 })
    .toBe(200);
  expect(await countOrders('away-1')).toBe(1);
  await isOneEventEach('away-1', 1);
  await receiver.waitFor(() => statesOf('away-1').length > 0, 20_000);
});

test('a command whose commit confirmation is lost executes once, and later events do not overtake it', async () => {
  const { serviceOrderId } = await place('command-1');
  const cut = proxy.cutAfter(CHANGING, 'answer');
  const assigned = await service.app.changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'assign', courierId },
    actor: { role: 'restaurant' },
  });
  await cut;
  expect(assigned).toMatchObject({ state: 'ASSIGNED' });
  const accepted = await service.app.changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'accept' },
    actor: { role: 'courier', courierId },
  });
  expect(accepted).toEqual({ kind: 'changed', state: 'ACCEPTED' });
  await isOneEventEach('command-1', 3);
  await receiver.waitFor(() => statesOf('command-1').length >= 3, 20_000);
  expect(statesOf('command-1')).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED']);
});

test('a decline whose commit confirmation is lost is reported as done', async () => {
  const { serviceOrderId } = await place('decline-1');
  const change = service.app.changer.change;
  await change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'assign', courierId },
    actor: { role: 'restaurant' },
  });
  const cut = proxy.cutAfter(CHANGING, 'answer');
  const actor = { role: 'courier', courierId } as const;
  const declined = await change({ scope: 'everything', orderId: serviceOrderId, command: { name: 'decline' }, actor });
  await cut;
  expect(declined).toEqual({ kind: 'changed', state: 'ASSIGNED' });
});

test('a delivery left leased to its live node by a lost commit is found by the sweep, and nothing overtakes it', async () => {
  const cuts = [
    proxy.cutAfter(PLACING, 'answer'),
    // Both retries are lost before they arrive, so the service never learns the outcome of the first try.
    proxy.cutAfter([...PLACING], 'request'),
    proxy.cutAfter([...PLACING], 'request'),
  ];
  const answer = await service.post(restaurant, { orderId: 'stranded-1' });
  await Promise.all(cuts);
  expect(answer.status).toBe(503);
  const repeated = await service.post(restaurant, { orderId: 'stranded-1' });
  expect(repeated.status).toBe(200);
  const { serviceOrderId } = (await repeated.json()) as Placed;
  const assigned = await service.app.changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'assign', courierId },
    actor: { role: 'restaurant' },
  });
  expect(assigned.kind).toBe('changed');
  await service.app.engine.claim();
  await service.app.engine.idle();
  expect(statesOf('stranded-1')).toEqual([]);
  await service.app.engine.sweep();
  await service.app.engine.sweep();
  await receiver.waitFor(() => statesOf('stranded-1').length >= 2);
  expect(statesOf('stranded-1')).toEqual(['VALIDATED', 'ASSIGNED']);
});

test('a claim whose commit confirmation is lost is found by the sweep', async () => {
  const { serviceOrderId } = await place('claim-1');
  await receiver.waitFor(() => statesOf('claim-1').length === 1);
  await service.app.engine.idle();
  const [event] = await service.app.db.query<{ id: string }>('select id from events where order_id = $1', [
    serviceOrderId,
  ]);
  const cut = proxy.cutAfter(CLAIMING, 'answer');
  const scope = { eventId: event?.id ?? '', restaurantId: null, now: Date.now() };
  expect(await service.app.db.transaction((tx) => resendDelivery(tx, scope))).toBe('queued');
  await cut;
  await service.app.engine.sweep();
  await service.app.engine.sweep();
  await receiver.waitFor(() => statesOf('claim-1').length === 2);
});

test('a result whose commit confirmation is lost is recorded once, and nothing is resent', async () => {
  const cut = proxy.cutAfter(RECORDING, 'answer');
  const { serviceOrderId } = await place('record-1');
  await cut;
  await service.app.engine.idle();
  const attempts = await service.app.db.query<{ outcome: string }>(
    'select outcome from attempts where event_id in (select id from events where order_id = $1)',
    [serviceOrderId],
  );
  expect(attempts).toEqual([{ outcome: 'delivered' }]);
  await service.app.engine.claim();
  await service.app.engine.idle();
  expect(statesOf('record-1')).toEqual(['VALIDATED']);
});
