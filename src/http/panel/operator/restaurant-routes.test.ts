import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestService } from '../../../../harness/service/service.ts';
import { restaurantsAnswer } from '../../../contract/panel/operator/restaurants.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { findRestaurantByProviderId } from '../../../store/restaurants/restaurants.ts';

let service: TestService;
let operator: Browser & { login: Login };
beforeAll(async () => {
  service = await startService();
  operator = await signInAs(service, 'operator');
});
afterAll(() => service.stop());

const NEW = {
  restaurantId: 'moda-1',
  name: 'Moda Pizza',
  timeZone: 'Europe/Istanbul',
  contactEmail: 'tech@moda.example',
  location: { latitude: 40.98, longitude: 29.03 },
  autoApprove: true,
  rateLimitPerMinute: 120,
};
const add = (change: object) => operator.send('POST', '/api/operator/restaurants', { ...NEW, ...change });

async function search(query: Record<string, string>) {
  const { status, body } = await operator.get(`/api/operator/restaurants?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return restaurantsAnswer.parse(body);
}

async function listActions(restaurantId: string) {
  const entries = await listAuditEntries(service.app.db, restaurantId, 50);
  return entries.filter(({ actor }) => actor === operator.login.email).map(({ action }) => action);
}

test('an operator adds a restaurant with all its settings, and it is found by part of its name or id', async () => {
  const { status, body } = await add({});
  expect(status).toBe(201);
  expect(await findRestaurantByProviderId(service.app.db, 'moda-1')).toMatchObject({
    id: body.id,
    name: 'Moda Pizza',
    timeZone: 'Europe/Istanbul',
    contactEmail: 'tech@moda.example',
    latitude: 40.98,
    longitude: 29.03,
    autoApprove: true,
    rateLimitPerMinute: 120,
  });
  for (const q of ['MODA', 'pizza', 'da-1']) {
    const { restaurants } = await search({ q });
    expect(restaurants).toMatchObject([
      { id: body.id, restaurantId: 'moda-1', integrationEnabled: true, liveOrders: 0, failingEndpoints: 0 },
    ]);
  }
  expect((await search({ q: '100%' })).restaurants).toEqual([]);
  expect(await listActions(body.id)).toEqual(['restaurant.added']);
});

test('an id already in use gets 409; an invalid time zone or email address names the field', async () => {
  await add({ restaurantId: 'taken' });
  const again = await add({ restaurantId: 'taken' });
  expect([again.status, again.body.code]).toEqual([409, 'RESTAURANT_001']);
  const zone = await add({ restaurantId: 'z', timeZone: 'Istanbul' });
  expect([zone.status, zone.body.details[0].field]).toEqual([422, 'timeZone']);
  const email = await add({ restaurantId: 'z', contactEmail: 'nobody' });
  expect([email.status, email.body.details[0].field]).toEqual([422, 'contactEmail']);
  expect((await add({ restaurantId: '' })).body.details[0].field).toBe('restaurantId');
  expect(await findRestaurantByProviderId(service.app.db, 'z')).toBeUndefined();
});

test('pages continue after the id of the last one', async () => {
  for (let n = 100; n < 155; n += 1) await add({ restaurantId: `page-${n}`, name: `Page ${n}` });
  const first = await search({ q: 'page-' });
  expect(first.restaurants).toHaveLength(50);
  const second = await search({ q: 'page-', after: first.next ?? '' });
  expect(second.restaurants.map(({ restaurantId }) => restaurantId)).toEqual(
    [150, 151, 152, 153, 154].map((n) => `page-${n}`),
  );
  expect(second.next).toBeNull();
});

test('the integration is disabled and enabled, and the rate limit set, each with an audit entry', async () => {
  const restaurant = await service.addRestaurant();
  const url = `/api/operator/restaurants/${restaurant.id}`;
  expect((await operator.send('PATCH', url, { integrationEnabled: false })).status).toBe(200);
  expect((await service.post(restaurant, { orderId: 'a' })).status).toBe(403);
  expect((await operator.send('PATCH', url, { integrationEnabled: true })).status).toBe(200);
  expect((await operator.send('PATCH', url, { rateLimitPerMinute: 7 })).status).toBe(200);
  expect((await search({ q: restaurant.restaurantId })).restaurants).toMatchObject([
    { integrationEnabled: true, rateLimitPerMinute: 7 },
  ]);
  expect(await listActions(restaurant.id)).toEqual([
    'restaurant.changed',
    'integration.enabled',
    'integration.disabled',
  ]);
});

test('an empty, combined or out-of-range change gets 422, an unknown restaurant 404', async () => {
  const { id } = await service.addRestaurant();
  for (const body of [{}, { integrationEnabled: true, rateLimitPerMinute: 5 }, { rateLimitPerMinute: 0 }]) {
    expect((await operator.send('PATCH', `/api/operator/restaurants/${id}`, body)).body.code).toBe('REQ_004');
  }
  for (const unknown of [randomUUID(), 'moda']) {
    const answer = await operator.send('PATCH', `/api/operator/restaurants/${unknown}`, { rateLimitPerMinute: 5 });
    expect([answer.status, answer.body.code]).toEqual([404, 'PANEL_001']);
  }
});
