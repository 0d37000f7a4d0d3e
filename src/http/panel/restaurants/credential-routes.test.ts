// API key, Basic credential, webhook secret: each is shown once, each can be revoked, each change is audited.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { DAY_MS } from '../../../domain/time.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser & { login: Login };
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  restaurant = await service.addRestaurant();
  owner = await signInAs(service, 'owner', { restaurant });
});

const create = async (what: string, body: object = {}) => {
  const answer = await owner.send('POST', `/api/integration/${what}`, body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const look = async () => (await owner.get('/api/integration')).body;

async function listChanges() {
  const entries = await listAuditEntries(service.app.db, restaurant.id, 50);
  return entries.filter(({ actor }) => actor === owner.login.email).map(({ action }) => action);
}

function placeOrder(headers: Record<string, string>): Promise<Response> {
  return fetch(`${service.address}/webhook/third-party/order`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ orderId: randomUUID(), restaurantId: restaurant.restaurantId }),
  });
}

test('a key works until it is revoked, and the list shows its prefix, its age and its last use', async () => {
  const { keyId, apiKey, expiresAt } = await create('api-keys', { lifetimeDays: 90 });
  expect(apiKey).toMatch(/^wb_live_/);
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(89 * DAY_MS);
  expect((await placeOrder({ 'x-api-key': apiKey })).status).toBe(201);
  const [key] = (await look()).apiKeys;
  expect(key).toMatchObject({ keyId, prefix: apiKey.slice(0, 12), environment: 'live', state: 'good', expiresAt });
  expect((await owner.send('DELETE', `/api/integration/api-keys/${keyId}`)).status).toBe(200);
  await expect.poll(async () => (await placeOrder({ 'x-api-key': apiKey })).status).toBe(401);
  expect((await look()).apiKeys[0]).toMatchObject({ keyId, state: 'revoked' });
  // Revoking twice has the same effect as once, and is audited once.
  expect((await owner.send('DELETE', `/api/integration/api-keys/${keyId}`)).status).toBe(200);
  expect(await listChanges()).toEqual(['api_key.revoked', 'api_key.created']);
});

test('a key that expires soon is marked, so is an expired one, and a key may never expire', async () => {
  const soon = await create('api-keys', { lifetimeDays: 14 });
  const ended = await create('api-keys', { lifetimeDays: 1 });
  const eternal = await create('api-keys', { lifetimeDays: null });
  await service.app.db.query('update api_keys set expires_at = now() where id = $1', [ended.keyId]);
  expect(eternal.expiresAt).toBeNull();
  const states = new Map<string, string>((await look()).apiKeys.map(({ keyId, state }: never) => [keyId, state]));
  expect([soon, ended, eternal].map(({ keyId }) => states.get(keyId))).toEqual(['expires-soon', 'expired', 'good']);
});

test.each([[0], [-1], [1.5], ['90'], [3651], [undefined]])('a lifetime of %s days is refused', async (lifetimeDays) => {
  const { status, body } = await owner.send('POST', '/api/integration/api-keys', { lifetimeDays });
  expect([status, body.details[0].field]).toEqual([422, 'lifetimeDays']);
});

test('Basic credentials work until they are revoked', async () => {
  const { credentialId, username, password } = await create('basic-credentials');
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  expect((await placeOrder({ authorization })).status).toBe(201);
  expect((await look()).basicCredentials).toMatchObject([{ credentialId, username, state: 'good' }]);
  expect((await owner.send('DELETE', `/api/integration/basic-credentials/${credentialId}`)).status).toBe(200);
  await expect.poll(async () => (await placeOrder({ authorization })).status).toBe(401);
  expect((await look()).basicCredentials).toMatchObject([{ credentialId, state: 'revoked' }]);
  expect(await listChanges()).toEqual(['basic_credential.revoked', 'basic_credential.created']);
});

test('the first secret signs at once, the next one waits until it is activated', async () => {
  const first = await create('webhook-secrets');
  expect(first).toMatchObject({ state: 'active', secret: expect.stringMatching(/^whsec_/) });
  const second = await create('webhook-secrets');
  expect(second.state).toBe('pending');
  const third = await owner.send('POST', '/api/integration/webhook-secrets');
  expect([third.status, third.body.message]).toEqual([409, expect.stringContaining('secret is already pending')]);
  // The active secret can't be removed by mistake while another one is pending.
  expect((await owner.send('DELETE', `/api/integration/webhook-secrets/${first.secretId}`)).status).toBe(409);
  expect((await owner.send('POST', `/api/integration/webhook-secrets/${first.secretId}/switch`)).status).toBe(409);
  expect((await owner.send('POST', `/api/integration/webhook-secrets/${second.secretId}/switch`)).status).toBe(200);
  expect((await look()).webhookSecrets).toMatchObject([{ secretId: second.secretId, state: 'active' }]);
  expect((await owner.send('POST', `/api/integration/webhook-secrets/${second.secretId}/switch`)).status).toBe(409);
  expect((await owner.send('DELETE', `/api/integration/webhook-secrets/${second.secretId}`)).status).toBe(200);
  expect((await look()).webhookSecrets).toEqual([]);
  expect(await listChanges()).toEqual([
    'webhook_secret.removed',
    'webhook_secret.switched',
    'webhook_secret.created',
    'webhook_secret.created',
  ]);
});

test('a pending secret can be removed; the active one keeps signing', async () => {
  const active = await create('webhook-secrets');
  const pending = await create('webhook-secrets');
  expect((await owner.send('DELETE', `/api/integration/webhook-secrets/${pending.secretId}`)).status).toBe(200);
  expect((await look()).webhookSecrets).toMatchObject([{ secretId: active.secretId, state: 'active' }]);
});

test('another restaurant’s credential looks exactly like a missing one', async () => {
  const key = await create('api-keys', { lifetimeDays: 1 });
  const basic = await create('basic-credentials');
  await create('webhook-secrets');
  const secret = await create('webhook-secrets');
  const stranger = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
  for (const [method, path] of [
    ['DELETE', `api-keys/${key.keyId}`],
    ['DELETE', `basic-credentials/${basic.credentialId}`],
    ['DELETE', `webhook-secrets/${secret.secretId}`],
    ['POST', `webhook-secrets/${secret.secretId}/switch`],
    ['DELETE', `api-keys/${randomUUID()}`],
    ['DELETE', 'webhook-secrets/nonsense'],
  ] as const) {
    const { status, body } = await stranger.send(method, `/api/integration/${path}`);
    expect([path, status, body.code]).toEqual([path, 404, 'PANEL_001']);
  }
  expect((await placeOrder({ 'x-api-key': key.apiKey })).status).toBe(201);
});

test('an operator who acts as the restaurant is named in the audit log', async () => {
  const operator = await signInAs(service, 'operator');
  await operator.send('POST', '/api/operator/impersonation', { restaurantId: restaurant.id });
  expect((await operator.send('POST', '/api/integration/basic-credentials')).status).toBe(201);
  const [entry] = await listAuditEntries(service.app.db, restaurant.id, 1);
  expect(entry).toMatchObject({
    action: 'basic_credential.created',
    actor: `${operator.login.email} (operator) as restaurant`,
  });
});
