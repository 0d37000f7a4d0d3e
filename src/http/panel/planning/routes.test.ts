import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { addCourier, type AddCourierRequest } from '../../../actions/couriers/add-courier.ts';
import { candidatesAnswer } from '../../../contract/panel/planning/candidates.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { raiseAlarm } from '../../../store/planning/alarms.ts';
import { findOrderById } from '../../../store/orders/orders.ts';
import { saveOrderPlans } from '../../../store/planning/plans.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser;
let stranger: Browser;
let operator: Browser & { login: Login };

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

test('the operator cancels on behalf of a role that may give the reason; webhooks and audit log show it', async () => {
  const orderId = await newOrder();
  const path = `/api/operator/planning/orders/${orderId}/cancel`;
  const wrong = await operator.send('POST', path, { canceledBy: 'Restaurant', cancelReasonId: 'WRONG_ADDRESS' });
  expect(wrong).toMatchObject({ status: 422, body: { details: [{ field: 'cancelReasonId' }] } });
  const closed = { canceledBy: 'System', cancelReasonId: 'RESTAURANT_CLOSED' };
  expect((await operator.send('POST', path, closed)).status).toBe(200);
  const events = await service.app.db.query<{ body: Buffer }>(
    'select body from events where order_id = $1 order by id desc limit 2',
    [orderId],
  );
  const bodies = events.map(({ body }) => JSON.parse(body.toString()) as object);
  expect(bodies).toContainEqual(expect.objectContaining({ event: 'order.status_changed', status: 'CANCELED' }));
  expect(bodies).toContainEqual(
    expect.objectContaining({ event: 'order.canceled', ...closed, reason: 'The restaurant is closed' }),
  );
  const [entry] = await listAuditEntries(service.app.db, restaurant.id, 1);
  expect(entry).toMatchObject({
    action: 'order.canceled',
    actor: operator.login.email,
    detail: { orderId, ...closed },
  });
  // Repeating it changes nothing and adds no audit entry.
  expect((await operator.send('POST', path, closed)).status).toBe(200);
  expect((await listAuditEntries(service.app.db, restaurant.id, 2))[1]?.action).not.toBe('order.canceled');
  const unknown = await operator.send('POST', path.replace(orderId, randomUUID()), closed);
  expect(unknown.status).toBe(404);
});

test('409: a delivered order cannot be canceled, not even by the operator, and the state is named', async () => {
  const orderId = await newOrder();
  await service.app.db.query("update orders set state = 'DELIVERED' where id = $1", [orderId]);
  const request = { canceledBy: 'Courier', cancelReasonId: 'OTHER', reason: 'The bag was lost' };
  const late = await operator.send('POST', `/api/operator/planning/orders/${orderId}/cancel`, request);
  expect(late).toMatchObject({
    status: 409,
    body: { code: 'ORDER_003', message: expect.stringContaining('DELIVERED') },
  });
});

test('the operator locks an order, moves it and requests a new plan; the restaurant sees why', async () => {
  const orderId = await newOrder();
  const courierId = await service.addCourier('Ada');
  const path = `/api/operator/planning/orders/${orderId}`;
  expect((await operator.send('POST', `${path}/lock`, { courierId })).status).toBe(200);
  const ada = { id: courierId, name: 'Ada' };
  expect((await owner.get(`/api/planning/orders/${orderId}`)).body).toMatchObject({ lockedTo: ada, why: null });
  expect((await operator.get(path)).body).toMatchObject({ lockedTo: ada, restaurantName: 'Testaurant' });
  const { orders } = (await operator.get('/api/operator/planning/orders')).body;
  expect(orders).toMatchObject([{ orderId, lockedTo: ada, wait: null, alarms: [] }]);
  expect((await operator.send('POST', `${path}/move`, { courierId })).status).toBe(200);
  expect(await findOrderById(service.app.db, orderId)).toMatchObject({ state: 'ASSIGNED', courier: { id: courierId } });
  expect((await owner.get(`/api/planning/orders/${orderId}`)).body).toMatchObject({
    courier: ada,
    why: { kind: 'offered', courier: ada },
  });
  expect((await operator.send('POST', `${path}/lock`, { courierId: null })).status).toBe(200);
  expect((await operator.send('POST', '/api/operator/planning/replan')).status).toBe(200);
  expect((await operator.get('/api/operator/planning/areas')).body).toEqual({ areas: [] });
  const entries = await listAuditEntries(service.app.db, null, 4);
  expect(entries.map(({ action, restaurantId, detail }) => ({ action, restaurantId, detail }))).toEqual([
    { action: 'plan.requested', restaurantId: null, detail: {} },
    { action: 'order.unlocked', restaurantId: restaurant.id, detail: { orderId, courierId: null } },
    { action: 'order.moved', restaurantId: restaurant.id, detail: { orderId, courierId } },
    { action: 'order.locked', restaurantId: restaurant.id, detail: { orderId, courierId } },
  ]);
  expect(new Set(entries.map(({ actor }) => actor)).size).toBe(1);
});

test('404: the plan of an unknown order and of another restaurant’s order look the same', async () => {
  const orderId = await newOrder();
  const foreign = await stranger.get(`/api/planning/orders/${orderId}`);
  const unknown = await stranger.get(`/api/planning/orders/${randomUUID()}`);
  expect(foreign.status).toBe(404);
  expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  expect(
    (await operator.send('POST', `/api/operator/planning/orders/${randomUUID()}/lock`, { courierId: null })).status,
  ).toBe(404);
});

test('a courier of another restaurant is unnamed in a plan, except for the operator', async () => {
  const orderId = await newOrder();
  const others = await service.addRestaurant();
  const profile = { name: 'Nobody of ours', phone: null, latitude: null, longitude: null, onDuty: true };
  const added = await addCourier(service.app, {
    ...profile,
    restaurantId: others.id,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const courierId = added.courier.id;
  const place = { courierId, pickupPlace: 0, dropoffPlace: 1, pickupAt: null, dropoffAt: null };
  const offerAt = new Date(service.app.clock.now()).toISOString();
  const explanation = { kind: 'placed', courierId, extraCost: 1, nextBest: null, offerAt } as const;
  await saveOrderPlans(service.app.db, [{ orderId, ...place, explanation }], service.app.clock.now());
  const read = async (browser: Browser, path: string) => (await browser.get(`${path}/${orderId}`)).body;
  const unnamed = { id: null, name: null };
  expect(await read(owner, '/api/planning/orders')).toMatchObject({ courier: unnamed, why: { courier: unnamed } });
  expect(await read(operator, '/api/operator/planning/orders')).toMatchObject({ courier: { name: profile.name } });
});

test('409, 422: an order cannot be moved to an unknown or off-duty courier', async () => {
  const path = `/api/operator/planning/orders/${await newOrder()}/move`;
  const move = async (courierId: string) => {
    const { status, body } = await operator.send('POST', path, { courierId });
    return [status, body.code, body.message];
  };
  expect(await move(randomUUID())).toEqual([422, 'COURIER_001', 'No such courier']);
  const courierId = await service.addCourier('At home');
  await operator.send('POST', `/api/operator/couriers/${courierId}/duty`, { onDuty: false });
  expect(await move(courierId)).toEqual([409, 'COURIER_003', 'At home is off duty. Choose a courier who is on duty']);
});

test('409: an order that was picked up is neither moved nor locked, and the reason is given', async () => {
  const orderId = await newOrder();
  const courierId = await service.addCourier('Carrier');
  const courier = { role: 'courier', courierId } as const;
  const { change } = service.app.changer;
  await change({ scope: 'everything', orderId, command: { name: 'assign', courierId }, actor: { role: 'operator' } });
  await change({ scope: 'everything', orderId, command: { name: 'accept' }, actor: courier });
  await change({ scope: 'everything', orderId, command: { name: 'prepare' }, actor: { role: 'restaurant' } });
  await change({ scope: 'everything', orderId, command: { name: 'pick_up' }, actor: courier });
  const other = await service.addCourier('Other');
  for (const act of ['move', 'lock']) {
    const path = `/api/operator/planning/orders/${orderId}/${act}`;
    const answer = await operator.send('POST', path, { courierId: other });
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_003' } });
    expect(answer.body.message).toContain('The courier already has the food');
  }
});

describe('courier candidates', () => {
  const KITCHEN = { latitude: 41, longitude: 29 };
  const dropoff = { latitude: 41.01, longitude: 29 };
  let place: TestRestaurant;
  let people: Browser;
  let orderId: string;
  const ids = new Map<string, string>();

  async function hire(name: string, more: Partial<AddCourierRequest> = {}): Promise<void> {
    const profile = {
      name,
      phone: null,
      ...KITCHEN,
      restaurantId: null,
      onDuty: true,
      actor: { name: 'test' },
      ...more,
    };
    const added = await addCourier(service.app, profile);
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    ids.set(name, added.courier.id);
  }

  beforeAll(async () => {
    place = await service.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...KITCHEN });
    people = await signInAs(service, 'owner', { restaurant: place });
    const answer = await service.post(place, {
      orderId: 'to-assign',
      dropoff: { location: dropoff },
      package: { count: 3 },
      requirements: { vehicle: ['BICYCLE', 'CAR'] },
    });
    orderId = ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
    await hire('Zoe near', { restaurantId: place.id });
    await hire('Abe far', { latitude: 41.05, restaurantId: place.id });
    await hire('Mia small', { capacity: 2 });
    await hire('Max walking', { vehicle: 'FOOT' });
    await hire('Liv at home', { onDuty: false });
    await hire('Strange', { restaurantId: restaurant.id });
  });

  const ask = async (query: string) =>
    candidatesAnswer.parse((await people.get(`/api/orders/${orderId}/couriers${query}`)).body);

  /** Waits for figures: the travel-time thread starts with the first request, and may be busy during any other. */
  const list = async (query = '') => {
    let answer = await ask(query);
    await expect.poll(async () => (answer = await ask(query)).gap).toBeNull();
    // Leave out couriers of other tests.
    return { ...answer, couriers: answer.couriers.filter(({ name }) => ids.has(name)) };
  };

  test('are listed with load, detour and lateness, best first, without those of other restaurants', async () => {
    const { couriers } = await list();
    expect(couriers.map(({ name, warnings, bar }) => [name, warnings, bar])).toEqual([
      ['Zoe near', [], null],
      ['Abe far', [], null],
      ['Mia small', ['TOO_LARGE'], null],
      ['Max walking', ['OTHER_VEHICLE'], null],
      ['Liv at home', [], 'OFF_DUTY'],
    ]);
    const [near, far, small, , atHome] = couriers;
    // Pool couriers are described only roughly.
    expect(small).toMatchObject({
      isOwn: false,
      distanceMeters: null,
      figures: null,
      rough: { distanceKm: { from: 0, under: 2 }, figures: { lateMinutes: null } },
    });
    expect(near).toMatchObject({
      isOwn: true,
      rough: null,
      promised: 0,
      carried: 0,
      bags: 0,
      capacity: 4,
      distanceMeters: 0,
    });
    expect(far).toMatchObject({ isOwn: true });
    expect(far?.distanceMeters).toBeGreaterThan(5_000);
    expect(far?.figures?.detourSeconds).toBeGreaterThan(near?.figures?.detourSeconds ?? Infinity);
    expect(far?.figures?.extraCost).toBeGreaterThan(near?.figures?.extraCost ?? Infinity);
    expect(near?.figures?.lateSeconds).toBe(0);
    expect(atHome?.figures).toBeNull();
  });

  test('the operator gets the same list, and a search by name also finds distant couriers', async () => {
    const { body } = await operator.get(`/api/operator/planning/orders/${orderId}/couriers?q=FAR`);
    expect(candidatesAnswer.parse(body).couriers.map(({ name }) => name)).toEqual(['Abe far']);
    expect((await list('?q=%25')).couriers).toEqual([]);
  });

  test('show their order counts, and the order’s own courier is marked', async () => {
    const courierId = ids.get('Zoe near') ?? '';
    const command = (id: string) => ({ command: 'assign', courierId: id });
    const path = `/api/orders/${orderId}/commands`;
    const home = await people.send('POST', path, command(ids.get('Liv at home') ?? ''));
    expect([home.status, home.body.code, home.body.message]).toEqual([
      409,
      'COURIER_003',
      expect.stringContaining('off duty'),
    ]);
    expect((await people.send('POST', path, command(ids.get('Strange') ?? ''))).status).toBe(422);
    expect((await people.send('POST', path, command(courierId))).status).toBe(200);
    expect((await list()).couriers[0]).toMatchObject({ name: 'Zoe near', bar: 'HAS_IT', promised: 0 });
    const other = await service.post(place, {
      orderId: 'another',
      dropoff: { location: dropoff },
      package: { count: 2 },
    });
    const { serviceOrderId } = (await other.json()) as { serviceOrderId: string };
    await people.send('POST', `/api/orders/${serviceOrderId}/commands`, command(courierId));
    const [zoe] = (await list('?q=zoe')).couriers;
    expect(zoe).toMatchObject({ promised: 1, carried: 0, bags: 2 });
    // A courier who didn't answer in time may get another offer.
    const anHourAgo = `update orders set courier_offered_at = courier_offered_at - interval '1 hour' where id = $1`;
    await service.app.db.query(anHourAgo, [orderId]);
    expect((await list('?q=zoe')).couriers[0]).toMatchObject({ name: 'Zoe near', bar: null });
  });

  test('404 and 409: the list for another restaurant’s order, and for a finished one', async () => {
    const foreign = await stranger.get(`/api/orders/${orderId}/couriers`);
    const unknown = await stranger.get(`/api/orders/${randomUUID()}/couriers`);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    await people.send('POST', `/api/orders/${orderId}/cancel`, { cancelReasonId: 'OTHER' });
    expect((await people.get(`/api/orders/${orderId}/couriers`)).status).toBe(409);
  });

  test('are listed without figures when the order cannot be routed, and the reason is given', async () => {
    const answer = await service.post(place, { orderId: 'nowhere' });
    const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
    const { body } = await people.get(`/api/orders/${serviceOrderId}/couriers`);
    const { couriers, gap } = candidatesAnswer.parse(body);
    expect(gap).toBe('NO_DROPOFF_LOCATION');
    expect(couriers.every(({ figures }) => figures === null)).toBe(true);
  });
});

test('alarms are shown to their restaurant and the operator, and restaurant staff can dismiss a problem', async () => {
  const orderId = await newOrder();
  const alarm = { orderId, kind: 'PROBLEM_REPORTED', courierId: null, detail: 'The dropoff is locked' } as const;
  await raiseAlarm(service.app.db, { ...alarm, raisedAt: service.app.clock.now() });
  expect((await owner.get('/api/planning/alarms')).body.alarms).toMatchObject([alarm]);
  expect((await operator.get('/api/operator/planning/alarms')).body.alarms).toMatchObject([alarm]);
  expect((await stranger.get('/api/planning/alarms')).body.alarms).toEqual([]);
  const dismiss = `/api/planning/orders/${orderId}/problem/dismiss`;
  expect((await stranger.send('POST', dismiss)).status).toBe(404);
  const person = await signInAs(service, 'staff', { restaurant });
  expect((await person.send('POST', dismiss)).status).toBe(200);
  expect((await owner.get('/api/planning/alarms')).body.alarms).toEqual([]);
  expect(await listAuditEntries(service.app.db, restaurant.id, 1)).toMatchObject([
    { action: 'order.problem_dismissed', actor: person.login.email, detail: { orderId } },
  ]);
});
