import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { orderReadAnswerSchema } from '../../contract/integrator/answers.ts';
import type { Actor, Command } from '../../domain/orders/order.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

async function place(orderId: string): Promise<string> {
  const answer = await service.post(restaurant, { orderId });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function change(orderId: string, steps: [Command, Actor][]): Promise<void> {
  for (const [command, actor] of steps) {
    const result = await service.app.changer.change({ scope: 'everything', orderId, command, actor });
    expect(result.kind).toBe('changed');
  }
}

function cancel(orderId: string, body: unknown, apiKey = restaurant.apiKey): Promise<Response> {
  return fetch(`${service.address}/webhook/third-party/order/${encodeURIComponent(orderId)}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
}

async function read(orderId: string) {
  const answer = await service.get(restaurant, `order/${encodeURIComponent(orderId)}`);
  expect(answer.status).toBe(200);
  return orderReadAnswerSchema.strict().parse(await answer.json());
}

const asRestaurant = { role: 'restaurant' } as const;

test('200: an order is returned with its state history, oldest first', async () => {
  await change(await place('A/1 ü?'), [[{ name: 'approve' }, asRestaurant]]);
  const order = await read('A/1 ü?');
  expect(order).toMatchObject({ orderId: 'A/1 ü?', status: 'VALIDATED', courier: null, canceled: null, eta: null });
  expect(order.history.map(({ status, previousStatus }) => [previousStatus, status])).toEqual([
    [null, 'NEW'],
    ['NEW', 'VALIDATED'],
  ]);
});

test('the courier is named only after accepting, even when the food was ready first', async () => {
  const courierId = await service.addCourier('Ada');
  const courier = { role: 'courier', courierId } as const;
  const assigned: [Command, Actor][] = [
    [{ name: 'approve' }, asRestaurant],
    [{ name: 'assign', courierId }, asRestaurant],
  ];
  const usual = await place('usual');
  await change(usual, assigned);
  expect((await read('usual')).courier).toBeNull();
  await change(usual, [[{ name: 'accept' }, courier]]);
  expect((await read('usual')).courier).toEqual({ name: 'Ada' });

  const early = await place('early');
  await change(early, [
    [{ name: 'approve' }, asRestaurant],
    [{ name: 'prepare' }, asRestaurant],
    [{ name: 'assign', courierId }, asRestaurant],
  ]);
  expect(await read('early')).toMatchObject({ status: 'PREPARED', courier: null });
  await change(early, [[{ name: 'accept' }, courier]]);
  expect(await read('early')).toMatchObject({ status: 'PREPARED', courier: { name: 'Ada' } });
});

test('404 ORDER_002: another restaurant’s order looks exactly like a missing one', async () => {
  const other = await service.addRestaurant();
  await service.post(other, { orderId: 'theirs' });
  const answers = [];
  for (const orderId of ['theirs', 'nobodys', '%00', 'x%0a', 'x'.repeat(129), 'x'.repeat(1_500)]) {
    for (const answer of [
      await service.get(restaurant, `order/${orderId}`),
      await cancel(decodeURIComponent(orderId), { cancelReasonId: 'OTHER' }),
    ]) {
      const { requestId, ...body } = (await answer.json()) as Record<string, unknown>;
      answers.push({ status: answer.status, hasId: typeof requestId === 'string', body });
    }
  }
  const notFound = { error: 'Order not found', message: 'No such order', code: 'ORDER_002' };
  expect(answers).toHaveLength(12);
  for (const answer of answers) expect(answer).toEqual({ status: 404, hasId: true, body: notFound });
  // The control: its own restaurant can read it.
  expect((await service.get(other, 'order/theirs')).status).toBe(200);
});

test('200: canceling counts as the restaurant, and canceling again changes nothing', async () => {
  await place('cancel-me');
  const first = await cancel('cancel-me', { cancelReasonId: 'OUT_OF_STOCK' });
  expect(first.status).toBe(200);
  const body = orderReadAnswerSchema.parse(await first.json());
  expect(body).toMatchObject({
    status: 'CANCELED',
    canceled: { cancelReasonId: 'OUT_OF_STOCK', canceledBy: 'Restaurant', reason: 'Item out of stock' },
  });
  expect(body.canceled?.timestamp).toBe(body.history.at(-1)?.timestamp);
  const second = await cancel('cancel-me', { cancelReasonId: 'OTHER', reason: 'again' });
  expect([second.status, await second.json()]).toEqual([200, body]);
});

test.each([
  ['a reason of the courier', { cancelReasonId: 'WRONG_ADDRESS' }, 'cancelReasonId'],
  ['a reason of the System', { cancelReasonId: 'RESTAURANT_CLOSED' }, 'cancelReasonId'],
  ['an unknown reason', { cancelReasonId: '__proto__' }, 'cancelReasonId'],
  ['no reason', {}, 'cancelReasonId'],
  ['a text that is none', { cancelReasonId: 'OTHER', reason: 7 }, 'reason'],
  ['no object', [], 'body'],
])('422 REQ_004: canceling with %s', async (_, body, field) => {
  const answer = await cancel('any-order', body);
  expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'REQ_004', details: [{ field }] }]);
});

test('409 ORDER_003: a delivered order cannot be canceled, and the answer names its state', async () => {
  const courierId = await service.addCourier('Bo');
  const courier = { role: 'courier', courierId } as const;
  await change(await place('done'), [
    [{ name: 'approve' }, asRestaurant],
    [{ name: 'assign', courierId }, asRestaurant],
    [{ name: 'accept' }, courier],
    [{ name: 'prepare' }, asRestaurant],
    [{ name: 'pick_up' }, courier],
    [{ name: 'deliver' }, courier],
  ]);
  const answer = await cancel('done', { cancelReasonId: 'OTHER' });
  const body = (await answer.json()) as { code: string; message: string };
  expect([answer.status, body.code]).toEqual([409, 'ORDER_003']);
  expect(body.message).toContain('DELIVERED');
});
