import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireOrders } from '../../../src/actions/orders/expire-orders.ts';
import type { Actor, Command } from '../../../src/domain/orders/order.ts';
import { findRestaurantByProviderId } from '../../../src/store/restaurants/restaurants.ts';
import { startReceiver, type Receiver, type ReceivedRequest } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService();
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

interface Placed {
  serviceOrderId: string;
  status: string;
}

async function place(restaurant: TestRestaurant, body: { orderId: string } & object): Promise<Placed> {
  const answer = await service.post(restaurant, body);
  expect(answer.status).toBe(201);
  return (await answer.json()) as Placed;
}

function change(orderId: string, command: Command, actor: Actor) {
  return service.app.changer.change({ scope: 'everything', orderId, command, actor });
}

/** The webhooks that the receiver has got for one order so far. */
function webhooksOf(
  orderId: string,
  requests: readonly ReceivedRequest[] = receiver.requests,
): Record<string, string>[] {
  return requests
    .map((request) => JSON.parse(request.body.toString()) as Record<string, string>)
    .filter((body) => body['orderId'] === orderId);
}

async function waitForWebhooks(orderId: string, count: number): Promise<Record<string, string>[]> {
  await receiver.waitFor((requests) => webhooksOf(orderId, requests).length >= count);
  return webhooksOf(orderId);
}

test('an order goes from the post to DELIVERED, and each state arrives by webhook, in order', async () => {
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true });
  const courierId = await service.addCourier();
  const { serviceOrderId, status } = await place(restaurant, { orderId: 'whole-life' });
  expect(status).toBe('NEW');
  const courier: Actor = { role: 'courier', courierId };
  const steps: [Command, Actor][] = [
    [{ name: 'approve' }, { role: 'restaurant' }],
    [{ name: 'route' }, { role: 'planner' }],
    [{ name: 'select', courierId }, { role: 'planner' }],
    [{ name: 'accept' }, courier],
    [{ name: 'prepare' }, { role: 'restaurant' }],
    [{ name: 'pick_up' }, courier],
    [{ name: 'deliver' }, courier],
  ];
  for (const [command, actor] of steps) {
    expect(await change(serviceOrderId, command, actor)).toMatchObject({ kind: 'changed' });
  }
  const webhooks = await waitForWebhooks('whole-life', 7);
  expect(webhooks.map((body) => body['status'])).toEqual([
    'VALIDATED',
    'ROUTED',
    'ASSIGNED',
    'ACCEPTED',
    'PREPARED',
    'ON_DELIVERY',
    'DELIVERED',
  ]);
});

test('auto-approval is in the same commit as the order: the answer says VALIDATED', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  expect(await place(restaurant, { orderId: 'auto' })).toMatchObject({ status: 'VALIDATED' });
  expect(await waitForWebhooks('auto', 1)).toMatchObject([{ status: 'VALIDATED', previousStatus: 'NEW' }]);
});

test('an ASAP order at a closed restaurant is canceled by the System, with both webhooks', async () => {
  const openingHours = { weekly: [[], [], [], [], [], [], []], exceptions: [] };
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true, openingHours });
  expect(await place(restaurant, { orderId: 'closed' })).toMatchObject({ status: 'CANCELED' });
  const webhooks = await waitForWebhooks('closed', 2);
  const byEvent = Object.fromEntries(webhooks.map((body) => [body['event'], body]));
  expect(byEvent['order.status_changed']).toMatchObject({ status: 'CANCELED', previousStatus: 'NEW' });
  expect(byEvent['order.canceled']).toMatchObject({ cancelReasonId: 'RESTAURANT_CLOSED', canceledBy: 'System' });
  expect(byEvent['order.canceled']?.['timestamp']).toBe(byEvent['order.status_changed']?.['timestamp']);
});

test('an order without a courier within the restaurant’s limit is canceled by the System, once', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true, courierWaitLimitMinutes: 30 });
  const { serviceOrderId } = await place(restaurant, { orderId: 'no-courier' });
  const { db, changer, clock, setAside } = service.app;
  const after = (minutes: number) => ({
    now: () => Date.now() + minutes * 60_000,
    monotonicMs: () => clock.monotonicMs(),
  });
  // The changer uses the service's own clock, so the test moves the deadline itself.
  expect(await expireOrders({ db, changer, setAside, clock: after(29) })).toBe(0);
  await db.query(`update orders set deadline_at = now(), look_at = now() where id = $1`, [serviceOrderId]);
  await waitForWebhooks('no-courier', 3);
  expect(webhooksOf('no-courier').filter((body) => body['event'] === 'order.canceled')).toMatchObject([
    { cancelReasonId: 'COURIER_NOT_AVAILABLE', canceledBy: 'System' },
  ]);
});

test('of two simultaneous identical commands, one succeeds and the other is refused with the current state', async () => {
  const restaurant = await service.addRestaurant({ receiver });
  const { serviceOrderId } = await place(restaurant, { orderId: 'race' });
  const cancellation = { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'none left' } as const;
  await change(serviceOrderId, { name: 'approve' }, { role: 'restaurant' });
  const [routed, canceled, again] = await Promise.all([
    change(serviceOrderId, { name: 'route' }, { role: 'planner' }),
    change(serviceOrderId, { name: 'cancel', cancellation }, { role: 'restaurant' }),
    change(serviceOrderId, { name: 'route' }, { role: 'planner' }),
  ]);
  expect(routed).toEqual({ kind: 'changed', state: 'ROUTED' });
  expect(canceled).toEqual({ kind: 'changed', state: 'CANCELED' });
  expect(again).toMatchObject({
    kind: 'refused',
    refusal: { code: 'ORDER_003', message: expect.stringContaining('CANCELED') },
  });
});

test('orders that arrive together are committed together', async () => {
  const { id, restaurantId } = await service.addRestaurant({ receiver });
  const restaurant = await findRestaurantByProviderId(service.app.db, restaurantId);
  if (restaurant === undefined) throw new Error('the restaurant is gone');
  const common = { restaurant, wantedAt: null, warnings: [], issues: [] };
  const orderIds = Array.from({ length: 100 }, (_, index) => `together-${index}`);
  const placing = orderIds.map((orderId) =>
    service.app.placer.place({ ...common, orderId, content: { orderId }, contentBytes: Buffer.from('{}') }),
  );
  expect(new Set((await Promise.all(placing)).map((result) => result.kind))).toEqual(new Set(['created']));
  const [row] = await service.app.db.query<{ orders: number; commits: number }>(
    `select count(*)::int as orders, count(distinct xmin::text)::int as commits from orders where restaurant_id = $1`,
    [id],
  );
  expect(row).toEqual({ orders: 100, commits: 1 });
});

test('a command for an order that does not exist is refused as unknown, for any form of id', async () => {
  for (const orderId of ['01990000-0000-7000-8000-000000000000', 'no uuid', '']) {
    expect(await change(orderId, { name: 'approve' }, { role: 'restaurant' })).toMatchObject({
      kind: 'refused',
      refusal: { code: 'ORDER_002' },
    });
  }
});
