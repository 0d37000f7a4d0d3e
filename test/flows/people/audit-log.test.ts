// Every change of a secret, a URL, a role or a switch writes exactly one entry to the audit log with who did it and
// what; read through the operator's page.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, signInAs, totpCode, type Browser, type Login } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

type Person = Browser & { login: Login };

interface Entry {
  id: number;
  actor: string;
  clientAddress: string | null;
  action: string;
  restaurant: { id: string } | null;
  detail: Record<string, unknown>;
}

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let owner: Person;
let operator: Person;
/** Only reads the log: a separate person, so the other operator's changes to their own sessions do not end this one. */
let reader: Person;
let newestSeen = 0;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
  restaurant = await service.addRestaurant();
  owner = await signInAs(service, 'owner', { restaurant });
  operator = await signInAs(service, 'operator');
  reader = await signInAs(service, 'operator');
  await readNew();
});

afterAll(async () => {
  await receiver.close();
  await service.stop();
});

async function readNew(): Promise<Entry[]> {
  const { body } = await reader.get('/api/operator/audit');
  const fresh = (body.entries as Entry[]).filter(({ id }) => id > newestSeen).toReversed();
  newestSeen = fresh.at(-1)?.id ?? newestSeen;
  return fresh;
}

interface Act {
  by: Person;
  does: [method: string, path: string, body?: object];
  leaves: string;
}

/** Checks that the audit log contains the entry; returns the answer. */
async function expectAudited({ by, does: [method, path, body = {}], leaves }: Act) {
  const answer = await by.send(method, path, body);
  expect([path, answer.status < 300]).toEqual([path, true]);
  const entries = await readNew();
  expect(
    entries.map(({ actor, action, clientAddress }) => [action, actor.includes(by.login.email), clientAddress]),
  ).toEqual([[leaves, true, '127.0.0.1']]);
  return { ...answer.body, entry: entries[0] };
}

test('changes to credentials, secrets and URLs are logged', async () => {
  const at = '/api/integration';
  const audited = (method: string, path: string, rest: { body?: object; leaves: string }) =>
    expectAudited({ by: owner, does: [method, at + path, rest.body ?? {}], leaves: rest.leaves });
  const key = await audited('POST', '/api-keys', { body: { lifetimeDays: 90 }, leaves: 'api_key.created' });
  await audited('DELETE', `/api-keys/${key.keyId}`, { leaves: 'api_key.revoked' });
  const basic = await audited('POST', '/basic-credentials', { leaves: 'basic_credential.created' });
  await audited('DELETE', `/basic-credentials/${basic.credentialId}`, { leaves: 'basic_credential.revoked' });
  await audited('POST', '/webhook-secrets', { leaves: 'webhook_secret.created' });
  const next = await audited('POST', '/webhook-secrets', { leaves: 'webhook_secret.created' });
  await audited('POST', `/webhook-secrets/${next.secretId}/switch`, { leaves: 'webhook_secret.switched' });
  await audited('DELETE', `/webhook-secrets/${next.secretId}`, { leaves: 'webhook_secret.removed' });
  await audited('PUT', '/webhook-urls', { body: { status: receiver.url('/status') }, leaves: 'webhook_url.set' });
  await audited('PUT', '/webhook-urls', { body: { status: null }, leaves: 'webhook_url.removed' });
});

test('changes to switches and settings are logged', async () => {
  const change = (path: string, body: object, leaves: string) =>
    expectAudited({ by: owner, does: [path === '/api/restaurant' ? 'PATCH' : 'PUT', path, body], leaves });
  await change('/api/integration/enabled', { isEnabled: false }, 'integration.disabled');
  await change('/api/integration/enabled', { isEnabled: true }, 'integration.enabled');
  await change('/api/integration/delivery-metadata', { isOn: true }, 'restaurant.changed');
  const { entry } = await change('/api/restaurant', { autoApprove: true }, 'restaurant.changed');
  expect(entry.detail).toEqual({ autoApprove: true });
  const at = `/api/operator/restaurants/${restaurant.id}`;
  await expectAudited({
    by: operator,
    does: ['PATCH', at, { integrationEnabled: false }],
    leaves: 'integration.disabled',
  });
  await expectAudited({
    by: operator,
    does: ['PATCH', at, { integrationEnabled: true }],
    leaves: 'integration.enabled',
  });
  await expectAudited({ by: operator, does: ['PATCH', at, { rateLimitPerMinute: 77 }], leaves: 'restaurant.changed' });
});

test('changes to people and their roles are logged', async () => {
  const email = `${randomUUID()}@example.com`;
  const invitation = { email, name: 'New', role: 'staff' };
  const { member } = await expectAudited({
    by: owner,
    does: ['POST', '/api/team', invitation],
    leaves: 'user.invited',
  });
  const at = `/api/team/${member.userId}`;
  const { entry } = await expectAudited({
    by: owner,
    does: ['PATCH', at, { role: 'owner' }],
    leaves: 'user.role_changed',
  });
  expect(entry.detail).toMatchObject({ email, from: 'staff', to: 'owner' });
  await expectAudited({ by: owner, does: ['PATCH', at, { isDisabled: true }], leaves: 'user.disabled' });
  await expectAudited({
    by: operator,
    does: ['PATCH', `/api/operator/users/${member.userId}`, { isDisabled: false }],
    leaves: 'user.enabled',
  });
  await expectAudited({ by: owner, does: ['POST', `${at}/invitation`], leaves: 'user.invited_again' });
  await expectAudited({ by: owner, does: ['DELETE', at], leaves: 'user.removed' });
});

test('changes to one’s own password, second factor and sessions are logged', async () => {
  const person = await signInAs(service, 'staff', { restaurant });
  await readNew();
  const newPassword = 'five words make it long';
  const change = { currentPassword: person.login.password, newPassword };
  await expectAudited({ by: person, does: ['POST', '/api/session/password', change], leaves: 'user.password_changed' });
  const begun = await person.send('POST', '/api/session/two-factor', { password: newPassword });
  const at = '/api/session/two-factor';
  await expectAudited({
    by: person,
    does: ['POST', `${at}/confirm`, { code: totpCode(begun.body.secret) }],
    leaves: 'user.two_factor_enabled',
  });
  await expectAudited({
    by: person,
    does: ['POST', `${at}/backup-codes`, { password: newPassword }],
    leaves: 'user.backup_codes_renewed',
  });
  await expectAudited({
    by: person,
    does: ['POST', `${at}/disable`, { password: newPassword }],
    leaves: 'user.two_factor_disabled',
  });
  await expectAudited({ by: person, does: ['POST', '/api/session/everywhere'], leaves: 'user.signed_out_everywhere' });
});

test('drop-off fixes, duty changes, resends and discards are logged', async () => {
  const courierId = await service.addCourier();
  const duty = `/api/operator/couriers/${courierId}/duty`;
  await readNew();
  await expectAudited({ by: operator, does: ['POST', duty, { onDuty: false }], leaves: 'courier.off_duty' });
  await expectAudited({ by: operator, does: ['POST', duty, { onDuty: true }], leaves: 'courier.on_duty' });

  const location = { latitude: 41, longitude: 29 };
  const since = new Date(service.app.clock.now() - 60_000).toISOString();
  const heard = await placeOrder(await service.addRestaurant({ autoApprove: true, receiver }), 'delivered');
  const { audited, order, eventId } = heard;
  const fixed = await audited(['PATCH', `${order}/dropoff`, { location }], 'order.dropoff_fixed');
  expect(fixed.entry).toMatchObject({ restaurant: { id: heard.restaurantId } });
  const again = await audited(['POST', `${order}/deliveries/${eventId}/resend`], 'delivery.resent');
  expect(again.entry).toMatchObject({ restaurant: { id: heard.restaurantId }, detail: { eventId } });
  await audited(['POST', '/api/webhooks/failed', { since }], 'deliveries.resent');

  // Without a URL, the webhook is held.
  const held = await placeOrder(await service.addRestaurant({ autoApprove: true }), 'held');
  await held.audited(['POST', `/api/webhooks/events/${held.eventId}/discard`], 'delivery.discarded');
});

/** An order whose webhook has this outcome, and the owner of its restaurant. */
async function placeOrder(place: TestRestaurant, outcome: 'delivered' | 'held') {
  const by = await signInAs(service, 'owner', { restaurant: place });
  const answer = await service.post(place, { orderId: randomUUID() });
  const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
  const order = `/api/orders/${serviceOrderId}`;
  const delivery = async () => (await by.get(`${order}/timeline`)).body.deliveries[0];
  await expect.poll(async () => (await delivery()).state).toBe(outcome);
  await readNew();
  const audited = (does: Act['does'], leaves: string) => expectAudited({ by, does, leaves });
  return { audited, order, eventId: (await delivery()).eventId, restaurantId: place.id };
}

test('actions an operator takes as a restaurant are logged under the operator’s own name', async () => {
  const guest = await signInAs(service, 'operator');
  await readNew();
  const audited = (does: Act['does'], leaves: string) => expectAudited({ by: guest, does, leaves });
  const { entry } = await audited(
    ['POST', '/api/operator/impersonation', { restaurantId: restaurant.id }],
    'operator.signed_in_as_restaurant',
  );
  expect(entry.restaurant).toMatchObject({ id: restaurant.id });
  await audited(['PATCH', '/api/restaurant', { autoApprove: false }], 'restaurant.changed');
  await audited(['DELETE', '/api/session/impersonation'], 'operator.left_restaurant');
});

test('users without access to the log get no entry of it', async () => {
  expect((await owner.get('/api/operator/audit')).status).toBe(403);
  expect((await openBrowser(service.address).get('/api/operator/audit')).status).toBe(401);
});
