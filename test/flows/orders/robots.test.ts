// The test environment: robots carry the orders of every restaurant according to its script.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { createRobots } from '../../../src/robots/robots.ts';
import { createTestRobots } from '../../../src/robots/test-environment.ts';
import { listEventsOfOrder } from '../../../src/store/orders/events.ts';
import { listOrderHistory } from '../../../src/store/orders/orders.ts';
import { addLogin } from '../../../harness/service/panel-client.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let neighbor: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ environment: 'test' });
  // Two nodes run the robots at the same time, as in an installation with several nodes.
  const { databaseUrl, masterKey } = service;
  neighbor = await startService({ environment: 'test', databaseUrl, masterKey });
  for (const node of [service, neighbor]) node.app.supervise(createTestRobots(node.app));
  restaurant = await service.addRestaurant({ receiver });
});

afterAll(async () => {
  await neighbor.stop();
  await service.stop();
  await receiver.close();
});

async function place(orderId: string, script: object): Promise<string> {
  const answer = await service.post(restaurant, { orderId, test: { speed: 3600, ...script } });
  expect(answer.status).toBe(201);
  const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
  return serviceOrderId;
}

function webhooksOf(
  orderId: string,
  requests: readonly ReceivedRequest[] = receiver.requests,
): Record<string, string>[] {
  return requests
    .map((request) => JSON.parse(request.body.toString()) as Record<string, string>)
    .filter((body) => body['orderId'] === orderId);
}

function statusesOf(orderId: string): (string | undefined)[] {
  return webhooksOf(orderId).flatMap((body) => (body['event'] === 'order.status_changed' ? [body['status']] : []));
}

const waitFor = (orderId: string, count: number) =>
  receiver.waitFor((requests) => webhooksOf(orderId, requests).length >= count, 25_000);

const WAY = ['VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'];

test.concurrent('two robot nodes carry an order to DELIVERED and make each change once', async () => {
  const id = await place('planned', { path: 'PLANNED' });
  await waitFor('planned', WAY.length);
  expect((await listEventsOfOrder(service.app.db, id)).map((event) => event.to)).toEqual(WAY);
});

test.concurrent('the scripted number of different couriers decline, and no webhook mentions it', async () => {
  const id = await place('declined', { path: 'PLANNED', declines: 3 });
  await waitFor('declined', WAY.length);
  const history = await listOrderHistory(service.app.db, id);
  const declined = history.filter((entry) => entry.kind === 'courier_declined').map((entry) => entry.courierId);
  expect(declined).toHaveLength(3);
  expect(new Set(declined).size).toBe(3);
  expect(statusesOf('declined')).toEqual(WAY);
});

test.concurrent('a scripted cancellation sends both webhooks, with the reason and the actor', async () => {
  await place('refused', { path: 'MANUAL', cancel: { reason: 'CUSTOMER_NOT_AVAILABLE', at: 'ON_DELIVERY' } });
  await receiver.waitFor(
    (requests) => webhooksOf('refused', requests).some((body) => body['event'] === 'order.canceled'),
    25_000,
  );
  const cancel = webhooksOf('refused').find((body) => body['event'] === 'order.canceled');
  expect(cancel).toMatchObject({ cancelReasonId: 'CUSTOMER_NOT_AVAILABLE', canceledBy: 'Courier' });
});

test.concurrent('scripted webhook duplicates: every event arrives exactly twice, even with two nodes', async () => {
  await place('twice', { path: 'PREPARED_FIRST', webhook: { duplicate: true } });
  await place('once', { path: 'PREPARED_FIRST' });
  await waitFor('twice', 8);
  await waitFor('once', 4);
  // A later order with the same script has completed, so any surplus webhooks would have arrived by now.
  await place('later', { path: 'PREPARED_FIRST', webhook: { duplicate: true } });
  await waitFor('later', 8);
  expect(statusesOf('twice').sort()).toEqual([
    'DELIVERED',
    'DELIVERED',
    'ON_DELIVERY',
    'ON_DELIVERY',
    'PREPARED',
    'PREPARED',
    'VALIDATED',
    'VALIDATED',
  ]);
  expect(statusesOf('once')).toEqual(['VALIDATED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED']);
});

test.concurrent('scripted webhook disorder: an older event arrives again after a newer one', async () => {
  await place('swapped', { path: 'PREPARED_FIRST', webhook: { outOfOrder: true } });
  await waitFor('swapped', 7);
  const statuses = statusesOf('swapped');
  for (const [older, newer] of [
    ['VALIDATED', 'PREPARED'],
    ['PREPARED', 'ON_DELIVERY'],
    ['ON_DELIVERY', 'DELIVERED'],
  ]) {
    expect(statuses.lastIndexOf(older)).toBeGreaterThan(statuses.indexOf(newer));
  }
});

test.concurrent('scripted webhook delay: an event arrives again after the given number of seconds', async () => {
  await place('late', { cancel: { reason: 'OUT_OF_STOCK', at: 'NEW' }, webhook: { delaySeconds: 1 } });
  await waitFor('late', 4);
  const times = receiver.requests
    .filter((request) => request.body.includes('"orderId":"late"') && request.path === '/status')
    .map((request) => request.receivedAt);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test.concurrent('robots do not act for a courier who signs in', async () => {
  const live = await startService({ environment: 'live', roles: ['api', 'deliver'] });
  try {
    const [staffed, automatic] = [
      await live.addRestaurant({ receiver, autoApprove: true }),
      await live.addRestaurant({ receiver, autoApprove: true }),
    ];
    const ids = new Map<string, string>();
    for (const [name, { id: restaurantId }] of [
      ['Person', staffed],
      ['Robot', automatic],
    ] as const) {
      const place = { phone: null, latitude: null, longitude: null, onDuty: true };
      const added = await addCourier(live.app, { name, ...place, restaurantId, actor: { name: 'test' } });
      ids.set(name, added.kind === 'added' ? added.courier.id : '');
    }
    await addLogin(live, 'courier', { courier: ids.get('Person') ?? '' });
    const restaurantIds = [staffed.id, automatic.id];
    live.app.supervise([createRobots(live.app, { restaurantIds, hasScripts: false, hasPlanner: true })]);
    const waitForStatus = (orderId: string, status: string) =>
      receiver.waitFor((requests) => webhooksOf(orderId, requests).some((body) => body['status'] === status), 25_000);
    await live.post(staffed, { orderId: 'by-person' });
    await waitForStatus('by-person', 'ASSIGNED');
    // This order was offered later and has been answered, so the first would have been answered by now.
    await live.post(automatic, { orderId: 'by-robot' });
    await waitForStatus('by-robot', 'ACCEPTED');
    expect(await (await live.get(staffed, 'order/by-person')).json()).toMatchObject({ status: 'ASSIGNED' });
  } finally {
    await live.stop();
  }
});

test.concurrent('robots for one restaurant do not touch another restaurant’s orders', async () => {
  const live = await startService({ environment: 'live' });
  try {
    const own = await live.addRestaurant({ receiver, autoApprove: true });
    const other = await live.addRestaurant({ receiver, autoApprove: true });
    await live.addCourier();
    live.app.supervise([createRobots(live.app, { restaurantIds: [own.id], hasScripts: false, hasPlanner: true })]);
    await live.post(other, { orderId: 'not-mine' });
    await live.post(own, { orderId: 'mine' });
    await receiver.waitFor((requests) => webhooksOf('mine', requests).length >= 2, 25_000);
    expect(statusesOf('not-mine')).toEqual(['VALIDATED']);
  } finally {
    await live.stop();
  }
});
