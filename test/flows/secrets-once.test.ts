// A secret is in the answer that makes it and nowhere afterwards: every answer, every log line and every table is
// searched for it.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PANEL_ROUTES } from '../../src/http/panel/routes.ts';
import { createPlatform } from '../../src/platform.ts';
import { signInAs, type Browser } from '../helpers/panel.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../helpers/service.ts';

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
const people: Browser[] = [];
const logLines: string[] = [];
/** By what it is. */
const secrets = new Map<string, string>();
/** Not secret, so the search has to find them: it would find a secret too. */
const known = { username: '', prefix: '' };
const ids = new Map<string, string>();

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
  service = await startService({ platform: createPlatform(log) });
  receiver = await startReceiver();
  restaurant = await service.addRestaurant({ autoApprove: true });
  const owner = await signInAs(service, 'owner', { restaurant });
  people.push(owner, await signInAs(service, 'staff', { restaurant }), await signInAs(service, 'operator'));
  await createSecrets(owner);
  await useSecrets(owner);
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

async function createSecrets(owner: Browser): Promise<void> {
  const create = async (what: string, body: object = {}) => {
    const answer = await owner.send('POST', `/api/integration/${what}`, body);
    expect([what, answer.status]).toEqual([what, 201]);
    return answer.body;
  };
  const key = await create('api-keys', { lifetimeDays: 90 });
  const revoked = await create('api-keys', { lifetimeDays: null });
  const basic = await create('basic-credentials');
  const active = await create('webhook-secrets');
  const pending = await create('webhook-secrets');
  secrets.set('API key', key.apiKey);
  secrets.set('revoked API key', revoked.apiKey);
  secrets.set('Basic password', basic.password);
  secrets.set('active webhook secret', active.secret);
  secrets.set('pending webhook secret', pending.secret);
  Object.assign(known, { username: basic.username, prefix: key.apiKey.slice(0, 12) });
  await owner.send('DELETE', `/api/integration/api-keys/${revoked.keyId}`);
  ids.set('keyId', key.keyId).set('credentialId', basic.credentialId).set('secretId', pending.secretId);
}

/** Everything that handles secrets has to have handled them before it is searched. */
async function useSecrets(owner: Browser): Promise<void> {
  const url = receiver.url();
  await owner.send('PUT', '/api/integration/webhook-urls', { status: url, cancel: url });
  await owner.send('PUT', '/api/integration/delivery-metadata', { isOn: true });
  for (const signedWith of ['active', 'pending']) {
    const check = await owner.send('POST', '/api/integration/webhook-check', { endpoint: 'status', url, signedWith });
    expect(check.body.test.ok).toBe(true);
    expectNoSecret('POST /api/integration/webhook-check', JSON.stringify(check.body));
  }
  const basic = Buffer.from(`${known.username}:${secrets.get('Basic password')}`).toString('base64');
  for (const headers of [
    { 'x-api-key': secrets.get('API key') ?? '' },
    { 'x-api-key': secrets.get('revoked API key') ?? '' },
    { authorization: `Basic ${basic}` },
    { authorization: `Basic ${basic}`, 'x-api-key': secrets.get('API key') ?? '' },
  ]) {
    const answer = await fetch(`${service.address}/webhook/third-party/order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ orderId: randomUUID(), restaurantId: restaurant.restaurantId }),
    });
    const text = await answer.text();
    expectNoSecret('POST order', text);
    if (answer.status === 201) ids.set('orderId', JSON.parse(text).serviceOrderId);
  }
  await receiver.waitFor((requests) => requests.length === 4);
  const [attempt] = await vi.waitFor(async () => {
    const rows = await service.app.db.query<{ event_id: string }>('select event_id from attempts');
    expect(rows.length).toBe(2);
    return rows;
  });
  ids.set('eventId', attempt?.event_id ?? '');
  ids.set('restaurantId', restaurant.id);
}

function expectNoSecret(place: string, text: string): void {
  for (const [what, secret] of secrets) {
    const bytes = Buffer.from(secret);
    for (const form of [secret, bytes.toString('hex'), bytes.toString('base64'), JSON.stringify(secret).slice(1, -1)]) {
      expect(text.includes(form), `${place} holds the ${what}`).toBe(false);
    }
  }
}

/** A stream is read until it has said something. */
async function readAnswer(path: string, browser: Browser): Promise<string> {
  const answer = await fetch(`${service.address}${path}`, { headers: { cookie: browser.cookieHeader() } });
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? []).toString();
}

const READING = PANEL_ROUTES.filter(({ method }) => method === 'GET').map(({ url, sample }) => ({ url, sample }));

test.each(READING)('no answer of $url holds a secret, whoever asks', async ({ url, sample }) => {
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => ids.get(name) ?? sample.params?.[name] ?? randomUUID());
  const query = new URLSearchParams(sample.query).toString();
  for (const browser of people)
    expectNoSecret(url, await readAnswer(query === '' ? path : `${path}?${query}`, browser));
});

test.each(['/metrics', '/openapi.json', '/docs', `/webhook/third-party/events`])('neither does %s', async (path) => {
  const answer = await fetch(`${service.address}${path}`, { headers: { 'x-api-key': secrets.get('API key') ?? '' } });
  expect(answer.status).toBe(200);
  expectNoSecret(path, await answer.text());
});

test('the list of credentials is among the answers, and tells what is not secret', async () => {
  expect(READING.map(({ url }) => url)).toContain('/api/integration');
  const text = JSON.stringify((await people[0]?.get('/api/integration'))?.body);
  expect(text).toContain(known.username);
  expect(text).toContain(known.prefix);
});

test('no line of the log holds a secret', () => {
  expect(logLines.length).toBeGreaterThan(5);
  expect(logLines.join('')).toContain('endpoint.checked');
  expectNoSecret('the log', logLines.join(''));
});

test('no table holds a secret, the audit log included', async () => {
  const tables = await service.app.db.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const dump: string[] = [];
  for (const { name } of tables) {
    const rows = await service.app.db.query<{ row: string }>(`select t::text as row from ${name} t`);
    const text = rows.map(({ row }) => row).join('\n');
    expectNoSecret(`the table ${name}`, text);
    dump.push(text);
  }
  const whole = dump.join('\n');
  expect(whole).toContain(known.username);
  expect(whole).toContain('webhook_secret.created');
});
