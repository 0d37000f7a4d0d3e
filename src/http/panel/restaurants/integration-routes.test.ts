// Settings, Integration: switches, URLs and the live check.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { signInAs, type Browser, type Login } from '../../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { createAuthority } from '../../../robots/certificates.ts';
import { listAuditEntries } from '../../../store/people/audit-log.ts';
import { CHECKS_PER_MINUTE } from '../check-limit.ts';

let service: TestService;
let restaurant: TestRestaurant;
let owner: Browser & { login: Login };
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  restaurant = await service.addRestaurant({ autoApprove: true, rateLimitPerMinute: 20 });
  owner = await signInAs(service, 'owner', { restaurant });
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

async function look() {
  const { status, body } = await owner.get('/api/integration');
  expect(status).toBe(200);
  return body;
}

async function listChanges() {
  const entries = await listAuditEntries(service.app.db, restaurant.id, 50);
  return entries.filter(({ actor }) => actor === owner.login.email).map(({ action, detail }) => [action, detail]);
}

const setUrls = (body: object) => owner.send('PUT', '/api/integration/webhook-urls', body);
const setEnabled = (body: object) => owner.send('PUT', '/api/integration/enabled', body);
const check = (body: object) => owner.send('POST', '/api/integration/webhook-check', body);
const createSecret = async (): Promise<{ secretId: string; secret: string }> =>
  (await owner.send('POST', '/api/integration/webhook-secrets')).body;

test('a new restaurant has no URLs and no secret, and its usage in the current minute is counted', async () => {
  const empty = { url: null, failingSince: null, lastSuccessAt: null, lastError: null, heldCount: 0 };
  expect(await look()).toMatchObject({
    restaurantId: restaurant.restaurantId,
    isEnabled: true,
    hasDeliveryMetadata: false,
    rate: { limitPerMinute: 20, used: 0, windowEndsAt: null },
    endpoints: { status: empty, cancel: empty },
    apiKeys: [{ state: 'good', environment: 'live' }],
    basicCredentials: [],
    webhookSecrets: [],
  });
  await service.post(restaurant, { orderId: 'a' });
  await service.post(restaurant, { orderId: 'b' });
  const { rate } = await look();
  expect(rate).toMatchObject({ limitPerMinute: 20, used: 2 });
  expect(Date.parse(rate.windowEndsAt)).toBeGreaterThan(Date.now());
});

test('staff can read everything', async () => {
  const staff = await signInAs(service, 'staff', { restaurant });
  expect((await staff.get('/api/integration')).body).toEqual(await look());
});

test('URLs are stored normalized, changed and removed one by one, each with an audit entry', async () => {
  const { hostname, port } = new URL(receiver.url());
  expect((await setUrls({ status: `HTTPS://${hostname.toUpperCase()}:${port}/a/../b?token=s3cret` })).status).toBe(200);
  const { endpoints } = await look();
  expect(endpoints.status.url).toBe(`https://${hostname}:${port}/b?token=s3cret`);
  expect(endpoints.cancel.url).toBeNull();
  await setUrls({ status: null, cancel: receiver.url('/cancel') });
  const after = await look();
  expect([after.endpoints.status.url, after.endpoints.cancel.url]).toEqual([null, receiver.url('/cancel')]);
  const { origin } = new URL(receiver.url());
  expect(await listChanges()).toEqual([
    ['webhook_url.set', { endpoint: 'cancel', origin }],
    ['webhook_url.removed', { endpoint: 'status', origin: null }],
    ['webhook_url.set', { endpoint: 'status', origin }],
  ]);
});

test.each([
  ['http://hooks.example.com/', 'https'],
  ['https://127.0.0.1/', 'IP address'],
  ['https://user:password@hooks.example.com/', 'password'],
  ['https://hooks.example.com/#here', 'fragment'],
  ['https://hooks.example.com:22/', 'port'],
  ['nonsense', 'not a valid URL'],
])('%s is refused with its field, saved or checked, and changes nothing', async (url, reason) => {
  const saved = await setUrls({ cancel: url });
  expect(saved.status).toBe(422);
  expect(saved.body.details).toEqual([{ field: 'cancel', message: expect.stringContaining(reason) }]);
  const checked = await check({ endpoint: 'cancel', url });
  expect(checked.status).toBe(422);
  expect(checked.body.details).toEqual([{ field: 'url', message: expect.stringContaining(reason) }]);
  expect(await listChanges()).toEqual([]);
});

test('held webhooks are sent to a new URL only after confirmation', async () => {
  await service.post(restaurant, { orderId: 'held-1' });
  await service.post(restaurant, { orderId: 'held-2' });
  expect((await look()).endpoints.status.heldCount).toBe(2);
  const asked = await setUrls({ status: receiver.url() });
  expect([asked.status, asked.body.code]).toEqual([409, 'WEBHOOK_009']);
  expect(asked.body.message).toContain('held webhooks (2)');
  expect((await look()).endpoints.status.url).toBeNull();
  // The other endpoint has no held webhooks, so no confirmation is needed.
  expect((await setUrls({ cancel: receiver.url('/cancel') })).body).toEqual({ released: 0 });
  expect((await setUrls({ status: receiver.url(), sendsHeld: true })).body).toEqual({ released: 2 });
  await receiver.waitFor((requests) => requests.length === 2);
});

test('disabling refuses orders and holds webhooks; enabling asks before sending them', async () => {
  await setUrls({ status: receiver.url() });
  const order = await service.post(restaurant, { orderId: 'a' });
  const { serviceOrderId } = (await order.json()) as { serviceOrderId: string };
  await receiver.waitFor((requests) => requests.length === 1);
  expect((await setEnabled({ isEnabled: false })).body).toEqual({ released: 0 });
  const read = () =>
    fetch(`${service.address}/webhook/third-party/order/a`, { headers: { 'x-api-key': restaurant.apiKey } });
  await expect.poll(async () => (await read()).status).toBe(403);
  expect((await service.post(restaurant, { orderId: 'b' })).status).toBe(403);
  await service.app.changer.change({
    scope: 'everything',
    orderId: serviceOrderId,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });
  expect((await look()).endpoints.status.heldCount).toBe(1);
  expect((await setEnabled({ isEnabled: true })).body).toMatchObject({ code: 'WEBHOOK_009' });
  expect((await look()).isEnabled).toBe(false);
  expect((await setEnabled({ isEnabled: true, sendsHeld: true })).body).toEqual({ released: 1 });
  await receiver.waitFor((requests) => requests.length === 2);
  expect((await listChanges()).map(([action]) => action)).toEqual([
    'integration.enabled',
    'integration.disabled',
    'webhook_url.set',
  ]);
});

test('a URL saved while the integration is off sends nothing and needs no confirmation', async () => {
  await service.post(restaurant, { orderId: 'held' });
  await setEnabled({ isEnabled: false });
  expect((await setUrls({ status: receiver.url() })).body).toEqual({ released: 0 });
  expect((await look()).endpoints.status.heldCount).toBe(1);
});

test('delivery metadata can be enabled and disabled, with an audit entry', async () => {
  expect((await owner.send('PUT', '/api/integration/delivery-metadata', { isOn: true })).status).toBe(200);
  expect((await look()).hasDeliveryMetadata).toBe(true);
  await check({ endpoint: 'status', url: receiver.url() });
  expect(receiver.requests[0]?.headers).toMatchObject({ 'x-waybill-attempt': '1', 'x-waybill-sequence': '0' });
  expect(await listChanges()).toEqual([['restaurant.changed', { deliveryMetadata: true }]]);
});

test('the check shows address, certificates and the answer to a signed event, and stores nothing', async () => {
  const { secret } = await createSecret();
  await receiver.close();
  receiver = await startReceiver({ secret, onRequest: () => ({ status: 202, body: '<b>ok</b>' }) });
  const { status, body } = await check({ endpoint: 'status', url: receiver.url('/status') });
  expect(status).toBe(200);
  expect(body.inspection).toMatchObject({
    ok: true,
    errorText: null,
    remoteAddress: '127.0.0.1',
    isPrivateAddress: true,
    tlsVersion: 'TLSv1.3',
  });
  expect(body.inspection.certificates[0].daysLeft).toBeGreaterThan(0);
  expect(body.inspection.certificates.at(-1).subject).toBe('Waybill test authority');
  expect(body.test).toMatchObject({ ok: true, status: 202, answer: '<b>ok</b>', signedWith: 'active' });
  const [request] = receiver.requests;
  expect(request?.isSignatureValid).toBe(true);
  expect(request?.body.toString()).toBe(body.test.sentBody);
  expect(JSON.parse(body.test.sentBody)).toMatchObject({
    orderId: expect.stringMatching(/^waybill-test-/),
    serviceOrderId: '00000000-0000-0000-0000-000000000000',
  });
  for (const table of ['events', 'deliveries', 'attempts', 'orders']) {
    const rows = await service.app.db.query(`select 1 from ${table} where restaurant_id = $1`, [restaurant.id]);
    expect([table, rows.length]).toEqual([table, 0]);
  }
});

test('without a secret the check sends unsigned; it can sign with a pending one on request', async () => {
  const unsigned = await check({ endpoint: 'cancel', url: receiver.url() });
  expect(unsigned.body.test.signedWith).toBeNull();
  expect(receiver.requests[0]?.headers['x-service-signature']).toBeUndefined();
  await createSecret();
  expect((await check({ endpoint: 'cancel', url: receiver.url(), signedWith: 'pending' })).status).toBe(409);
  const { secret } = await createSecret();
  const pending = await check({ endpoint: 'cancel', url: receiver.url(), signedWith: 'pending' });
  expect(pending.body.test.signedWith).toBe('pending');
  const { signBody } = await import('../../../webhooks/client/sign.ts');
  const [, sent] = receiver.requests;
  expect(sent?.headers['x-service-signature']).toBe(signBody(sent?.body ?? '', secret));
});

test('an untrusted receiver shows why, gets no request, and can still be saved', async () => {
  const stranger = await startReceiver({ authority: await createAuthority('Nobody', { now: Date.now() }) });
  try {
    const { body } = await check({ endpoint: 'status', url: stranger.url() });
    expect(body.inspection).toMatchObject({
      ok: false,
      failedAt: 'certificate',
      remoteAddress: '127.0.0.1',
      certificates: [{ subject: 'localhost', issuer: 'Nobody', names: ['localhost'], faults: ['issuer'] }],
    });
    expect(body.inspection.errorText).toContain('certificate');
    expect(body.test).toBeNull();
    expect(stranger.requests).toEqual([]);
    expect((await setUrls({ status: stranger.url() })).status).toBe(200);
  } finally {
    await stranger.close();
  }
});

test('a check that fails reports the step where it failed', async () => {
  const gone = await startReceiver();
  await gone.close();
  const unreached = await check({ endpoint: 'status', url: gone.url() });
  expect(unreached.body).toMatchObject({
    inspection: { ok: false, failedAt: 'connection', remoteAddress: '127.0.0.1', connectMs: null },
    test: null,
  });
  const unknown = await check({ endpoint: 'status', url: 'https://nobody-is-there.invalid/status' });
  expect(unknown.body).toMatchObject({ inspection: { ok: false, failedAt: 'name', remoteAddress: null }, test: null });
  const { body } = await check({ endpoint: 'status', url: receiver.url() });
  expect(body.inspection).toMatchObject({ ok: true, failedAt: null });
});

test('a receiver that answers with an error counts as reached, and its answer is shown', async () => {
  await receiver.close();
  receiver = await startReceiver({ onRequest: () => ({ status: 404, body: 'no such order' }) });
  const { body } = await check({ endpoint: 'status', url: receiver.url() });
  expect(body.inspection.ok).toBe(true);
  expect(body.test).toMatchObject({ ok: false, status: 404, answer: 'no such order' });
});

test('checks are limited per restaurant', async () => {
  const request = { endpoint: 'status', url: receiver.url() };
  for (let count = 0; count < CHECKS_PER_MINUTE; count += 1) expect((await check(request)).status).toBe(200);
  const refused = await check(request);
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_001']);
  expect(receiver.requests.length).toBe(CHECKS_PER_MINUTE);
  const other = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
  expect((await other.send('POST', '/api/integration/webhook-check', request)).status).toBe(200);
});
