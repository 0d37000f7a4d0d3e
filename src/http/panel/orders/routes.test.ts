import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createHmac } from 'node:crypto';
import { startReceiver, type Receiver } from '../../../../harness/receivers/receiver.ts';
import { signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { orderAnswerSchema } from '../../../contract/integrator/answers.ts';
import { boardAnswer, orderDetail } from '../../../contract/panel/orders/orders.ts';
import { timelineAnswer } from '../../../contract/panel/orders/timeline.ts';

const PATIENCE = { timeout: 20_000 };

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let staff: Browser;
let placed = 0;

beforeAll(async () => {
  service = await startService({ roles: ['api', 'deliver'] });
  receiver = await startReceiver();
  restaurant = await service.addRestaurant({ receiver, hasSecret: true });
  staff = await signInAs(service, 'staff', { restaurant });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

async function place(body: object = {}, at = restaurant): Promise<{ id: string; orderId: string; number: string }> {
  placed += 1;
  const orderId = `P-${placed}`;
  const answer = await service.post(at, { orderId, ...body });
  const order = orderAnswerSchema.parse(await answer.json());
  return { id: order.serviceOrderId, orderId: order.orderId, number: order.orderNumber };
}

test('the board shows live and recently finished orders of its own restaurant only', async () => {
  const live = await place({
    customer: { name: 'Ada', phone: '+44 1632 960 111' },
    items: [{ name: 'Soup', quantity: 2 }],
  });
  const gone = await place();
  await staff.send('POST', `/api/orders/${gone.id}/cancel`, { cancelReasonId: 'OUT_OF_STOCK' });
  const other = await place({}, await service.addRestaurant());
  const { status, body } = await staff.get('/api/orders');
  expect(status).toBe(200);
  const { orders } = boardAnswer.parse(body);
  const byId = new Map(orders.map((order) => [order.id, order]));
  expect(byId.get(live.id)).toMatchObject({
    state: 'NEW',
    customer: 'Ada',
    itemCount: 1,
    issueCount: 1,
    pickupAt: null,
  });
  expect(byId.get(gone.id)).toMatchObject({ state: 'CANCELED', cancelReasonId: 'OUT_OF_STOCK' });
  expect(byId.has(other.id)).toBe(false);
  const onlyNew = boardAnswer.parse((await staff.get('/api/orders?state=NEW')).body).orders;
  expect(onlyNew.map((order) => order.id)).toContain(live.id);
  expect(onlyNew.map((order) => order.id)).not.toContain(gone.id);
});

test('orders are found by the integrator’s id or its prefix, the number and part of a phone number', async () => {
  const order = await place({ orderId: 'Find-me-7', customer: { phone: '+44 1632 960-777' } });
  for (const text of ['Find-me-7', 'find-m', order.number, '960 777', '+441632960777']) {
    const { body } = await staff.get(`/api/orders?q=${encodeURIComponent(text)}`);
    expect({ text, found: boardAnswer.parse(body).orders.map(({ id }) => id) }).toEqual({ text, found: [order.id] });
  }
  expect((await staff.get('/api/orders?q=nothing-like-it')).body).toEqual({ orders: [] });
});

test('invalid filters are refused with the field named', async () => {
  const { status, body } = await staff.get('/api/orders?state=COOKING');
  expect(status).toBe(422);
  expect(body.details[0].field).toBe('state');
  expect((await staff.get('/api/orders?ids=1,2')).status).toBe(422);
});

test('an order shows all submitted content, what is missing, and why each command is or is not possible', async () => {
  const order = await place({ notes: { kitchen: 'No onions' }, mystery: { x: 1 } });
  const { status, body } = await staff.get(`/api/orders/${order.id}`);
  expect(status).toBe(200);
  const detail = orderDetail.parse(body);
  expect(detail.content).toMatchObject({ notes: { kitchen: 'No onions' }, mystery: { x: 1 } });
  expect(detail.warnings).toHaveLength(1);
  expect(detail.issues[0]?.code).toBe('DROPOFF_NOT_ROUTABLE');
  const reasons = Object.fromEntries(detail.commands.map(({ name, reason }) => [name, reason]));
  expect(reasons).toEqual({
    approve: null,
    assign: 'Cannot assign. The order is NEW',
    prepare: 'Cannot prepare. The order is NEW',
    cancel: null,
  });
});

test('another restaurant’s order looks exactly like a missing one', async () => {
  const foreign = await place({}, await service.addRestaurant());
  const asked = (id: string) => [
    staff.get(`/api/orders/${id}`),
    staff.get(`/api/orders/${id}/timeline`),
    staff.get(`/api/orders/${id}/couriers`),
    staff.send('POST', `/api/orders/${id}/commands`, { command: 'approve' }),
    staff.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: 'OTHER' }),
    staff.send('PATCH', `/api/orders/${id}/dropoff`, { location: { latitude: 41, longitude: 29 } }),
  ];
  const theirs = await Promise.all(asked(foreign.id));
  const none = await Promise.all(asked(UNKNOWN_ID));
  for (const [index, answer] of theirs.entries()) {
    expect(answer.status).toBe(404);
    expect({ ...answer.body, requestId: '' }).toEqual({ ...none[index]?.body, requestId: '' });
  }
});

test('commands change the order, a repeat changes nothing, and an impossible one is refused', async () => {
  const { id } = await place();
  const command = (body: object) => staff.send('POST', `/api/orders/${id}/commands`, body);
  expect((await command({ command: 'approve' })).body).toMatchObject({
    result: 'changed',
    order: { state: 'VALIDATED' },
  });
  expect((await command({ command: 'approve' })).body).toMatchObject({ result: 'unchanged' });
  const courierId = await service.addCourier('Bo');
  expect((await command({ command: 'assign', courierId })).body.order).toMatchObject({
    state: 'ASSIGNED',
    courierName: 'Bo',
  });
  expect((await command({ command: 'prepare' })).body.order.kitchenReadyAt).not.toBeNull();
  const unknown = await command({ command: 'assign', courierId: UNKNOWN_ID });
  expect([unknown.status, unknown.body.code, unknown.body.message]).toEqual([422, 'COURIER_001', 'No such courier']);
  expect((await command({ command: 'deliver' })).status).toBe(422);
});

test('a restaurant cancels only with its own reasons, and only once', async () => {
  const { id } = await place();
  const cancel = (body: object) => staff.send('POST', `/api/orders/${id}/cancel`, body);
  expect((await cancel({ cancelReasonId: 'WRONG_ADDRESS' })).status).toBe(422);
  expect((await cancel({ cancelReasonId: 'CUSTOMER_REQUEST' })).body).toMatchObject({ result: 'changed' });
  const { cancellation } = (await staff.get(`/api/orders/${id}`)).body;
  expect(cancellation).toMatchObject({
    reasonId: 'CUSTOMER_REQUEST',
    by: 'Restaurant',
    text: 'The customer asked for it',
  });
  expect((await cancel({ cancelReasonId: 'OTHER' })).body).toMatchObject({ result: 'unchanged' });
  const late = await staff.send('POST', `/api/orders/${id}/commands`, { command: 'approve' });
  expect(late.status).toBe(409);
  expect(late.body).toMatchObject({ code: 'ORDER_003', message: 'Cannot approve. The order is CANCELED' });
});

test('a bulk approval reports the result of each order', async () => {
  const [fresh, again, gone] = [await place(), await place(), await place()];
  await staff.send('POST', `/api/orders/${again.id}/commands`, { command: 'approve' });
  await staff.send('POST', `/api/orders/${gone.id}/cancel`, { cancelReasonId: 'OTHER' });
  const stranger = await service.addRestaurant();
  const foreign = await place({}, stranger);
  const orderIds = [fresh.id, again.id, gone.id, foreign.id, UNKNOWN_ID];
  const { body } = await staff.send('POST', '/api/orders/approve', { orderIds });
  expect(body.results).toEqual([
    { orderId: fresh.id, result: 'changed', state: 'VALIDATED', message: null },
    { orderId: again.id, result: 'unchanged', state: 'VALIDATED', message: null },
    { orderId: gone.id, result: 'refused', state: null, message: 'Cannot approve. The order is CANCELED' },
    { orderId: foreign.id, result: 'refused', state: null, message: 'No such order' },
    { orderId: UNKNOWN_ID, result: 'refused', state: null, message: 'No such order' },
  ]);
  const owner = await signInAs(service, 'owner', { restaurant: stranger });
  expect((await owner.get(`/api/orders/${foreign.id}`)).body.state).toBe('NEW');
  expect((await staff.send('POST', '/api/orders/approve', { orderIds: [] })).status).toBe(422);
});

test('fixing a drop-off clears the issue and records who, and a repeated order request still matches', async () => {
  const request = { orderId: 'fix-1', dropoff: { name: 'Ada', address: { line1: 'Nowhere 1' } }, zeta: [1.0, 2] };
  const { id } = await place(request);
  const fix = (body: object) => staff.send('PATCH', `/api/orders/${id}/dropoff`, body);
  const location = { latitude: 41.01, longitude: 28.97 };
  expect((await fix({ address: { line1: 'Elsewhere 3' } })).body.order).toMatchObject({ issueCount: 1 });
  expect((await fix({ address: { line1: 'Somewhere 2' }, location })).body).toMatchObject({
    result: 'changed',
    order: { issueCount: 0, destination: 'Somewhere 2' },
  });
  expect((await fix({ location })).body.result).toBe('unchanged');
  const detail = (await staff.get(`/api/orders/${id}`)).body;
  expect(detail.content).toMatchObject({
    dropoff: { name: 'Ada', address: { line1: 'Somewhere 2' }, location },
    zeta: [1, 2],
  });
  const { entries } = timelineAnswer.parse((await staff.get(`/api/orders/${id}/timeline`)).body);
  expect(entries.find((entry) => entry.kind === 'note')).toMatchObject({
    note: 'dropoff_fixed',
    actor: expect.stringContaining('staff-'),
  });
  const repeated = await service.post(restaurant, request);
  expect(repeated.status).toBe(200);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect((await service.post(restaurant, { ...request, dropoff: { name: 'Bo' } })).status).toBe(409);
});

test('a fixed drop-off is validated like a new one, and a finished order keeps its own', async () => {
  const { id } = await place();
  const fix = (body: object) => staff.send('PATCH', `/api/orders/${id}/dropoff`, body);
  const wrong = await fix({ location: { latitude: 91, longitude: 0 } });
  expect(wrong.status).toBe(422);
  expect(wrong.body.details[0].field).toBe('location.latitude');
  expect((await fix({})).status).toBe(422);
  await staff.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: 'OTHER' });
  const late = await fix({ location: { latitude: 41, longitude: 29 } });
  expect(late.status).toBe(409);
  expect(late.body.message).toBe('The drop-off can no longer be changed. The order is CANCELED');
});

test('the timeline combines states and attempts, with the request as it was sent', async () => {
  const { id } = await place();
  await staff.send('POST', `/api/orders/${id}/commands`, { command: 'approve' });
  const read = async () => timelineAnswer.parse((await staff.get(`/api/orders/${id}/timeline`)).body);
  const { entries, deliveries } = await vi.waitFor(async () => {
    const timeline = await read();
    expect(timeline.entries.map(({ kind }) => kind)).toEqual(['placed', 'state', 'attempt']);
    expect(timeline.deliveries[0]?.state).toBe('delivered');
    return timeline;
  }, PATIENCE);
  const [delivery] = deliveries;
  const attempt = entries.find((entry) => entry.kind === 'attempt');
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, endpoint: 'status', nextAttemptAt: null });
  expect(attempt).toMatchObject({
    outcome: 'delivered',
    status: 200,
    signature: 'recomputed',
    eventId: delivery?.eventId,
  });
  const signature = createHmac('sha256', restaurant.secret ?? '')
    .update(delivery?.body ?? '')
    .digest('hex');
  expect(attempt?.kind === 'attempt' && attempt.headers['X-Service-Signature']).toBe(signature);
});

test('an order whose content was erased says so and shows none of it', async () => {
  const { id } = await place({ customer: { name: 'Ada', phone: '+44 1632 960 119' } });
  const read = async () => orderDetail.parse((await staff.get(`/api/orders/${id}`)).body);
  expect(await read()).toMatchObject({ isErased: false, customer: 'Ada' });
  await service.app.db.query("update orders set content = '{}', erased_at = now() where id = $1", [id]);
  expect(await read()).toMatchObject({ isErased: true, customer: null, content: {} });
});

test('an attempt is shown with the exact headers sent, delivery metadata included', async () => {
  const standard = await service.addRestaurant({ receiver, hasSecret: true });
  const owner = await signInAs(service, 'owner', { restaurant: standard });
  await owner.send('PUT', '/api/integration/delivery-metadata', { isOn: true });
  const { id } = await place({}, standard);
  await owner.send('POST', `/api/orders/${id}/commands`, { command: 'approve' });
  const attempt = await vi.waitFor(async () => {
    const { entries } = timelineAnswer.parse((await owner.get(`/api/orders/${id}/timeline`)).body);
    const found = entries.find((entry) => entry.kind === 'attempt');
    if (found === undefined) throw new Error('there is no attempt yet');
    return found;
  }, PATIENCE);
  const sent = receiver.requests.find(({ headers }) => headers['x-waybill-event-id'] === attempt.eventId);
  const raw = sent?.rawHeaders ?? [];
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
  // Headers that any client adds to send a body to a host.
  const carried = pairs.filter(([name = '']) => !['host', 'connection', 'content-length'].includes(name.toLowerCase()));
  expect(Object.entries(attempt.headers)).toEqual(carried);
  expect(attempt.headers).toMatchObject({ 'X-Waybill-Attempt': '1', 'X-Waybill-Sequence': '1' });
  expect(attempt.headers['webhook-signature']).toMatch(/^v1,/);
});

test('a delivery is resent on request, but only by its own restaurant', async () => {
  const { id } = await place();
  await staff.send('POST', `/api/orders/${id}/commands`, { command: 'approve' });
  const attempts = async () => {
    const { entries, deliveries } = timelineAnswer.parse((await staff.get(`/api/orders/${id}/timeline`)).body);
    return { count: entries.filter(({ kind }) => kind === 'attempt').length, delivery: deliveries[0] };
  };
  const { delivery } = await vi.waitFor(async () => {
    const now = await attempts();
    expect(now.count).toBe(1);
    return now;
  }, PATIENCE);
  const url = `/api/orders/${id}/deliveries/${delivery?.eventId}/resend`;
  const stranger = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
  expect((await stranger.send('POST', url)).status).toBe(404);
  expect((await staff.send('POST', url)).body).toEqual({ result: 'queued' });
  await expect.poll(async () => (await attempts()).count).toBe(2);
});
