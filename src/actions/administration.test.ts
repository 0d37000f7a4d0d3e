// Restaurants, credentials, secrets and URLs: what each change promises.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/service/database.ts';
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
  by = { actor: { name: 'tester' }, restaurantId: `R-${randomBytes(4).toString('hex')}` };
  await addRestaurant(deps, { ...by, settings: { name: 'Kebap' } });
});

async function getRestaurantId(): Promise<string> {
  return (await findRestaurantByProviderId(deps.db, by.restaurantId))?.id ?? '';
}

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

describe('restaurants', () => {
  test('a new restaurant has default settings, both endpoints and an event counter', async () => {
    const restaurant = await findRestaurantByProviderId(deps.db, by.restaurantId);
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
    ).toEqual([{ last_sequence: '0' }]);
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
    expect(await findRestaurantByProviderId(deps.db, by.restaurantId)).toMatchObject(settings);
    expect(await changeRestaurant(deps, { ...by, settings })).toMatchObject({ kind: 'unchanged' });
  });

  test('a time zone is stored under its canonical name, in any spelling', async () => {
    const settings = { name: 'N', timeZone: 'europe/london' };
    await addRestaurant(deps, { actor: { name: 'tester' }, restaurantId: 'R-zone', settings });
    expect(await findRestaurantByProviderId(deps.db, 'R-zone')).toMatchObject({ timeZone: 'Europe/London' });
    const changed = await changeRestaurant(deps, { ...by, restaurantId: 'R-zone', settings: { timeZone: 'GB' } });
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
      message: 'A restaurant with the id "R3" already exists.',
    });
  });

  test.each(['', ' ', '\u00a0', '\u3000', '\u200b\ufeff', 'a\tb'])(
    '%j is not a valid restaurant id',
    async (restaurantId) => {
      const added = await addRestaurant(deps, { actor: { name: 'x' }, restaurantId, settings: { name: 'N' } });
      expect(added).toMatchObject({ kind: 'refused', message: expect.stringContaining('The restaurant id must be') });
    },
  );

  test.each([
    [{ timeZone: 'Mars/Olympus' }, 'is not a time zone'],
    [{ latitude: 91, longitude: 0 }, 'latitude'],
    [{ latitude: 0, longitude: -181 }, 'longitude'],
    [{ latitude: Number.NaN, longitude: 0 }, 'latitude'],
    [{ latitude: 1 }, 'must be set together'],
    [{ rateLimitPerMinute: 0 }, 'rate limit'],
    [{ preparationMinutes: 1.5 }, 'preparation time'],
    [{ courierWaitLimitMinutes: 0 }, 'courier wait limit'],
    [{ contactEmail: 'nobody' }, 'is not a valid email address'],
    [{ phone: '1\u0007' }, 'The phone number must be'],
    [{ name: ' ' }, 'The name must be'],
    [{ name: 'a\u001B[31m' }, 'The name must be'],
  ])('%j is refused in one sentence and nothing is stored', async (settings, part) => {
    const added = await addRestaurant(deps, {
      actor: { name: 'x' },
      restaurantId: 'R9',
      settings: { name: 'N', ...settings },
    });
    expect(added).toMatchObject({ kind: 'refused', message: expect.stringContaining(part) });
    expect(await findRestaurantByProviderId(deps.db, 'R9')).toBeUndefined();
    const changed = await changeRestaurant(deps, { ...by, settings });
    expect(changed).toMatchObject({ kind: 'refused', message: expect.stringContaining(part) });
    expect(await findRestaurantByProviderId(deps.db, by.restaurantId)).toMatchObject({
      name: 'Kebap',
      timeZone: 'UTC',
    });
  });
});

describe('API keys', () => {
  async function create(lifetimeMs: number | null = null) {
    const created = await createApiKey(deps, { ...by, environment: 'live', lifetimeMs });
    if (created.kind === 'refused') throw new Error(created.message);
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
      restaurant: { providerRestaurantId: by.restaurantId, rateLimitPerMinute: 300 },
    });
    const [row] = await deps.db.query<{ text: string }>('select k::text as text from api_keys k where id = $1', [
      keyId,
    ]);
    expect(row?.text).not.toContain(apiKey.slice(13));
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(`${apiKey}x`))).toBeUndefined();
  });

  test('several keys work at once, and revoking one leaves the others', async () => {
    const [first, second] = [await create(), await create()];
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, key: { keyId: first.keyId } })).toMatchObject({
      kind: 'revoked',
    });
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(first.apiKey))).toBeUndefined();
    expect(await findCredentialByKeyHash(deps.db, deps.vault.credentialHash(second.apiKey))).toBeDefined();
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, key: { keyId: first.keyId } })).toMatchObject({
      kind: 'unchanged',
    });
  });

  test('a key is revoked by its prefix, or by the whole key', async () => {
    const [first, second] = [await create(), await create()];
    const revoke = (prefix: string) =>
      revokeApiKey(deps, { actor: { name: 'x' }, key: { restaurantId: by.restaurantId, prefix } });
    expect(await revoke(first.prefix)).toMatchObject({ kind: 'revoked', keyId: first.keyId });
    expect(await revoke(second.apiKey)).toMatchObject({ kind: 'revoked', keyId: second.keyId });
    expect(await revoke('wb_live_')).toMatchObject({ kind: 'refused' });
    expect(await revoke('wb_live_????')).toMatchObject({ kind: 'refused' });
  });

  test('an ambiguous prefix revokes nothing', async () => {
    const { prefix } = await create();
    await create();
    await deps.db.query('update api_keys set prefix = $1 where restaurant_id = $2', [prefix, await getRestaurantId()]);
    const result = await revokeApiKey(deps, { actor: { name: 'x' }, key: { restaurantId: by.restaurantId, prefix } });
    expect(result).toMatchObject({ kind: 'refused', message: expect.stringContaining('More than one') });
    const keys = await listApiKeys(deps.db, await getRestaurantId());
    expect(keys.map((key) => key.revokedAt)).toEqual([null, null]);
  });

  test.each(['', 'x', '01890000-0000-7000-8000-000000000000'])('an unknown key id is refused: %j', async (keyId) => {
    expect(await revokeApiKey(deps, { actor: { name: 'x' }, key: { keyId } })).toMatchObject({ kind: 'refused' });
  });

  test('the last use is recorded and never moves back', async () => {
    const { keyId } = await create();
    const use = (at: Instant) => ({ kind: 'api_key' as const, id: keyId, at });
    await touchCredentials(deps.db, [use(NOW + 5), use(NOW + 9), use(NOW + 7)]);
    await touchCredentials(deps.db, [use(NOW + 3)]);
    const [key] = await listApiKeys(deps.db, await getRestaurantId());
    expect(key?.lastUsedAt).toBe(NOW + 9);
  });
});

test('a Basic credential is found by its username until it is revoked', async () => {
  const created = await createBasicCredential(deps, by);
  if (created.kind === 'refused') throw new Error(created.message);
  const { username, password } = created;
  const found = await findCredentialByUsername(deps.db, username);
  expect(found).toMatchObject({
    kind: 'basic',
    environment: null,
    restaurant: { providerRestaurantId: by.restaurantId },
  });
  expect(found?.passwordHash).toEqual(deps.vault.credentialHash(password));
  await touchCredentials(deps.db, [{ kind: 'basic', id: found?.id ?? '', at: NOW }]);
  expect(await revokeBasicCredential(deps, { ...by, username })).toMatchObject({ kind: 'revoked' });
  expect(await revokeBasicCredential(deps, { ...by, username })).toMatchObject({ kind: 'unchanged' });
  expect(await revokeBasicCredential(deps, { ...by, username: 'nobody' })).toMatchObject({ kind: 'refused' });
  expect(await findCredentialByUsername(deps.db, username)).toBeUndefined();
});

describe('webhook secrets', () => {
  async function getSigningSecret(): Promise<string | null> {
    const [target] = await listEndpointTargets(deps.db, [await getRestaurantId()]);
    return target === undefined ? null : openSecret(deps.vault, target);
  }

  test('the first secret signs at once; the next waits until it is activated', async () => {
    expect(await getSigningSecret()).toBeNull();
    const first = await createWebhookSecret(deps, by);
    if (first.kind === 'refused') throw new Error(first.message);
    expect(first.state).toBe('active');
    expect(await getSigningSecret()).toBe(first.secret);

    const second = await createWebhookSecret(deps, by);
    if (second.kind === 'refused') throw new Error(second.message);
    expect(second.state).toBe('pending');
    expect(await getSigningSecret()).toBe(first.secret);
    expect(await createWebhookSecret(deps, by)).toMatchObject({ kind: 'refused' });

    expect(await switchWebhookSecret(deps, by)).toEqual({ kind: 'switched', secretId: second.secretId });
    expect(await getSigningSecret()).toBe(second.secret);
    expect(await listWebhookSecrets(deps.db, await getRestaurantId())).toHaveLength(1);
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
    const restaurantId = await getRestaurantId();
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
        message: expect.stringContaining('cancel URL'),
      });
      const endpoints = await listEndpoints(deps.db, await getRestaurantId());
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

  test('a different URL clears the failure record; the same URL keeps it', async () => {
    const urls = { status: 'https://hooks.example.com/s' };
    await setWebhookUrls(deps, { ...by, urls });
    await deps.db.query(
      `update endpoints set failing_since = now(), last_error = 'no' where kind = 'status' and restaurant_id = $1`,
      [await getRestaurantId()],
    );
    await setWebhookUrls(deps, { ...by, urls });
    expect(await listEndpoints(deps.db, await getRestaurantId())).toMatchObject([{ lastError: 'no' }, {}]);
    await setWebhookUrls(deps, { ...by, urls: { status: 'https://hooks.example.com/t' } });
    const [status] = await listEndpoints(deps.db, await getRestaurantId());
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
    if (added.kind === 'refused') throw new Error(added.message);
    expect(added.user).toMatchObject({ email: 'ada@example.com', restaurantId: await getRestaurantId() });
    const read = async () => {
      const [row] = await deps.db.query<{ password_hash: string }>(
        `select password_hash from user_passwords p join users u on u.id = p.user_id where u.email = 'ada@example.com'`,
      );
      return row?.password_hash ?? '';
    };
    expect(await verifyPassword(added.password, await read())).toBe(true);
    expect(await addUser(deps, request)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('already'),
    });
    const reset = await resetUserPassword(deps, { actor: { name: 'x' }, email: 'ADA@example.com' });
    if (reset.kind === 'refused') throw new Error(reset.message);
    expect(await verifyPassword(added.password, await read())).toBe(false);
    expect(await verifyPassword(reset.password, await read())).toBe(true);
  });

  test.each([
    [{ email: 'ada', role: 'operator' as const, restaurantId: null }, 'not a valid email'],
    [{ email: 'a@example.com', role: 'owner' as const, restaurantId: null }, 'must belong to a restaurant'],
    [{ email: 'a@example.com', role: 'operator' as const, restaurantId: 'any' }, 'cannot belong to a restaurant'],
    [{ email: 'a@example.com', role: 'staff' as const, restaurantId: 'R8' }, 'There is no restaurant with the id "R8"'],
  ])('%j is refused', async (request, part) => {
    const result = await addUser(deps, { actor: { name: 'x' }, ...request });
    expect(result).toMatchObject({ kind: 'refused', message: expect.stringContaining(part) });
  });

  test('a courier goes on and off duty by id or by unique name', async () => {
    const add = () =>
      addCourier(deps, {
        actor: { name: 'x' },
        name: 'Ada',
        phone: null,
        latitude: 1,
        longitude: 2,
        restaurantId: null,
      });
    const added = await add();
    if (added.kind === 'refused') throw new Error(added.message);
    const set = (courier: string, onDuty: boolean) => setCourierDuty(deps, { actor: { name: 'x' }, courier, onDuty });
    expect(added.courier.onDuty).toBe(false);
    expect(await set('Ada', true)).toMatchObject({ kind: 'changed', courier: { onDuty: true } });
    expect(await set('Ada', true)).toMatchObject({ kind: 'unchanged' });
    await add();
    expect(await set('Ada', false)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('More than one'),
    });
    expect(await set(added.courier.id.toUpperCase(), false)).toMatchObject({ kind: 'changed' });
    expect(await set('Bob', true)).toMatchObject({ kind: 'refused' });
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
  if (key.kind === 'created') await revokeApiKey(deps, { actor: by.actor, key: { keyId: key.keyId } });
  const basic = await createBasicCredential(deps, by);
  keep({ ...basic });
  if (basic.kind === 'created') await revokeBasicCredential(deps, { ...by, username: basic.username });
  keep({ ...(await createWebhookSecret(deps, by)) });
  keep({ ...(await createWebhookSecret(deps, by)) });
  await switchWebhookSecret(deps, by);
  await removeWebhookSecret(deps, by);
  await setWebhookUrls(deps, { ...by, urls: { status: 'https://hooks.example.com/path-token?key=query-token' } });
  await setWebhookUrls(deps, { ...by, urls: { status: null } });
  await switchIntegration(deps, { ...by, enabled: false });
  await switchIntegration(deps, { ...by, enabled: true });
  await changeRestaurant(deps, { ...by, settings: { rateLimitPerMinute: 7 } });
  keep({ ...(await addUser(deps, { ...by, email: 'a@example.com', role: 'owner' })) });
  keep({ ...(await resetUserPassword(deps, { actor: by.actor, email: 'a@example.com' })) });

  const entries = await listAuditEntries(deps.db, await getRestaurantId(), 100);
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
  const id = await getRestaurantId();
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
