// With synchronous replication, success is answered only for what the standby has. A wait that is canceled, or whose
// session is killed, leaves a row that everyone can see and that a promotion would lose: finding it proves nothing.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { closedOutbox } from '../../../src/actions/orders/event-outbox.ts';
import { createOrderChanger } from '../../../src/actions/orders/change-order.ts';
import { registerNode } from '../../../src/store/upkeep/nodes.ts';
import { AttemptRecorder } from '../../../src/webhooks/queue/result-recorder.ts';
import { attemptRecord } from '../../scenes/attempt.ts';
import { clearAway } from '../../processes/embedded.ts';
import { runCommand } from '../../processes/command-line.ts';
import { startReplicatedServer, type ReplicatedServer } from '../../servers/replicated-server.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const HOWS = ['cancel', 'terminate'] as const;
type How = (typeof HOWS)[number];

let server: ReplicatedServer;
let service: TestService;
/** Orders are approved by hand. */
let restaurant: TestRestaurant;
/** Orders are approved at once, so that each has an event. */
let quick: TestRestaurant;
let courierId: string;
let courier: Browser;
let lastOrder = 0;

beforeAll(async () => {
  server = await startReplicatedServer();
  service = await startService({ databaseUrl: server.url, roles: ['api'] });
  restaurant = await service.addRestaurant();
  quick = await service.addRestaurant({ autoApprove: true });
  courierId = await service.addCourier();
  courier = await signInAs(service, 'courier', { courier: courierId });
});
afterEach(() => server.bringStandbyBack());
afterAll(async () => {
  await service.stop();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

const newOrderId = (): string => `order-${(lastOrder += 1)}`;
const isSuccess = (status: number): boolean => status < 300;

async function post(orderId: string, to = restaurant): Promise<number> {
  return (await service.post(to, { orderId })).status;
}

/** Placing needs an order number, and fetching those waits for the standby as well. */
const fetchNumbers = (): Promise<number> => post(newOrderId());

async function cancel(orderId: string): Promise<number> {
  const answer = await fetch(`${service.address}/webhook/third-party/order/${orderId}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey },
    body: JSON.stringify({ cancelReasonId: 'CUSTOMER_REQUEST' }),
  });
  return answer.status;
}

const readEvents = async (): Promise<number> => (await service.get(quick, 'events')).status;

async function findServiceOrderId(orderId: string): Promise<string> {
  const [row] = await server.query<{ id: string }>('select id from orders where provider_order_id = $1', [orderId]);
  return row?.id ?? '';
}

/** An order that is offered to the courier, and how they decline it. */
async function prepareDecline(): Promise<() => Promise<number>> {
  const orderId = newOrderId();
  await post(orderId, quick);
  const id = await findServiceOrderId(orderId);
  const command = { name: 'assign', courierId } as const;
  await service.app.changer.change({ orderId: id, scope: 'everything', command, actor: { role: 'restaurant' } });
  return async () => (await courier.send('POST', `/api/courier/offers/${id}/decline`, { reason: 'Too far' })).status;
}

/** Something is written while there is no standby, each wait is ended, and it is tried again. */
const SCENARIOS: Record<string, (how: How) => Promise<number[]>> = {
  'a placed order': async (how) => {
    const orderId = newOrderId();
    await fetchNumbers();
    await server.loseStandby();
    const first = await server.endWaitsDuring(how, post(orderId));
    return [first, await server.endWaitsDuring(how, post(orderId))];
  },
  'a canceled order': async (how) => {
    const orderId = newOrderId();
    await post(orderId);
    await server.loseStandby();
    const first = await server.endWaitsDuring(how, cancel(orderId));
    return [first, await server.endWaitsDuring(how, cancel(orderId))];
  },
  'a declined offer': async (how) => {
    const decline = await prepareDecline();
    await server.loseStandby();
    const first = await server.endWaitsDuring(how, decline());
    return [first, await server.endWaitsDuring(how, decline())];
  },
  'an event in the feed': async (how) => {
    await fetchNumbers();
    await server.loseStandby();
    const placed = await server.endWaitsDuring(how, post(newOrderId(), quick));
    return [placed, await server.endWaitsDuring(how, readEvents())];
  },
};
const CASES = Object.entries(SCENARIOS).flatMap(([name, run]) => HOWS.map((how) => [name, how, run] as const));

test.each(CASES)('%s is never acknowledged before the standby has it (%s)', async (_, how, run) => {
  const statuses = await run(how);
  expect(statuses.filter(isSuccess)).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([503]));
});

test('reads and repeats go on as soon as the standby confirms', async () => {
  const orderId = newOrderId();
  await fetchNumbers();
  await server.loseStandby();
  expect(await server.endWaitsDuring('cancel', post(orderId))).toBe(503);
  expect((await service.get(restaurant, `order/${orderId}`)).status).toBe(200);
  await server.bringStandbyBack();
  expect(await post(orderId)).toBe(200);
  expect(await cancel(orderId)).toBe(200);
  expect(await readEvents()).toBe(200);
});

test('a change that is repeated after an unreplicated commit waits, although it finds itself done', async () => {
  const orderId = newOrderId();
  await post(orderId);
  const { pools } = service.app;
  const changer = createOrderChanger({ ...service.app, db: pools.intake, outbox: closedOutbox });
  const id = await findServiceOrderId(orderId);
  await server.loseStandby();
  const approve = () =>
    changer.change({ orderId: id, scope: 'everything', command: { name: 'approve' }, actor: { role: 'restaurant' } });
  let isAnswered = false;
  const approved = approve().finally(() => (isAnswered = true));
  // The node's own checks of the database wait as well.
  const countWaiting = () => server.countWaiting('waybill-intake');
  await expect.poll(countWaiting).toBe(1);
  await server.endWaits('cancel');
  await expect.poll(countWaiting).toBe(1);
  expect(isAnswered).toBe(false);
  await server.bringStandbyBack();
  expect(await approved).toEqual({ kind: 'changed', state: 'VALIDATED' });
});

test('a command that finds its change made reports success only when the standby has it', async () => {
  const shop = await service.addRestaurant();
  const [key] = await server.query<{ id: string }>('select id from api_keys where restaurant_id = $1', [shop.id]);
  const env = { DATABASE_URL: server.url, WAYBILL_MASTER_KEY: service.masterKey.toString('base64') };
  const revoke = () => runCommand(env, ['key', 'revoke', key?.id ?? '']);
  const list = () => runCommand(env, ['key', 'list', '--restaurant', shop.restaurantId]);
  // The first command on a database stores which master key it has.
  await list();
  await server.loseStandby();
  for (let tries = 1; tries <= 2; tries += 1) {
    expect(await server.endWaitsDuring('cancel', revoke())).toMatchObject({
      code: 1,
      stderr: 'The database is unavailable: committed here, but not on the standby\n',
    });
  }
  expect(await list()).toMatchObject({ code: 0 });
  await server.bringStandbyBack();
  expect(await revoke()).toMatchObject({ code: 0, stdout: expect.stringContaining('already revoked') });
});

/** A webhook that was delivered and whose result is being recorded while each wait for the standby is canceled. */
async function recordWithoutStandby(): Promise<{ isRecorded(): boolean; recorded: Promise<void> }> {
  const receiver = { url: (path: string) => `https://receiver.example${path}` };
  const shop = await service.addRestaurant({ autoApprove: true, receiver });
  await post(newOrderId(), shop);
  await post(newOrderId(), shop);
  const { app } = service;
  const nodeId = await registerNode(app.db);
  const [first, second] = await app.db.query<{ eventId: string }>(
    'update deliveries set leased_by = $1 where restaurant_id = $2 returning event_id',
    [nodeId, shop.id],
  );
  const recorder = new AttemptRecorder({ ...app, db: app.pools.background });
  // For some seconds, the health of the endpoint need not be written again, which would also wait.
  await recorder.record(nodeId, attemptRecord({ eventId: first?.eventId ?? '', restaurantId: shop.id }));
  await server.loseStandby();
  const progress = { isRecorded: false };
  const record = attemptRecord({ eventId: second?.eventId ?? '', restaurantId: shop.id });
  const recorded = recorder.record(nodeId, record).then(() => void (progress.isRecorded = true));
  for (let ended = 0; ended < 3 && !progress.isRecorded;) ended += await server.endWaits('cancel');
  return { isRecorded: () => progress.isRecorded, recorded };
}

test('the result of an attempt is not taken as recorded because its delivery is gone', async () => {
  const { isRecorded, recorded } = await recordWithoutStandby();
  expect(isRecorded()).toBe(false);
  await server.bringStandbyBack();
  await recorded;
});

test('warnings are seen although the role wants none', async () => {
  await server.query('alter role waybill set client_min_messages = error');
  await server.closeSessions();
  await fetchNumbers();
  await server.loseStandby();
  expect(await server.endWaitsDuring('cancel', post(newOrderId()))).toBe(503);
  await server.bringStandbyBack();
  await server.query('alter role waybill reset client_min_messages');
});

// The old behavior: what makes the commit of a reading transaction wait is replaced by a function that does nothing.
test('control: success that follows from reading alone is noticed', async () => {
  await server.query(`create schema blind`);
  await server.query(
    `create function blind.pg_logical_emit_message(boolean, text, text) returns pg_lsn
     language sql volatile as 'select null::pg_lsn'`,
  );
  await server.query('alter database waybill set search_path = blind, pg_catalog, public');
  await server.closeSessions();
  const seen = [];
  for (const [name, how, run] of CASES) {
    if ((await run(how)).some(isSuccess)) seen.push(`${name}, ${how}`);
    await server.bringStandbyBack();
  }
  // A repeated cancellation or decline locks the order, so it waits in any case.
  const reading = CASES.filter(([name]) => name !== 'a canceled order' && name !== 'a declined offer');
  expect(seen).toEqual(reading.map(([name, how]) => `${name}, ${how}`));
  expect((await recordWithoutStandby()).isRecorded()).toBe(true);
});
