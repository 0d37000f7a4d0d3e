import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createApiKey } from '../../actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../../actions/restaurants/create-basic-credential.ts';
import { revokeApiKey } from '../../actions/restaurants/revoke-api-key.ts';
import { insertApiKey, insertBasicCredential } from '../../store/restaurants/credentials.ts';
import { generateApiKey } from '../../secrets/vault.ts';
import { readBasic } from './authenticate.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

async function ask(headers: [string, string][]): Promise<{ status: number; code: string; body: unknown }> {
  const answer = await fetch(`${service.address}/webhook/third-party/events`, { headers: new Headers(headers) });
  const body = (await answer.json()) as { code: string };
  return { status: answer.status, code: body.code, body };
}

function basic(text: string): [string, string] {
  return ['Authorization', `Basic ${Buffer.from(text).toString('base64')}`];
}

async function insertKey(environment: 'live' | 'test', expiresAt: number | null): Promise<string> {
  const { app } = service;
  const { apiKey, prefix } = generateApiKey(environment, app.randomBytes);
  await insertApiKey(app.db, {
    id: app.newId(),
    restaurantId: restaurant.id,
    keyHash: app.vault.credentialHash(apiKey),
    prefix,
    environment,
    createdAt: 0,
    expiresAt,
  });
  return apiKey;
}

test('200: an API key is accepted in a header of any case', async () => {
  expect(await ask([['X-API-Key', restaurant.apiKey]])).toMatchObject({ status: 200 });
  expect(await ask([['x-Api-keY', restaurant.apiKey]])).toMatchObject({ status: 200 });
});

test('200: Basic credentials are accepted, even with a colon in the password', async () => {
  const created = await createBasicCredential(service.app, {
    restaurantId: restaurant.id,
    actor: { name: 'test' },
  });
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  expect(await ask([basic(`${created.username}:${created.password}`)])).toMatchObject({ status: 200 });
  const { app } = service;
  await insertBasicCredential(app.db, {
    id: app.newId(),
    restaurantId: restaurant.id,
    username: 'colons',
    passwordHash: app.vault.credentialHash('a:b::ü'),
    createdAt: 0,
  });
  expect(await ask([basic('colons:a:b::ü')])).toMatchObject({ status: 200 });
  expect(await ask([basic('colons:a:b:')])).toMatchObject({ status: 401, code: 'AUTH_002' });
});

test('401 AUTH_001: the body follows the contract', async () => {
  expect((await ask([['X-API-Key', `wb_live_${'x'.repeat(43)}`]])).body).toEqual({
    error: 'Authentication failed',
    message: 'Invalid API key',
    code: 'AUTH_001',
    requestId: expect.any(String),
  });
});

test.each([
  ['empty', ''],
  ['of another kind', 'sk_live_4242'],
  ['unknown', `wb_live_${'0'.repeat(43)}`],
  ['with a blank in it', `wb_live_${'0'.repeat(20)} ${'0'.repeat(22)}`],
  ['with SQL in it', `wb_live_' or 1=1 --`],
  ['of 10,000 characters', `wb_live_${'0'.repeat(10_000)}`],
])('401 AUTH_001: a key that is %s', async (_, key) => {
  expect(await ask([['X-API-Key', key]])).toMatchObject({ status: 401, code: 'AUTH_001' });
});

test('401 AUTH_001: a valid key with characters added or missing', async () => {
  const { apiKey } = restaurant;
  for (const key of [apiKey.slice(0, -1), `${apiKey}0`, apiKey.toLowerCase(), `${apiKey},${apiKey}`]) {
    expect(await ask([['X-API-Key', key]])).toMatchObject({ status: 401, code: 'AUTH_001' });
  }
});

test('401 AUTH_001: a key for the other environment', async () => {
  const live = await insertKey('live', null);
  const other = await insertKey('test', null);
  expect(await ask([['X-API-Key', live]])).toMatchObject({ status: 200 });
  expect(await ask([['X-API-Key', other]])).toMatchObject({ status: 401, code: 'AUTH_001' });
});

test('401 AUTH_001: a revoked key is refused at once, and another key of the restaurant still works', async () => {
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const created = await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  expect(await ask([['X-API-Key', created.apiKey]])).toMatchObject({ status: 200 });
  await revokeApiKey(service.app, { keyId: created.keyId, scope: 'everything', actor: { name: 'test' } });
  const status = async () => (await ask([['X-API-Key', created.apiKey]])).status;
  // Sooner than the cached entry would have expired anyway.
  await expect.poll(status, { timeout: 2_500, interval: 10 }).toBe(401);
  expect(await ask([['X-API-Key', restaurant.apiKey]])).toMatchObject({ status: 200 });
});

test('403 AUTH_011: an expired key', async () => {
  const now = service.app.clock.now();
  expect(await ask([['X-API-Key', await insertKey('live', now + 60_000)]])).toMatchObject({ status: 200 });
  const expired = await ask([['X-API-Key', await insertKey('live', now)]]);
  expect(expired).toMatchObject({ status: 403, code: 'AUTH_011', body: { error: 'API key expired' } });
});

test.each([
  ['empty', ''],
  ['of another scheme', 'Bearer abc'],
  ['without anything', 'Basic'],
  ['of a wrong user', basic('nobody:secret')[1]],
  ['without a colon', basic('nobody')[1]],
  ['without a user', basic(':secret')[1]],
  ['with NUL in the user', basic('no\0body:secret')[1]],
  ['that is no base64', 'Basic ***'],
  ['in base64 with blanks', `Basic ${Buffer.from('a:b').toString('base64')} x`],
  ['in base64url', `Basic ${Buffer.from('ÿÿ:>>>???').toString('base64url')}`],
  ['without padding', 'Basic YTpiYw'],
  ['in no UTF-8', `Basic ${Buffer.from([0x61, 0xff, 0x3a, 0x62]).toString('base64')}`],
  ['of 10,000 characters', basic(`a:${'b'.repeat(7_500)}`)[1]],
])('401 AUTH_002: Authorization %s', async (_, value) => {
  expect(await ask([['Authorization', value]])).toMatchObject({ status: 401, code: 'AUTH_002' });
});

test('401 AUTH_003: no credentials, with an HTTP challenge', async () => {
  const answer = await fetch(`${service.address}/webhook/third-party/events`);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('Basic');
  expect(await answer.json()).toMatchObject({ error: 'Authentication failed', code: 'AUTH_003' });
});

test('401 AUTH_004: both schemes at once, even if each is valid', async () => {
  const both: [string, string][] = [['X-API-Key', restaurant.apiKey], basic('colons:a:b::ü')];
  expect(await ask(both)).toMatchObject({ status: 401, code: 'AUTH_004' });
});

test('the first colon separates user and password', () => {
  const read = (text: string) => readBasic(basic(text)[1]);
  expect(read('u:p:q')).toEqual({ username: 'u', password: 'p:q' });
  // Refuse missing padding and nonzero unused bits: a password must have exactly one encoding.
  expect(readBasic('Basic YTpiYw==')).toEqual({ username: 'a', password: 'bc' });
  for (const text of ['YTpiYw', 'YTpiYx==', 'YTpi Yw==']) expect(readBasic(`Basic ${text}`)).toBeUndefined();
  expect(read('u:')).toEqual({ username: 'u', password: '' });
  expect(readBasic(`bAsIc   ${Buffer.from('u:p').toString('base64')}`)).toEqual({ username: 'u', password: 'p' });
});
