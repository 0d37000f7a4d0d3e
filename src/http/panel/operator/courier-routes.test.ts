import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { courierDetail, couriersAnswer } from '../../../contract/panel/operator/couriers.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { savePosition } from '../../../store/couriers/positions.ts';

let service: TestService;
let restaurant: TestRestaurant;
let operator: Browser & { login: Login };
beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant({ name: 'Moda' });
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());

const NEW = {
  name: 'Ada',
  phone: '+90 555 000 11 22',
  vehicle: 'MOTORCYCLE',
  capacity: 6,
  payPerOrder: 4_500,
  location: { latitude: 41, longitude: 29 },
  restaurantId: null,
};
const base = '/api/operator/couriers';

async function add(change: object = {}): Promise<string> {
  const { status, body } = await operator.send('POST', base, { ...NEW, ...change });
  expect(status).toBe(201);
  return body.id;
}

async function show(id: string) {
  return courierDetail.parse((await operator.get(`${base}/${id}`)).body);
}

async function search(query: Record<string, string>) {
  return couriersAnswer.parse((await operator.get(`${base}?${new URLSearchParams(query).toString()}`)).body);
}

test('a courier is added to the pool, assigned to a restaurant and changed; omitted fields stay', async () => {
  const id = await add();
  const { restaurantId: _pool, ...profile } = NEW;
  expect(await show(id)).toMatchObject({ ...profile, restaurant: null, onDuty: false, shifts: [] });
  const change = { vehicle: 'CAR', restaurantId: restaurant.restaurantId };
  expect((await operator.send('PATCH', `${base}/${id}`, change)).status).toBe(200);
  expect(await show(id)).toMatchObject({
    name: 'Ada',
    vehicle: 'CAR',
    capacity: 6,
    location: NEW.location,
    restaurant: { id: restaurant.id, restaurantId: restaurant.restaurantId, name: 'Moda' },
  });
  expect((await operator.send('PATCH', `${base}/${id}`, { location: null, restaurantId: null })).status).toBe(200);
  expect(await show(id)).toMatchObject({ location: null, restaurant: null });
});

test('a courier’s location is shown only while on duty', async () => {
  const id = await add({ name: 'Positioned' });
  expect((await operator.send('POST', `${base}/${id}/duty`, { onDuty: true })).status).toBe(200);
  await savePosition(service.app.db, { courierId: id, latitude: 40.9, longitude: 29.1, reportedAt: Date.now() });
  expect((await show(id)).position).toMatchObject({ latitude: 40.9, longitude: 29.1 });
  expect((await operator.send('POST', `${base}/${id}/duty`, { onDuty: false })).status).toBe(200);
  expect(await show(id)).toMatchObject({ onDuty: false, position: null });
  // Not even if a row was left behind.
  await service.app.db.query(
    'insert into courier_positions (courier_id, latitude, longitude, reported_at) values ($1, 1, 1, now())',
    [id],
  );
  expect((await search({ q: 'Positioned' })).couriers).toMatchObject([{ onDuty: false, position: null }]);
});

test('shifts are added and removed; one that overlaps or ends before it starts gets 409', async () => {
  const id = await add({ name: 'Shifty' });
  const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
  const addShift = (from: number, to: number) =>
    operator.send('POST', `${base}/${id}/shifts`, { startsAt: at(from), endsAt: at(to) });
  const running = await addShift(-1, 3);
  expect(running.status).toBe(201);
  expect((await addShift(2, 5)).body.code).toBe('COURIER_004');
  expect((await addShift(9, 8)).status).toBe(409);
  expect((await show(id)).shifts).toHaveLength(1);
  expect((await show(id)).shiftEndsAt).not.toBeNull();
  const other = await add({ name: 'Other' });
  expect((await operator.send('DELETE', `${base}/${other}/shifts/${running.body.id}`)).status).toBe(404);
  expect((await operator.send('DELETE', `${base}/${id}/shifts/${running.body.id}`)).status).toBe(200);
  expect((await show(id)).shifts).toEqual([]);
  const entries = await listAuditEntries(service.app.db, null, 500);
  const mine = entries.filter(({ actor }) => actor === operator.login.email).map(({ action }) => action);
  for (const action of ['courier.added', 'courier.changed', 'courier.off_duty', 'courier.shift_added']) {
    expect(mine).toContain(action);
  }
  expect(mine[0]).toBe('courier.shift_removed');
});

test('couriers are found by name or phone, in pages sorted by name', async () => {
  for (let n = 100; n < 155; n += 1) await add({ name: `Page ${n}`, phone: `+1 777 ${n}` });
  expect((await search({ q: '777 120' })).couriers).toMatchObject([{ name: 'Page 120' }]);
  const first = await search({ q: 'page ' });
  expect(first.couriers).toHaveLength(50);
  const second = await search({ q: 'page ', after: first.next ?? '' });
  expect(second.couriers.map(({ name }) => name)).toEqual([150, 151, 152, 153, 154].map((n) => `Page ${n}`));
  expect(second.next).toBeNull();
});

test('an invalid profile gets 422 with the field, an unknown courier 404', async () => {
  const wrong = [
    { capacity: 0 },
    { vehicle: 'TRAIN' },
    { location: { latitude: 91, longitude: 0 } },
    { restaurantId: 'nowhere' },
  ];
  for (const change of wrong) {
    const { status, body } = await operator.send('POST', base, { ...NEW, ...change });
    expect([status, body.details[0].field.split('.')[0]]).toEqual([422, Object.keys(change)[0]]);
  }
  const url = `${base}/${randomUUID()}`;
  expect((await operator.get(url)).body.code).toBe('PANEL_001');
  expect((await operator.send('PATCH', url, { name: 'x' })).status).toBe(404);
  expect((await operator.send('POST', `${url}/duty`, { onDuty: true })).status).toBe(404);
  const times = { startsAt: '2026-03-01T12:00:00Z', endsAt: '2026-03-01T13:00:00Z' };
  expect((await operator.send('POST', `${url}/shifts`, times)).status).toBe(404);
});
