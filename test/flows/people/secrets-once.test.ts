// A secret appears only in the answer that creates it: every answer, every log line and every table is searched for
// secrets.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PANEL_ROUTES } from '../../../src/http/panel-routes.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { createPlatform } from '../../../src/platform.ts';
import {
  openBrowser,
  readBase32,
  signInAs,
  totpCode,
  type Browser,
  type Login,
} from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { SEALED_IN } from '../../../src/secrets/vault.ts';

const PATIENCE = { timeout: 20_000 };

let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
type Person = Browser & { login: Login };
const people: Person[] = [];
const logLines: string[] = [];
/** Keyed by a description of the secret. */
const secrets = new Map<string, string>();
/** Not secret. The search must find these, which shows that it would also find a secret. */
const known = { username: '', prefix: '' };
const ids = new Map<string, string>();

beforeAll(async () => {
  const log = createLog((line) => void logLines.push(line));
  service = await startService({ platform: createPlatform(log) });
  receiver = await startReceiver();
  restaurant = await service.addRestaurant({ autoApprove: true });
  const owner = await signInAs(service, 'owner', { restaurant });
  const operator = await signInAs(service, 'operator');
  const courier = await service.addCourier('Carrier');
  people.push(owner, await signInAs(service, 'staff', { restaurant }), operator);
  people.push(await signInAs(service, 'courier', { courier }));
  ids.set('courierId', courier);
  await createSecrets(owner);
  await useSecrets(owner);
  await guardAccount(owner);
  await handOverAccounts(owner, operator);
  for (const person of people) rememberSignIn(person);
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

/** Uses every part of the service that handles secrets, before the search. */
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
    const rows = await service.app.db.query<{ eventId: string }>('select event_id from attempts');
    expect(rows.length).toBe(2);
    return rows;
  }, PATIENCE);
  ids.set('eventId', attempt?.eventId ?? '');
  ids.set('restaurantId', restaurant.id);
}

/** Sets up a second factor with its codes: created, renewed, and one of each kind used. */
async function guardAccount({ login, send }: Person): Promise<void> {
  const { password } = login;
  const made = await send('POST', '/api/session/two-factor', { password });
  expect(made.status).toBe(200);
  secrets.set('key of the second factor', made.body.secret);
  secrets.set('key of the second factor as it is kept', readBase32(made.body.secret).toString());
  await useAccountRoute(send, '/api/session/two-factor/confirm', { code: totpCode(made.body.secret) });
  const renewed = await send('POST', '/api/session/two-factor/backup-codes', { password });
  expect(renewed.body.backupCodes.length).toBeGreaterThan(5);
  for (const [index, code] of [...made.body.backupCodes, ...renewed.body.backupCodes].entries()) {
    secrets.set(`backup code ${index}`, code);
  }
  for (const code of [totpCode(made.body.secret), renewed.body.backupCodes[0]]) {
    const elsewhere = openBrowser(service.address);
    expect((await elsewhere.signIn(login)).body.next).toBe('second-factor');
    secrets.set('cookie of somebody half way in', elsewhere.cookies.get('__Host-waybill_second_factor') ?? '');
    await useAccountRoute(elsewhere.send, '/api/session/second-factor', { code });
  }
}

/** Invites people, including a courier, and resets a forgotten password. */
async function handOverAccounts(owner: Person, operator: Person): Promise<void> {
  const invite = async (by: Person, path: string, body: object): Promise<Login> => {
    const { status, body: invited } = await by.send('POST', path, body);
    expect([path, status]).toEqual([path, 201]);
    return openLink(invited.invitationLink, invited.member?.email ?? invited.email);
  };
  const member = { email: 'invited@example.com', name: 'Ina', role: 'staff' };
  await invite(owner, '/api/team', member);
  const courierId = ids.get('courierId');
  const rider = { email: 'rider@example.com', name: 'Rita', role: 'courier', courierId };
  const login = await invite(operator, '/api/operator/users', rider);
  const client = openBrowser(service.address);
  await useAccountRoute(client.send, '/api/password-reset', { email: login.email });
  const [mail] = await vi.waitFor(async () => {
    const rows = await service.app.db.query<{ id: string; sealedBody: Buffer }>(
      `select id, sealed_body from mail_outbox where to_address = $1 and subject like '%password%'`,
      [login.email],
    );
    expect(rows.length).toBe(1);
    return rows;
  }, PATIENCE);
  const text = service.app.vault.open(mail?.sealedBody ?? Buffer.alloc(0), SEALED_IN.mailBody(mail?.id ?? ''));
  const link = text.split('\n').find((line) => line.includes('#'));
  people.push(await signInWith(await openLink(link ?? '', login.email)));
}

/** Follows a link from a mail: sets the password, after which the link is no longer valid. */
async function openLink(link: string, email: string): Promise<Login> {
  const token = link.slice(link.indexOf('#') + 1);
  expect(token.length).toBeGreaterThan(40);
  const password = `chosen ${randomUUID()}`;
  secrets.set(`link for ${email} to ${link.slice(0, link.indexOf('#'))}`, token);
  secrets.set(`password of ${email} by ${link.slice(0, link.indexOf('#'))}`, password);
  const { send } = openBrowser(service.address);
  await useAccountRoute(send, '/api/account-link', { token });
  await useAccountRoute(send, '/api/account-link/password', { token, password, name: 'Rita' });
  expect((await send('POST', '/api/account-link', { token })).status).toBe(403);
  return { email, password, userId: '' };
}

async function useAccountRoute(send: Browser['send'], path: string, body: object): Promise<void> {
  const answer = await send('POST', path, body);
  expect([path, answer.status]).toEqual([path, 200]);
  expectNoSecret(path, JSON.stringify(answer.body));
}

async function signInWith(login: Login): Promise<Person> {
  const browser = openBrowser(service.address);
  expect((await browser.signIn(login)).body.next).toBe('done');
  return { ...browser, login };
}

/** The signed cookie opens a session; its part before the signature is an ID that the database stores. */
function rememberSignIn({ login, cookies }: Person): void {
  secrets.set(`password of ${login.email}`, login.password);
  for (const [name, value] of cookies) {
    const decoded = decodeURIComponent(value);
    secrets.set(`cookie ${name} of ${login.email}`, decoded);
    secrets.set(`signature of ${name} of ${login.email}`, decoded.slice(decoded.lastIndexOf('.') + 1));
  }
}

function expectNoSecret(place: string, text: string): void {
  const found = [...secrets].filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)));
  expect({ place, found: found.map(([what]) => what) }).toEqual({ place, found: [] });
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // The last form is how a log prints bytes that were not converted to text.
  const numbers = [...bytes].join(',');
  return [secret, bytes.toString('hex'), bytes.toString('base64'), JSON.stringify(secret).slice(1, -1), numbers];
}

/** Reads only the first message of a stream. */
async function readAnswer(path: string, browser: Browser): Promise<string> {
  const answer = await fetch(`${service.address}${path}`, { headers: { cookie: browser.cookieHeader() } });
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? []).toString();
}

const READING = PANEL_ROUTES.filter(({ method }) => method === 'GET').map(({ url, sample }) => ({ url, sample }));

test.each(READING)('no answer of $url contains a secret, for any user', async ({ url, sample }) => {
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => ids.get(name) ?? sample.params?.[name] ?? randomUUID());
  const query = new URLSearchParams(sample.query).toString();
  for (const browser of people)
    expectNoSecret(url, await readAnswer(query === '' ? path : `${path}?${query}`, browser));
});

test.each(['/metrics', '/openapi.json', '/docs', `/webhook/third-party/events`])(
  '%s contains no secret',
  async (path) => {
    const answer = await fetch(`${service.address}${path}`, { headers: { 'x-api-key': secrets.get('API key') ?? '' } });
    expect(answer.status).toBe(200);
    expectNoSecret(path, await answer.text());
  },
);

test('control: the credentials list is among the answers and shows their public parts', async () => {
  expect(READING.map(({ url }) => url)).toContain('/api/integration');
  const text = JSON.stringify((await people[0]?.get('/api/integration'))?.body);
  expect(text).toContain(known.username);
  expect(text).toContain(known.prefix);
});

test('session data from the database does not open a session', async () => {
  const rows = await service.app.db.query<{ token: string }>('select token from sessions');
  expect(rows.length).toBeGreaterThan(4);
  for (const { token } of rows) {
    for (const value of [token, `${token}.`, `${token}.${Buffer.alloc(32).toString('base64')}`]) {
      const cookie = `__Host-waybill_session=${encodeURIComponent(value)}`;
      const answer = await fetch(`${service.address}/api/session`, { headers: { cookie } });
      expect(((await answer.json()) as { session: unknown }).session).toBeNull();
    }
  }
});

test('no log line contains a secret', () => {
  expect(logLines.length).toBeGreaterThan(5);
  expect(logLines.join('')).toContain('endpoint.checked');
  expectNoSecret('the log', logLines.join(''));
});

test('no table contains a secret, including the audit log', async () => {
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
  expect(whole).toContain('user.two_factor_enabled');
  expect([...secrets.keys()].length).toBeGreaterThan(30);
});
