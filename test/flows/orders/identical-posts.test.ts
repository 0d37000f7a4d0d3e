import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChance, newSeed } from '../../../harness/chance.ts';
import { postOrder, startNode } from '../../../harness/nodes/node.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const POSTS = 50;
const seed = newSeed();

let first: TestService;
let second: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;

beforeAll(async () => {
  receiver = await startReceiver();
  first = await startService();
  second = await startService({ databaseUrl: first.databaseUrl, masterKey: first.masterKey });
  restaurant = await first.addRestaurant({ receiver, autoApprove: true });
});

afterAll(async () => {
  await second.stop();
  await first.stop();
  await receiver.close();
});

interface Answer {
  status: number;
  isReplayed: boolean;
  serviceOrderId: string;
  orderNumber: string;
}

async function read(response: Response): Promise<Answer> {
  const body = (await response.json()) as { serviceOrderId: string; orderNumber: string };
  const isReplayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, isReplayed, serviceOrderId: body.serviceOrderId, orderNumber: body.orderNumber };
}

function postToBoth(body: object): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: POSTS }, async (_, index) =>
      read(await (index % 2 === 0 ? first : second).post(restaurant, body)),
    ),
  );
}

function expectOneOrder(answers: readonly Answer[]): void {
  const created = answers.filter((answer) => answer.status === 201);
  const replayed = answers.filter((answer) => answer.status === 200);
  expect(created).toHaveLength(1);
  expect(replayed).toHaveLength(answers.length - 1);
  expect(created[0]?.isReplayed).toBe(false);
  expect(replayed.every((answer) => answer.isReplayed)).toBe(true);
  expect(new Set(answers.map((answer) => `${answer.serviceOrderId} ${answer.orderNumber}`)).size).toBe(1);
}

async function countOf(orderId: string): Promise<{ orders: number; events: number }> {
  const [row] = await first.app.db.query<{ orders: number; events: number }>(
    `select count(distinct o.id)::int as orders, count(e.id)::int as events
     from orders o left join events e on e.order_id = o.id where o.provider_order_id = $1`,
    [orderId],
  );
  return row ?? { orders: 0, events: 0 };
}

test(`${POSTS} identical concurrent posts create one order`, async () => {
  const answers = await Promise.all(
    Array.from({ length: POSTS }, async () => read(await first.post(restaurant, { orderId: 'one-node' }))),
  );
  expectOneOrder(answers);
  expect(await countOf('one-node')).toEqual({ orders: 1, events: 1 });
});

test(`${POSTS} identical concurrent posts to two nodes create one order`, async () => {
  expectOneOrder(await postToBoth({ orderId: 'two-nodes' }));
  expect(await countOf('two-nodes')).toEqual({ orders: 1, events: 1 });
});

test('posts are identical by content: white space and field order do not matter, values do', async () => {
  const customer = { name: 'Ada', phone: '+905551112233' };
  const placed = await first.post(restaurant, { orderId: 'content', customer, tags: ['a', 'b'] });
  expect(placed.status).toBe(201);
  const reordered = { tags: ['a', 'b'], customer: { phone: customer.phone, name: customer.name }, orderId: 'content' };
  expect((await second.post(restaurant, reordered)).status).toBe(200);
  const other = await second.post(restaurant, {
    orderId: 'content',
    customer: { ...customer, name: 'Bob' },
    tags: ['a', 'b'],
  });
  expect(other.status).toBe(409);
  expect(await other.json()).toMatchObject({ code: 'ORDER_001', details: [{ field: 'customer.name' }] });
});

test(`concurrent posts with two contents for one id: one content wins, the other gets 409`, async () => {
  const answers = await Promise.all(
    Array.from({ length: POSTS }, (_, index) =>
      (index % 2 === 0 ? first : second).post(restaurant, { orderId: 'rivals', displayId: `${index % 2}` }),
    ),
  );
  const statuses = answers.map((answer) => answer.status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 200)).toHaveLength(POSTS / 2 - 1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(POSTS / 2);
  expect(await countOf('rivals')).toEqual({ orders: 1, events: 1 });
});

test(`a kill -9 in the middle and a retry afterward still create one order (seed ${seed})`, async () => {
  const chance = createChance(seed);
  let interrupted = 0;
  const orderIds = [1, 2, 3, 4, 5].map((round) => `killed-${round}`);
  for (const orderId of orderIds) {
    const node = await startNode(first);
    // One warm-up post, so that the kill does not always hit the node's first database connection.
    await node.post(restaurant, { orderId: `warm-${orderId}` });
    const posting = Promise.allSettled(
      Array.from({ length: POSTS }, async () => read(await node.post(restaurant, { orderId }))),
    );
    await pause(chance.below(40));
    await node.kill();
    const acknowledged = (await posting).flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    interrupted += POSTS - acknowledged.length;
    const repeated = await Promise.all(
      Array.from({ length: POSTS }, async (_, index) =>
        read(await postOrder((index % 2 === 0 ? first : second).address, restaurant, { orderId })),
      ),
    );
    const all = [...acknowledged, ...repeated];
    expect(all.every((answer) => answer.status === 200 || answer.status === 201)).toBe(true);
    // Zero if the node was killed after its commit but before its answer.
    expect(all.filter((answer) => answer.status === 201).length).toBeLessThanOrEqual(1);
    expect(new Set(all.map((answer) => `${answer.serviceOrderId} ${answer.orderNumber}`)).size).toBe(1);
    expect(await countOf(orderId)).toEqual({ orders: 1, events: 1 });
  }
  expect(interrupted).toBeGreaterThan(0);
  // Waits once for all of them, because a dead node's leases are released only after the silence limit.
  const isReceived = (orderId: string) => receiver.requests.some((request) => request.body.includes(`"${orderId}"`));
  await receiver.waitFor(() => orderIds.every(isReceived), 30_000);
}, 60_000);
