// Restaurants, credentials, secrets and URLs: what each change promises.
import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
import type { Scope } from '../domain/people/scope.ts';
import type { Instant } from '../domain/time.ts';
import { createPlatform } from '../platform.ts';
import { verifyPassword } from '../secrets/passwords.ts';
import { listAuditEntries } from '../store/people/audit-log.ts';
import {
  findCredentialByKeyHash,
  findCredentialByUsername,
  touchCredentials,
} from '../store/restaurants/credentials.ts';
import { listApiKeys } from '../store/restaurants/credential-lists.ts';
import { openDatabase } from '../store/database/database.ts';
import { listEndpoints, listEndpointTargets, listWebhookSecrets, openSecret } from '../store/webhooks/endpoints.ts';
import { findRestaurantByProviderId } from '../store/restaurants/restaurants.ts';
import { createVault } from '../secrets/vault.ts';
import { addCourier } from './couriers/add-courier.ts';
import { addRestaurant } from './restaurants/add-restaurant.ts';
import { addUser } from './people/add-user.ts';
import type { AdministrationDeps } from './administration.ts';
import { changeRestaurant } from './restaurants/change-restaurant.ts';
import { checkMasterKey } from './upkeep/check-master-key.ts';
import { createApiKey } from './restaurants/create-api-key.ts';
import { createBasicCredential } from './restaurants/create-basic-credential.ts';
import { createWebhookSecret } from './webhooks/create-webhook-secret.ts';
import { removeWebhookSecret } from './webhooks/remove-webhook-secret.ts';
import { resetUserPassword } from './people/reset-user-password.ts';
import { revokeApiKey } from './restaurants/revoke-api-key.ts';
import { revokeBasicCredential } from './restaurants/revoke-basic-credential.ts';
import { setCourierDuty } from './couriers/set-courier-duty.ts';
import { setWebhookUrls } from './webhooks/set-webhook-urls.ts';
import { switchIntegration } from './restaurants/switch-integration.ts';
import { switchWebhookSecret } from './webhooks/switch-webhook-secret.ts';

const NOW = Date.parse('2026-03-01T09:00:00Z');
// All tests share one database; each has its own restaurant.
let by: { actor: { name: string }; restaurantId: string };
/** The integrator's id of the same restaurant. */
let providerId: string;
let database: TestDatabase;
let deps: AdministrationDeps;
let now: Instant;

beforeAll(async () => {
  database = await createTestDatabase();
  const platform = createPlatform(undefined, { now: () => now, monotonicMs: () => 0 });
  const db = openDatabase({ url: database.url });
  deps = { ...platform, db, vault: createVault(randomBytes(32), randomBytes) };
});

afterAll(async () => {
  await deps.db.close();
  await database.drop();
});

beforeEach(async () => {
  now = NOW;
  const actor = { name: 'tester' };
  providerId = `R-${randomBytes(4).toString('hex')}`;
  const added = await addRestaurant(deps, { actor, restaurantId: providerId, settings: { name: 'Kebap' } });
  by = { actor, restaurantId: added.kind === 'added' ? added.restaurant.id : '' };
});

/** The notifications that `work` causes. */
async function listenDuring<Result>(channel: string, work: () => Promise<Result>): Promise<string[]> {
  const client = new Client({ connectionString: database.url });
  const heard: string[] = [];
  client.on('notification', (message) => heard.push(message.payload ?? ''));
  await client.connect();
  try {
    await client.query(`listen ${channel}`);
    await work();
    // After this round trip, the notifications of all earlier commits have arrived.
    await client.query('select 1');
    return heard;
  } finally {
    await client.end();
  }
}

function refusedValue(field: string, rule: string) {
  const details = [{ field, message: expect.stringContaining(rule) }];
  return { kind: 'refused', refusal: { code: 'REQ_004', details } };
}

describe('restaurants', () => {
  test('a new restaurant has default settings, both endpoints and an event counter', async () => {
    const restaurant = await findRestaurantByProviderId(deps.db, providerId);
    expect(restaurant).toMatchObject({
      name: 'Kebap',
      timeZone: 'UTC',
      integrationEnabled: true,
      autoApprove: false,
      rateLimitPerMinute: 300,
      openingHours: null,
      createdAt: NOW,
    });
    expect(await listEndpoints(deps.db, restaurant?.id ?? '')).toMatchObject([
      { kind: 'status', url: null },
      { kind: 'cancel', url: null },
    ]);
    expect(
      await deps.db.query('select last_sequence from event_counters where restaurant_id = $1', [restaurant?.id]),
    ).toEqual([{ lastSequence: '0' }]);
  });

  test('settings read back as they were set', async () => {
    const openingHours = {
      weekly: Array.from({ length: 7 }, () => [{ from: '09:00', to: '02:00' }]),
      exceptions: [{ date: '2026-12-25', spans: [] }],
    };
    const settings = {
      name: 'Döner 🥙',
      timeZone: 'Europe/Istanbul',
      latitude: -41.5,
      longitude: 179.25,
      contactEmail: 'a@example.com',
      autoApprove: true,
      rateLimitPerMinute: 10,
      preparationMinutes: 0,
      courierWaitLimitMinutes: 5,
      approvalLimitMinutes: 20,
      openingHours,
      deliveryMetadata: true,
    };
    await addRestaurant(deps, { actor: { name: 'tester' }, restaurantId: 'R2', settings });
    expect(await findRestaurantByProviderId(deps.db, 'R2')).toMatchObject(settings);
    const changed = await changeRestaurant(deps, { ...by, settings });
    expect(changed).toMatchObject({ kind: 'changed', restaurant: settings });
    expect(await findRestaurantByProviderId(deps.db, providerId)).toMatchObject(settings);
    expect(await changeRestaurant(deps, { ...by, settings })).toMatchObject({ kind: 'unchanged' });
  });

  test('a time zone is stored under its canonical name, in any spelling', async () => {
    const settings = { name: 'N', timeZone: 'europe/london' };
    const added = await addRestaurant(deps, { actor: { name: 'tester' }, restaurantId: 'R-zone', settings });
    const restaurantId = added.kind === 'added' ? added.restaurant.id : '';
    expect(await findRestaurantByProviderId(deps.db, 'R-zone')).toMatchObject({ timeZone: 'Europe/London' });
    const changed = await changeRestaurant(deps, { ...by, restaurantId, settings: { timeZone: 'GB' } });
    expect(changed).toMatchObject({ kind: 'unchanged' });
  });

  test('the integrator’s restaurant id is unique, even under concurrent adds', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () =>
        addRestaurant(deps, { actor: { name: 'x' }, restaurantId: 'R3', settings: { name: 'N' } }),
      ),
    );
    expect(results.filter((result) => result.kind === 'added')).toHaveLength(1);
    expect(results.find((result) => result.kind === 'refused')).toEqual({
      kind: 'refused',
      refusal: { code: 'RESTAURANT_001', facts: { restaurantId: 'R3' } },
    });
  });

  test.each(['', ' ', '\u00a0', '\u3000', '\u200b\ufeff', 'a\tb'])(
    '%j is not a valid restaurant id',
    async (restaurantId) => {
      const added = await addRestaurant(deps, { actor: { name: 'x' }, restaurantId, settings: { name: 'N' } });
      expect(added).toMatchObject(refusedValue('restaurantId', 'Must be 1 to 64 characters'));
    },
  );

  test.each([
    [{ timeZone: 'Mars/Olympus' }, ['timeZone', 'IANA']],
    [{ latitude: 91, longitude: 0 }, ['latitude', '-90 to 90']],
    [{ latitude: 0, longitude: -181 }, ['longitude', '-180 to 180']],
    [{ latitude: Number.NaN, longitude: 0 }, ['latitude', '-90 to 90']],
    [{ latitude: 1 }, ['longitude', 'Must be set together']],
    [{ rateLimitPerMinute: 0 }, ['rateLimitPerMinute', 'whole number']],
    [{ preparationMinutes: 1.5 }, ['preparationMinutes', 'whole number']],
    [{ courierWaitLimitMinutes: 0 }, ['courierWaitLimitMinutes', 'whole number']],
    [{ contactEmail: 'nobody' }, ['contactEmail', 'valid email address']],
    [{ phone: '1\u0007' }, ['phone', 'Must be 1 to 40']],
    [{ name: ' ' }, ['name', 'Must be 1 to 200']],
    [{ name: 'a\u001B[31m' }, ['name', 'Must be 1 to 200']],
  ] as const)('%j is refused with the field and the rule, and nothing is stored', async (settings, [field, rule]) => {
    const added = await addRestaurant(deps, {
      actor: { name: 'x' },
      restaurantId: 'R9',
      settings: { name: 'N', ...settings },
    });
    expect(added).toMatchObject(refusedValue(field, rule));
    expect(await findRestaurantByProviderId(deps.db, 'R9')).toBeUndefined();
    const changed = await changeRestaurant(deps, { ...by, settings });
    expect(changed).toMatchObject(refusedValue(field, rule));
    expect(await findRestaurantByProviderId(deps.db, providerId)).toMatchObject({
      name: 'Kebap',
      timeZone: 'UTC',
    });
  });
});

describe('API keys', () => {
  async function create(lifetimeMs: number | null = null) {
    const created = await createApiKey(deps, { ...by, environment: 'live', lifetimeMs });
    if (created.kind === 'refused') throw new Error(created.refusal.code);
    return created;
  }

  test('a key is found with its restaurant by its keyed hash and stored in no other form', async () => {
    const { apiKey, keyId, expiresAt } = await create(1000);
    expect(expiresAt).toBe(NOW + 1000);
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(apiKey))).toMatchObject({
      id: keyId,
      kind: 'api_key',
      environment: 'live',
      expiresAt: NOW + 1000,
      passwordHash: null,
      restaurant: { providerRestaurantId: providerId, rateLimitPerMinute: 300 },
    });
    const [row] = await deps.db.query<{ text: string }>('select k::text as text from api_keys k where id = $1', [
      keyId,
    ]);
    expect(row?.text).not.toContain(apiKey.slice(13));
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(`${apiKey}x`))).toBeUndefined();
  });

  test('several keys work at once, and revoking one leaves the others', async () => {
    const [first, second] = [await create(), await create()];
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, keyId: first.keyId, scope: 'everything' })).toMatchObject({
      kind: 'revoked',
    });
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(first.apiKey))).toBeUndefined();
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(second.apiKey))).toBeDefined();
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, keyId: first.keyId, scope: 'everything' })).toMatchObject({
      kind: 'unchanged',
    });
  });

  test('a key of another restaurant is refused exactly like an unknown one, and stays valid', async () => {
    const { apiKey, keyId } = await create();
    const revoke = (id: string) =>
      revokeApiKey(deps, { actor: { name: 'x' }, keyId: id, scope: { restaurantId: randomUUID() } });
    expect(await revoke(keyId)).toEqual(await revoke(randomUUID()));
    expect(await revoke(keyId)).toMatchObject({ refusal: { code: 'PANEL_001' } });
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(apiKey))).toBeDefined();
  });

  test.each(['', 'x', '01890000-0000-7000-8000-000000000000'])('an unknown key id is refused: %j', async (keyId) => {
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, keyId, scope: 'everything' })).toMatchObject({
      kind: 'refused',
    });
  });

  test('the last use is recorded and never moves back', async () => {
    const { keyId } = await create();
    const use = (at: Instant) => ({ kind: 'api_key' as const, id: keyId, at });
    await touchCredentials(deps.db, [use(NOW + 5), use(NOW + 9), use(NOW + 7)]);
    await touchCredentials(deps.db, [use(NOW + 3)]);
    const [key] = await listApiKeys(deps.db, by.restaurantId);
    expect(key?.lastUsedAt).toBe(NOW + 9);
  });
});

test('a Basic credential is found by its username until it is revoked', async () => {
  const created = await createBasicCredential(deps, by);
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  const { username, password, credentialId } = created;
  const whose = (id: string) => ({ actor: by.actor, scope: 'everything' as const, credentialId: id });
  const found = await findCredentialByUsername(deps.db, username);
  expect(found).toMatchObject({
    kind: 'basic',
    environment: null,
    restaurant: { providerRestaurantId: providerId },
  });
  expect(found?.passwordHash).toEqual(deps.vault.credentialHash(password));
  await touchCredentials(deps.db, [{ kind: 'basic', id: found?.id ?? '', at: NOW }]);
  expect(await revokeBasicCredential(deps, whose(credentialId))).toMatchObject({ kind: 'revoked' });
  expect(await revokeBasicCredential(deps, whose(credentialId))).toMatchObject({ kind: 'unchanged' });
  expect(await revokeBasicCredential(deps, whose('nobody'))).toMatchObject({ kind: 'refused' });
  expect(await findCredentialByUsername(deps.db, username)).toBeUndefined();
});

describe('webhook secrets', () => {
  async function getSigningSecret(): Promise<string | null> {
    const [target] = await listEndpointTargets(deps.db, [by.restaurantId]);
    return target === undefined ? null : openSecret(deps.vault, target);
  }

  test('the first secret signs at once; the next waits until it is activated', async () => {
    expect(await getSigningSecret()).toBeNull();
    const first = await createWebhookSecret(deps, by);
    if (first.kind === 'refused') throw new Error(first.refusal.code);
    expect(first.state).toBe('active');
    expect(await getSigningSecret()).toBe(first.secret);

    const second = await createWebhookSecret(deps, by);
    if (second.kind === 'refused') throw new Error(second.refusal.code);
    expect(second.state).toBe('pending');
    expect(await getSigningSecret()).toBe(first.secret);
    expect(await createWebhookSecret(deps, by)).toMatchObject({ kind: 'refused' });

    expect(await switchWebhookSecret(deps, by)).toEqual({ kind: 'switched', secretId: second.secretId });
    expect(await getSigningSecret()).toBe(second.secret);
    expect(await listWebhookSecrets(deps.db, by.restaurantId)).toHaveLength(1);
    expect(await switchWebhookSecret(deps, by)).toMatchObject({ kind: 'refused' });
  });

  test('removal deletes the pending secret first, then the active one, until none is left', async () => {
    const first = await createWebhookSecret(deps, by);
    await createWebhookSecret(deps, by);
    expect(await removeWebhookSecret(deps, by)).toMatchObject({ kind: 'removed', state: 'pending' });
    expect(await getSigningSecret()).toBe(first.kind === 'created' ? first.secret : '');
    expect(await removeWebhookSecret(deps, by)).toMatchObject({ kind: 'removed', state: 'active' });
    expect(await getSigningSecret()).toBeNull();
    expect(await removeWebhookSecret(deps, by)).toMatchObject({ kind: 'refused' });
  });

  test('two concurrent creations produce one active and one pending secret, or a refusal', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, () => createWebhookSecret(deps, by)));
    const states = results.map((result) => (result.kind === 'refused' ? 'refused' : result.state)).sort();
    expect(states).toEqual(['active', 'pending', 'refused', 'refused', 'refused']);
  });
});

describe('webhook URLs', () => {
  async function hold(): Promise<void> {
    const restaurantId = by.restaurantId;
    for (const endpoint of ['status', 'cancel']) {
      await deps.db.query(
        `insert into deliveries (event_id, restaurant_id, endpoint, order_id, version, due_at, occurred_at)
         values (gen_random_uuid(), $1, $2, gen_random_uuid(), 1, null, now())`,
        [restaurantId, endpoint],
      );
    }
  }

  test('a URL is stored normalized, the other URL does not change, and null removes it', async () => {
    const set = await setWebhookUrls(deps, { ...by, urls: { status: 'HTTPS://Hooks.Example.com:443/a b' } });
    expect(set).toEqual({
      kind: 'set',
      urls: { status: 'https://hooks.example.com/a%20b', cancel: null },
      released: 0,
    });
    await setWebhookUrls(deps, { ...by, urls: { cancel: 'https://hooks.example.com/c' } });
    const removed = await setWebhookUrls(deps, { ...by, urls: { status: null } });
    expect(removed).toMatchObject({ urls: { status: null, cancel: 'https://hooks.example.com/c' } });
  });

  test.each(['http://hooks.example.com/', 'https://127.0.0.1/', 'https://u:p@hooks.example.com/', 'nonsense'])(
    '%s is refused, and nothing from the request is stored',
    async (url) => {
      const urls = { status: 'https://hooks.example.com/s', cancel: url };
      expect(await setWebhookUrls(deps, { ...by, urls })).toMatchObject({
        kind: 'refused',
        refusal: { code: 'REQ_004', details: [{ field: 'cancel' }] },
      });
      const endpoints = await listEndpoints(deps.db, by.restaurantId);
      expect(endpoints.map((endpoint) => endpoint.url)).toEqual([null, null]);
    },
  );

  test('only held webhooks of that endpoint are released, and a notification wakes the senders', async () => {
    await hold();
    const heard = await listenDuring('waybill_due', async () => {
      const set = await setWebhookUrls(deps, { ...by, urls: { status: 'https://hooks.example.com/s' } });
      expect(set).toMatchObject({ released: 1 });
    });
    expect(heard).toHaveLength(1);
    expect(await deps.db.query('select endpoint from deliveries where due_at is null')).toEqual([
      { endpoint: 'cancel' },
    ]);
  });

  test('while the integration is off nothing is released; enabling it releases webhooks that have a URL', async () => {
    await hold();
    expect(await switchIntegration(deps, { ...by, enabled: false })).toMatchObject({ kind: 'switched', released: 0 });
    const urls = { status: 'https://hooks.example.com/s' };
    expect(await setWebhookUrls(deps, { ...by, urls })).toMatchObject({ released: 0 });
    expect(await switchIntegration(deps, { ...by, enabled: true })).toMatchObject({ kind: 'switched', released: 1 });
    expect(await switchIntegration(deps, { ...by, enabled: true })).toMatchObject({ kind: 'unchanged' });
  });

  test('a caller that has to ask first is refused as long as held webhooks would be sent', async () => {
    await hold();
    const urls = { status: 'https://hooks.example.com/s' };
    const unconfirmed = { kind: 'refused', refusal: { code: 'WEBHOOK_009', facts: { held: 1 } } };
    expect(await setWebhookUrls(deps, { ...by, urls, sendsHeld: false })).toMatchObject(unconfirmed);
    expect(await listEndpoints(deps.db, by.restaurantId)).toMatchObject([{ url: null }, { url: null }]);
    await switchIntegration(deps, { ...by, enabled: false });
    expect(await setWebhookUrls(deps, { ...by, urls, sendsHeld: false })).toMatchObject({ kind: 'set', released: 0 });
    expect(await switchIntegration(deps, { ...by, enabled: true, sendsHeld: false })).toMatchObject(unconfirmed);
    expect(await switchIntegration(deps, { ...by, enabled: true, sendsHeld: true })).toMatchObject({ released: 1 });
    const removed = { status: null, cancel: null };
    expect(await setWebhookUrls(deps, { ...by, urls: removed, sendsHeld: false })).toMatchObject({ kind: 'set' });
  });

  test('every URL that is not valid is named', async () => {
    const urls = { status: 'nonsense', cancel: 'http://hooks.example.com/' };
    expect(await setWebhookUrls(deps, { ...by, urls })).toMatchObject({
      refusal: { code: 'REQ_004', details: [{ field: 'status' }, { field: 'cancel' }] },
    });
  });

  test('a different URL clears the failure record; the same URL keeps it', async () => {
    const urls = { status: 'https://hooks.example.com/s' };
    await setWebhookUrls(deps, { ...by, urls });
    await deps.db.query(
      `update endpoints set failing_since = now(), last_error = 'no' where kind = 'status' and restaurant_id = $1`,
      [by.restaurantId],
    );
    await setWebhookUrls(deps, { ...by, urls });
    expect(await listEndpoints(deps.db, by.restaurantId)).toMatchObject([{ lastError: 'no' }, {}]);
    await setWebhookUrls(deps, { ...by, urls: { status: 'https://hooks.example.com/t' } });
    const [status] = await listEndpoints(deps.db, by.restaurantId);
    expect(status).toMatchObject({ failingSince: null, lastError: null });
  });
});

describe('people', () => {
  test("a user's password is generated, shown once and stored as argon2id", async () => {
    const request = {
      actor: { name: 'x' },
      email: ' Ada@Example.com ',
      role: 'owner' as const,
      restaurantId: by.restaurantId,
    };
    const added = await addUser(deps, request);
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    expect(added.user).toMatchObject({ email: 'ada@example.com', restaurantId: by.restaurantId });
    const read = async () => {
      const [row] = await deps.db.query<{ passwordHash: string }>(
        `select password_hash from user_passwords p join users u on u.id = p.user_id where u.email = 'ada@example.com'`,
      );
      return row?.passwordHash ?? '';
    };
    expect(await verifyPassword(added.password, await read())).toBe(true);
    expect(await addUser(deps, request)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'USER_001', facts: { email: 'ada@example.com' } },
    });
    const whose = { userId: added.user.id, scope: 'everything', actor: { name: 'x' } } as const;
    const reset = await resetUserPassword(deps, whose);
    if (reset.kind === 'refused') throw new Error(reset.refusal.code);
    expect(await verifyPassword(added.password, await read())).toBe(false);
    expect(await verifyPassword(reset.password, await read())).toBe(true);
  });

  test.each([
    [
      { email: 'ada', role: 'operator' as const, restaurantId: null },
      { code: 'REQ_004', details: [{ field: 'email' }] },
    ],
    [{ email: 'a@example.com', role: 'owner' as const, restaurantId: null }, { code: 'USER_007' }],
    [{ email: 'a@example.com', role: 'operator' as const, restaurantId: 'any' }, { code: 'USER_008' }],
    [{ email: 'a@example.com', role: 'staff' as const, restaurantId: 'R8' }, { details: [{ field: 'restaurantId' }] }],
  ])('%j is refused', async (request, refusal) => {
    const result = await addUser(deps, { actor: { name: 'x' }, ...request });
    expect(result).toMatchObject({ kind: 'refused', refusal });
  });

  test('a courier goes on and off duty, and only within the scope', async () => {
    const profile = { name: 'Ada', phone: null, latitude: 1, longitude: 2, restaurantId: null };
    const added = await addCourier(deps, { actor: { name: 'x' }, ...profile });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    const { id, onDuty: isOnDuty } = added.courier;
    const set = (courierId: string, onDuty: boolean, scope: Scope = 'everything') =>
      setCourierDuty(deps, { actor: { name: 'x' }, courierId, scope, onDuty });
    expect(isOnDuty).toBe(false);
    expect(await set(id, true)).toMatchObject({ kind: 'changed', courier: { onDuty: true } });
    expect(await set(id, true)).toMatchObject({ kind: 'unchanged' });
    const unknown = await set(randomUUID(), false);
    expect(unknown).toMatchObject({ refusal: { code: 'PANEL_001' } });
    expect(await set(id, false, { restaurantId: by.restaurantId })).toEqual(unknown);
    expect(await set(id, false, { courierId: randomUUID() })).toEqual(unknown);
    expect(await set(id.toUpperCase(), false, { courierId: id })).toMatchObject({ kind: 'changed' });
  });
});

test('every change is in the audit log with actor and time, and without secrets', async () => {
  const secrets: string[] = [];
  const keep = (result: { kind: string } & Record<string, unknown>) => {
    for (const name of ['apiKey', 'password', 'secret']) {
      const value = result[name];
      if (typeof value === 'string') secrets.push(value);
    }
    return result;
  };
  now = NOW + 60_000;
  const key = await createApiKey(deps, { ...by, environment: 'live', lifetimeMs: null });
  keep({ ...key });
  if (key.kind === 'created') await revokeApiKey(deps, { actor: by.actor, keyId: key.keyId, scope: 'everything' });
  const basic = await createBasicCredential(deps, by);
  keep({ ...basic });
  if (basic.kind === 'created')
    await revokeBasicCredential(deps, { actor: by.actor, scope: 'everything', credentialId: basic.credentialId });
  keep({ ...(await createWebhookSecret(deps, by)) });
  keep({ ...(await createWebhookSecret(deps, by)) });
  await switchWebhookSecret(deps, by);
  await removeWebhookSecret(deps, by);
  await setWebhookUrls(deps, { ...by, urls: { status: 'https://hooks.example.com/path-token?key=query-token' } });
  await setWebhookUrls(deps, { ...by, urls: { status: null } });
  await switchIntegration(deps, { ...by, enabled: false });
  await switchIntegration(deps, { ...by, enabled: true });
  await changeRestaurant(deps, { ...by, settings: { rateLimitPerMinute: 7 } });
  const user = await addUser(deps, { ...by, email: 'a@example.com', role: 'owner' });
  keep({ ...user });
  const userId = user.kind === 'added' ? user.user.id : '';
  keep({ ...(await resetUserPassword(deps, { actor: by.actor, userId, scope: 'everything' })) });

  const entries = await listAuditEntries(deps.db, by.restaurantId, 100);
  expect(entries.map((entry) => entry.action).reverse()).toEqual([
    'restaurant.added',
    'api_key.created',
    'api_key.revoked',
    'basic_credential.created',
    'basic_credential.revoked',
    'webhook_secret.created',
    'webhook_secret.created',
    'webhook_secret.switched',
    'webhook_secret.removed',
    'webhook_url.set',
    'webhook_url.removed',
    'integration.disabled',
    'integration.enabled',
    'restaurant.changed',
    'user.added',
    'user.password_reset',
  ]);
  expect(entries.every((entry) => entry.actor === 'tester' && entry.clientAddress === null)).toBe(true);
  expect(entries[0]?.at).toBe(NOW + 60_000);
  expect(entries.find((entry) => entry.action === 'restaurant.changed')?.detail).toEqual({ rateLimitPerMinute: 7 });
  expect(secrets).toHaveLength(6);
  const text = JSON.stringify(entries);
  for (const secret of [...secrets, 'path-token', 'query-token']) expect(text).not.toContain(secret);
});

test('every node is notified of a committed change, and never of a refused one', async () => {
  const id = by.restaurantId;
  const heard = await listenDuring('waybill_config', async () => {
    await createApiKey(deps, { ...by, environment: 'live', lifetimeMs: null });
    await createApiKey(deps, { ...by, restaurantId: 'R8', environment: 'live', lifetimeMs: null });
    await changeRestaurant(deps, { ...by, settings: { name: '' } });
    await switchIntegration(deps, { ...by, enabled: false });
  });
  expect(heard).toEqual([id, id]);
});

test('a different master key is detected, and the right one is always accepted', async () => {
  const vaults = Array.from({ length: 4 }, () => createVault(randomBytes(32), randomBytes));
  const answers = await Promise.all(vaults.map((vault) => checkMasterKey(deps.db, vault)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  for (const [index, vault] of vaults.entries()) {
    expect(await checkMasterKey(deps.db, vault)).toBe(answers[index]);
  }
});
