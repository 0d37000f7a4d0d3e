import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, signInAs, type Browser } from '../../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../../harness/service/service.ts';
import { createWebhookSecret } from '../../../actions/webhooks/create-webhook-secret.ts';
import { switchIntegration } from '../../../actions/restaurants/switch-integration.ts';
import { webhookHealth } from '../../../contract/panel/webhooks/health.ts';
import { figuresAnswer, logAnswer, webhookDetail, type LogEntry } from '../../../contract/panel/webhooks/webhooks.ts';

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
let owner: Browser;
let staff: Browser;
let answer = 200;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver({ onRequest: () => ({ status: answer, body: '<b>hello</b>' }) });
  restaurant = await service.addRestaurant({ receiver, hasSecret: true });
  owner = await signInAs(service, 'owner', { restaurant });
  staff = await signInAs(service, 'staff', { restaurant });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

async function readLog(query = ''): Promise<LogEntry[]> {
  const { status, body } = await owner.get(`/api/webhooks${query}`);
  expect(status).toBe(200);
  return logAnswer.parse(body).entries;
}

/** Places an order, approves it, and waits until the attempt for the webhook is in the log. */
async function sendWebhook(orderId: string, outcome: string): Promise<LogEntry> {
  const placed = await service.post(restaurant, { orderId });
  const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
  await owner.send('POST', `/api/orders/${serviceOrderId}/commands`, { command: 'approve' });
  const read = () => readLog(`?order=${orderId}&outcome=${outcome}`);
  await expect.poll(read).toHaveLength(1);
  const [entry] = await read();
  if (entry === undefined) throw new Error('nothing in the log');
  return entry;
}

describe('GET /api/webhooks', () => {
  test('200: attempts newest first, filtered by outcome, endpoint, order and time', async () => {
    const delivered = await sendWebhook('log-1', 'delivered');
    answer = 500;
    const failed = await sendWebhook('log-2', 'failed');
    answer = 200;
    expect(delivered).toMatchObject({ endpoint: 'status', number: 1, status: 200, order: { orderId: 'log-1' } });
    expect(failed).toMatchObject({ outcome: 'failed', status: 500, errorClass: 'http_status' });
    expect((await readLog()).map(({ order }) => order?.orderId)).toEqual(['log-2', 'log-1']);
    expect((await readLog('?outcome=delivered')).map(({ order }) => order?.orderId)).toEqual(['log-1']);
    expect(await readLog('?endpoint=cancel')).toEqual([]);
    expect((await readLog(`?order=${failed.order?.orderNumber}`)).map(({ eventId }) => eventId)).toEqual([
      failed.eventId,
    ]);
    expect(await readLog(`?until=${encodeURIComponent(delivered.at)}`)).toEqual([]);
    expect(await readLog('?from=2099-01-01T00:00:00Z')).toEqual([]);
    expect(await readLog('?order=nobody')).toEqual([]);
    const [waiting] = await readLog('?outcome=waiting');
    expect(waiting).toMatchObject({ eventId: failed.eventId, outcome: 'waiting', number: 1, status: 500 });
    expect(Date.parse(waiting?.nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(failed.at));
  });

  test('200: held webhooks while the integration is off', async () => {
    const placed = await service.post(restaurant, { orderId: 'held-1' });
    const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
    const { id: restaurantId } = restaurant;
    await switchIntegration(service.app, { restaurantId, enabled: false, actor: { name: 'test' } });
    await owner.send('POST', `/api/orders/${serviceOrderId}/commands`, { command: 'approve' });
    await expect.poll(() => readLog('?outcome=held')).toHaveLength(1);
    expect((await readLog('?outcome=held'))[0]).toMatchObject({ order: { orderId: 'held-1' }, nextAttemptAt: null });
    await switchIntegration(service.app, { restaurantId, enabled: true, actor: { name: 'test' } });
    await expect.poll(() => readLog('?order=held-1&outcome=delivered')).toHaveLength(1);
  });

  test('200: no attempts of another restaurant', async () => {
    const other = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
    for (const query of ['', '?order=log-1', '?outcome=waiting', '?outcome=waiting&order=log-2']) {
      expect((await other.get(`/api/webhooks${query}`)).body.entries).toEqual([]);
    }
  });

  test.each(['outcome=lost', 'endpoint=other', 'from=yesterday', 'before=x', `order=${'a'.repeat(129)}`])(
    '422: %s',
    async (query) => {
      expect((await owner.get(`/api/webhooks?${query}`)).body.code).toBe('REQ_004');
    },
  );
});

describe('GET /api/webhooks/events/:eventId', () => {
  test('200: body, signed headers, response text and timings of every attempt', async () => {
    const { eventId } = await sendWebhook('detail-1', 'delivered');
    const { status, body } = await owner.get(`/api/webhooks/events/${eventId}`);
    expect(status).toBe(200);
    const detail = webhookDetail.parse(body);
    const signature = createHmac('sha256', restaurant.secret ?? '')
      .update(detail.delivery.body)
      .digest('hex');
    expect(detail.order.orderId).toBe('detail-1');
    expect(detail.url).toBe(receiver.url('/status'));
    expect(detail.attempts).toHaveLength(1);
    expect(detail.attempts[0]).toMatchObject({ status: 200, answer: '<b>hello</b>', url: receiver.url('/status') });
    expect(detail.attempts[0]?.headers['X-Service-Signature']).toBe(signature);
    expect(JSON.parse(detail.delivery.body)).toMatchObject({ orderId: 'detail-1', status: 'VALIDATED' });
  });

  test('404: an unknown event', async () => {
    const answered = await owner.get('/api/webhooks/events/0198c0de-0000-7000-8000-000000000000');
    expect([answered.status, answered.body.code]).toEqual([404, 'PANEL_001']);
  });
});

describe('POST /api/webhooks/events/:eventId/discard', () => {
  test('200 discards the delivery with a log and an audit entry; 409 when nothing is waiting', async () => {
    answer = 500;
    const { eventId } = await sendWebhook('discard-1', 'failed');
    answer = 200;
    const path = `/api/webhooks/events/${eventId}/discard`;
    expect((await owner.send('POST', path)).status).toBe(200);
    expect(await readLog('?order=discard-1&outcome=discarded')).toHaveLength(1);
    expect(await readLog('?order=discard-1&outcome=waiting')).toEqual([]);
    const again = await owner.send('POST', path);
    expect([again.status, again.body.code]).toEqual([409, 'WEBHOOK_008']);
    const audit = await service.app.db.query(
      `select action from audit_entries where restaurant_id = $1 and action = 'delivery.discarded'`,
      [restaurant.id],
    );
    expect(audit).toHaveLength(1);
  });

  test('403: staff', async () => {
    const path = '/api/webhooks/events/0198c0de-0000-7000-8000-000000000000/discard';
    expect((await staff.send('POST', path)).status).toBe(403);
  });
});

describe('/api/webhooks/failed', () => {
  test('200: a count first, then exactly those are resent', async () => {
    answer = 500;
    await sendWebhook('again-1', 'failed');
    await sendWebhook('again-2', 'failed');
    answer = 200;
    const since = new Date(Date.now() - 60_000).toISOString();
    const { body: counted } = await owner.get(`/api/webhooks/failed?since=${since}`);
    expect(counted.count).toBeGreaterThanOrEqual(2);
    expect((await owner.get('/api/webhooks/failed?since=2099-01-01T00:00:00Z')).body).toEqual({ count: 0 });
    const sent = await staff.send('POST', '/api/webhooks/failed', { since });
    expect([sent.status, sent.body]).toEqual([200, counted]);
    await expect.poll(() => readLog('?order=again-2&outcome=delivered')).toHaveLength(1);
    await expect.poll(() => readLog('?outcome=waiting')).toEqual([]);
  });

  test('422: without a time', async () => {
    expect((await owner.get('/api/webhooks/failed')).status).toBe(422);
    expect((await owner.send('POST', '/api/webhooks/failed', { since: 'now' })).status).toBe(422);
  });
});

describe('GET /api/webhooks/health', () => {
  test('200: since when an endpoint fails, its next attempt, and its recovery', async () => {
    const read = async () => webhookHealth.parse((await staff.get('/api/webhooks/health')).body);
    answer = 503;
    await sendWebhook('health-1', 'failed');
    await expect.poll(async () => (await read()).endpoints[0]?.failingSince, { timeout: 10_000 }).not.toBeNull();
    const failing = await read();
    expect(failing).toMatchObject({ isEnabled: true, hasSecret: true, hasPendingSecret: false });
    expect(failing.endpoints[0]).toMatchObject({ endpoint: 'status', url: receiver.url('/status'), waiting: 1 });
    expect(failing.endpoints[0]?.lastError).toContain('503');
    expect(Date.parse(failing.endpoints[0]?.nextAttemptAt ?? '')).toBeGreaterThan(Date.now());
    expect(failing.endpoints[1]).toMatchObject({ endpoint: 'cancel', failingSince: null, nextAttemptAt: null });
    answer = 200;
    await owner.send('POST', '/api/webhooks/failed', { since: new Date(Date.now() - 60_000).toISOString() });
    await expect.poll(async () => (await read()).endpoints[0]?.failingSince, { timeout: 10_000 }).toBeNull();
  });
});

describe('GET /api/webhooks/health after a change', () => {
  test('200: includes the change, even just after another request', async () => {
    const away = await service.addRestaurant({ receiver });
    const chef = await signInAs(service, 'owner', { restaurant: away });
    const readUrls = async () =>
      webhookHealth.parse((await chef.get('/api/webhooks/health')).body).endpoints.map(({ url }) => url);
    expect(await readUrls()).toEqual([receiver.url('/status'), receiver.url('/cancel')]);
    const urls = { status: receiver.url('/other'), cancel: null };
    expect((await chef.send('PUT', '/api/integration/webhook-urls', { ...urls, sendsHeld: true })).status).toBe(200);
    expect(await readUrls()).toEqual([receiver.url('/other'), null]);
  });
});

describe('GET /api/webhooks/figures', () => {
  test.each([
    ['24h', 24],
    ['7d', 28],
  ])('200: %s in %i spans', async (range, count) => {
    const figures = figuresAnswer.parse((await owner.get(`/api/webhooks/figures?range=${range}`)).body);
    expect(figures.buckets).toHaveLength(count);
    expect(figures.buckets.at(-1)?.delivered).toBeGreaterThan(0);
    expect(figures.buckets.at(-1)?.failed).toBeGreaterThan(0);
    expect(figures.buckets.at(-1)?.p95Ms).toBeGreaterThan(0);
    expect(figures.sampledFrom).toBeNull();
  });

  test('422: an unknown range', async () => {
    expect((await owner.get('/api/webhooks/figures?range=1y')).status).toBe(422);
  });
});

describe('POST /api/webhooks/signature', () => {
  const body = '{"event":"order.status_changed","orderId":"A-1"}';
  const ask = (request: object, browser = owner) => browser.send('POST', '/api/webhooks/signature', request);

  test('200: with the stored secret, which is never shown', async () => {
    const good = createHmac('sha256', restaurant.secret ?? '')
      .update(body)
      .digest('hex');
    const matching = await ask({ body, signature: good });
    expect([matching.status, matching.body]).toEqual([
      200,
      { expected: good, isMatch: true, differsAt: null, causes: [] },
    ]);
    const other = await ask({ body: `${body}\n`, signature: good });
    expect(other.body).toMatchObject({ isMatch: false, causes: ['newline-removed'] });
    expect(JSON.stringify(other.body)).not.toContain(restaurant.secret ?? '');
  });

  test('200: with an entered secret, and with the pending one', async () => {
    const typed = createHmac('sha256', 'mine').update(body).digest('hex');
    expect((await ask({ body, signature: typed, secret: 'mine' })).body.isMatch).toBe(true);
    const { id: restaurantId } = restaurant;
    const pending = await createWebhookSecret(service.app, { restaurantId, actor: { name: 'test' } });
    if (pending.kind === 'refused') throw new Error(pending.refusal.code);
    const early = createHmac('sha256', pending.secret).update(body).digest('hex');
    expect((await ask({ body, signature: early })).body.causes).toEqual(['pending-secret']);
  });

  test('409: there is no secret; 403: staff; 422: too long', async () => {
    const bare = await signInAs(service, 'owner', { restaurant: await service.addRestaurant() });
    expect((await ask({ body, signature: '' }, bare)).status).toBe(409);
    expect((await ask({ body, signature: '' }, staff)).status).toBe(403);
    expect((await ask({ body, signature: 'a'.repeat(501) })).status).toBe(422);
    expect((await ask({ body, signature: '' }, openBrowser(service.address))).status).toBe(401);
  });
});
