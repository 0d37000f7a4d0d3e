import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser } from '../../../test/helpers/panel.ts';
import { startService, type TestRestaurant, type TestService } from '../../../test/helpers/service.ts';
import { raiseAlarm } from '../../store/planning-alarms.ts';
import { findOrderById } from '../../store/orders.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser;
let stranger: Browser;
let operator: Browser;

beforeAll(async () => {
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant({ autoApprove: true });
  owner = await signInAs(service, 'owner', { restaurant });
  stranger = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
  operator = await signInAs(service, 'operator');
});

afterAll(() => service.stop());

async function newOrder(): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

test('the operator locks an order, moves it, and asks for a new plan; the restaurant sees why', async () => {
  const orderId = await newOrder();
  const courierId = await service.addCourier('Ada');
  const path = `/api/operator/planning/orders/${orderId}`;
  expect((await operator.send('POST', `${path}/lock`, { courierId })).status).toBe(200);
  expect((await owner.get(`/api/planning/orders/${orderId}`)).body).toMatchObject({ lockedTo: courierId });
  expect((await operator.get(path)).body).toMatchObject({ lockedTo: courierId });
  expect((await operator.send('POST', `${path}/move`, { courierId })).status).toBe(200);
  expect(await findOrderById(service.app.db, orderId)).toMatchObject({ state: 'ASSIGNED', courier: { id: courierId } });
  expect((await operator.send('POST', '/api/operator/planning/replan')).status).toBe(200);
  expect((await operator.get('/api/operator/planning/areas')).body).toEqual({ areas: [] });
});

test('404: the plan of an unknown order and of another restaurant look the same', async () => {
  const orderId = await newOrder();
  const foreign = await stranger.get(`/api/planning/orders/${orderId}`);
  const unknown = await stranger.get(`/api/planning/orders/${randomUUID()}`);
  expect(foreign.status).toBe(404);
  expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  expect(
    (await operator.send('POST', `/api/operator/planning/orders/${randomUUID()}/lock`, { courierId: null })).status,
  ).toBe(404);
});

test('409: an order is not moved to nobody, nor to somebody who is off duty', async () => {
  const path = `/api/operator/planning/orders/${await newOrder()}/move`;
  const answer = await operator.send('POST', path, { courierId: randomUUID() });
  expect(answer).toMatchObject({ status: 409, body: { code: 'PANEL_002', message: 'There is no such courier.' } });
});

test('alarms are shown to their restaurant and the operator, and a problem is dismissed by whoever dealt with it', async () => {
  const orderId = await newOrder();
  const alarm = { orderId, kind: 'PROBLEM_REPORTED', courierId: null, detail: 'The door is locked' } as const;
  await raiseAlarm(service.app.db, { ...alarm, raisedAt: service.app.clock.now() });
  expect((await owner.get('/api/planning/alarms')).body.alarms).toMatchObject([alarm]);
  expect((await operator.get('/api/operator/planning/alarms')).body.alarms).toMatchObject([alarm]);
  expect((await stranger.get('/api/planning/alarms')).body.alarms).toEqual([]);
  const dismiss = `/api/planning/orders/${orderId}/problem/dismiss`;
  expect((await stranger.send('POST', dismiss)).status).toBe(404);
  expect((await owner.send('POST', dismiss)).status).toBe(200);
  expect((await owner.get('/api/planning/alarms')).body.alarms).toEqual([]);
});
