// Order intake over HTTP: contract 4.1 and its answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { switchIntegration } from '../../../src/actions/restaurants/switch-integration.ts';
import { orderAnswerSchema } from '../../../src/contract/integrator/answers.ts';
import { USUAL_ORDER } from '../../../src/contract/integrator/orders/examples.ts';
import { hostileBodies } from '../../hostile/bodies.ts';
import { oddBodies } from '../../hostile/odd-bodies.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function send(restaurant: TestRestaurant, body: Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': restaurant.apiKey, ...headers },
    body: new Uint8Array(body),
  });
}

async function countOrders(restaurant: TestRestaurant): Promise<number> {
  const rows = await service.app.db.query('select 1 from orders where restaurant_id = $1', [restaurant.id]);
  return rows.length;
}

test('201: a new order returns its ids, number and state, in the restaurant’s time zone', async () => {
  const restaurant = await service.addRestaurant();
  const answer = await service.post(restaurant, { ...USUAL_ORDER, restaurantId: restaurant.restaurantId });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  const body = orderAnswerSchema.strict().parse(await answer.json());
  expect(body).toMatchObject({
    orderId: USUAL_ORDER.orderId,
    restaurantId: restaurant.restaurantId,
    status: 'NEW',
    warnings: [],
  });
  expect(Object.keys(body)).toEqual(Object.keys(orderAnswerSchema.shape));
  expect(body.orderNumber).toMatch(/^[0-9]{6,}$/);
  expect(body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+03:00$/);
});

test('200: the same content, in any spelling, returns the current order', async () => {
  const restaurant = await service.addRestaurant();
  const { restaurantId } = restaurant;
  const first = await service.post(restaurant, { orderId: 'A1', notes: { kitchen: 'a', courier: 'b' } });
  const placed = (await first.json()) as { serviceOrderId: string };
  const approved = {
    orderId: placed.serviceOrderId,
    scope: 'everything',
    command: { name: 'approve' },
    actor: { role: 'restaurant' },
  } as const;
  await service.app.changer.change(approved);
  const text = `{ "notes": {"courier":"b", "kitchen":"\\u0061"}, "orderId":"A1",\n"restaurantId":"${restaurantId}" }`;
  const again = await send(restaurant, Buffer.from(text));
  expect(again.status).toBe(200);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.json()).toEqual({ ...placed, status: 'VALIDATED' });
  expect(await countOrders(restaurant)).toBe(1);
});

test('409 ORDER_001: different content under the same id is refused, and the differing fields are named', async () => {
  const restaurant = await service.addRestaurant();
  await service.post(restaurant, { orderId: 'A1', channel: 'web', notes: { courier: 'b' } });
  const answer = await service.post(restaurant, {
    orderId: 'A1',
    channel: 'phone',
    notes: { courier: 'b' },
    displayId: '5',
  });
  expect(answer.status).toBe(409);
  const body = (await answer.json()) as { code: string; details: { field: string }[] };
  expect(body.code).toBe('ORDER_001');
  expect(body.details.map(({ field }) => field).sort()).toEqual(['channel', 'displayId']);
});

test('409 ORDER_001: the id of an erased order is refused with any content', async () => {
  const restaurant = await service.addRestaurant();
  await service.post(restaurant, { orderId: 'E1' });
  await service.app.db.query(`update orders set content = '{}', erased_at = now() where provider_order_id = 'E1'`);
  const answer = await service.post(restaurant, { orderId: 'E1' });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ code: 'ORDER_001', message: expect.stringContaining('erased') });
});

test('fifty concurrent posts create one order', async () => {
  const restaurant = await service.addRestaurant();
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.post(restaurant, { orderId: 'once' })));
  const statuses = answers.map((answer) => answer.status).sort();
  expect(statuses).toEqual([...Array<number>(49).fill(200), 201]);
  const ids = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { serviceOrderId: string }).serviceOrderId),
  );
  expect(new Set(ids).size).toBe(1);
  expect(await countOrders(restaurant)).toBe(1);
});

test('a dry run validates like a real post and stores nothing', async () => {
  const restaurant = await service.addRestaurant();
  const { restaurantId } = restaurant;
  const good = await service.post(restaurant, { orderId: 'A1', fleet: 'x' }, '?dryRun=true');
  expect(good.status).toBe(200);
  const body = (await good.json()) as { issues: unknown[]; warnings: string[] };
  expect(body).toMatchObject({ dryRun: true, orderId: 'A1', restaurantId });
  expect(body.warnings.join()).toContain('fleet');
  expect(body.issues).toHaveLength(1);
  expect((await service.post(restaurant, { orderId: 7 }, '?dryRun=true')).status).toBe(422);
  expect((await service.post(restaurant, { orderId: 'A1', restaurantId: 'other' }, '?dryRun=true')).status).toBe(403);
  for (const query of ['?dryRun=1', '?dryRun=', '?dryRun=TRUE', '?dryRun=true&dryRun=true']) {
    const answer = await service.post(restaurant, { orderId: 'A1' }, query);
    expect([query, answer.status, await answer.json()]).toMatchObject([
      query,
      422,
      { code: 'REQ_004', details: [{ field: 'dryRun' }] },
    ]);
  }
  expect(await countOrders(restaurant)).toBe(0);
  // Control: without the dry run, the same request stores the order.
  expect((await service.post(restaurant, { orderId: 'A1', fleet: 'x' }, '?dryRun=false')).status).toBe(201);
  expect(await countOrders(restaurant)).toBe(1);
});

test('403 AUTH_012: another restaurant’s id is refused exactly like an unknown one', async () => {
  const [mine, other] = [await service.addRestaurant(), await service.addRestaurant()];
  const bodies = [];
  for (const restaurantId of [other.restaurantId, 'nobody']) {
    const answer = await service.post(mine, { orderId: 'A1', restaurantId });
    expect(answer.status).toBe(403);
    const { requestId, ...body } = (await answer.json()) as Record<string, unknown>;
    expect(requestId).toBe(answer.headers.get('x-request-id'));
    bodies.push(body);
  }
  expect(bodies[0]).toEqual(bodies[1]);
  expect(bodies[0]).toMatchObject({ error: 'Restaurant not allowed', code: 'AUTH_012' });
  expect(await countOrders(other)).toBe(0);
});

test('403 AUTH_010: a disabled integration accepts no orders, and accepts them again when enabled', async () => {
  const restaurant = await service.addRestaurant();
  expect((await service.post(restaurant, { orderId: 'A1' })).status).toBe(201);
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  await switchIntegration(service.app, { ...by, enabled: false });
  await expect.poll(async () => (await service.post(restaurant, { orderId: 'A2' })).status).toBe(403);
  const answer = await service.post(restaurant, { orderId: 'A2' });
  expect(await answer.json()).toMatchObject({ error: 'Integration disabled', code: 'AUTH_010' });
  await switchIntegration(service.app, { ...by, enabled: true });
  await expect.poll(async () => (await service.post(restaurant, { orderId: 'A2' })).status).toBeLessThan(300);
});

test('429 RATE_001: requests over the restaurant’s limit are answered with a retry-after of one minute', async () => {
  const restaurant = await service.addRestaurant({ rateLimitPerMinute: 5 });
  const other = await service.addRestaurant();
  const statuses = [];
  for (let index = 0; index < 7; index += 1) {
    statuses.push((await service.post(restaurant, { orderId: `A${index}` })).status);
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429]);
  const refused = await service.get(restaurant, 'events');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(await refused.json()).toEqual({
    error: 'Rate limit exceeded',
    message: 'Too many requests. Retry after 1 minute',
    code: 'RATE_001',
    requestId: refused.headers.get('x-request-id'),
  });
  expect((await service.post(other, { orderId: 'A1' })).status).toBe(201);
});

test('the rate limit is exact across two nodes', async () => {
  const { databaseUrl, masterKey } = service;
  const second = await startService({ databaseUrl, masterKey });
  try {
    const restaurant = await service.addRestaurant({ rateLimitPerMinute: 40 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 ? service : second).post(restaurant, { orderId: `A${index}` }),
      ),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    expect(await countOrders(restaurant)).toBe(40);
  } finally {
    await second.stop();
  }
});

test('every hostile body gets its documented answer, and none is stored', async () => {
  const restaurant = await service.addRestaurant();
  const bodies = hostileBodies(restaurant.restaurantId);
  expect(bodies.length).toBeGreaterThan(100);
  const wrong = [];
  for (const { name, body, contentType, contentEncoding, expect: expected } of bodies) {
    const answer = await send(restaurant, body, {
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
    });
    const given = (await answer.json()) as { code: string; details?: { field: string }[]; requestId: string };
    const isNamed = expected.field === undefined || given.details?.some(({ field }) => field === expected.field);
    const isShaped = given.requestId === answer.headers.get('x-request-id');
    if (answer.status !== expected.status || given.code !== expected.code || !isNamed || !isShaped) {
      wrong.push({ name, status: answer.status, given, expected });
    }
  }
  expect(wrong).toEqual([]);
  expect(await countOrders(restaurant)).toBe(0);
});

test('odd but harmless bodies are stored and returned', async () => {
  const restaurant = await service.addRestaurant();
  const bodies = oddBodies(restaurant.restaurantId);
  for (const { name, body } of bodies) {
    const answer = await send(restaurant, body);
    expect([name, answer.status]).toEqual([name, 201]);
    const { orderId } = (await answer.json()) as { orderId: string };
    const read = await service.get(restaurant, `order/${encodeURIComponent(orderId)}`);
    expect([name, read.status, ((await read.json()) as { orderId: string }).orderId]).toEqual([name, 200, orderId]);
  }
  expect(await countOrders(restaurant)).toBe(bodies.length);
});
