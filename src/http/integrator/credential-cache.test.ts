import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createApiKey } from '../../actions/restaurants/create-api-key.ts';
import type { Queryable } from '../../store/database/database.ts';
import { createCredentialCache } from './credential-cache.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

function nameOf(apiKey: string) {
  return { kind: 'api_key', keyHash: service.app.vault.credentialHash(apiKey).toString('hex') } as const;
}

/** A cache without notifications, with a settable clock, a statement count and a gate that delays statements. */
function createDeafCache() {
  const state = { nowMs: 0, statements: 0, answered: 0, gate: Promise.resolve() };
  const db: Queryable = {
    query: async (statement, values) => {
      state.statements += 1;
      const { gate } = state;
      const rows = await service.app.db.query<never>(statement, values);
      state.answered += 1;
      await gate;
      return rows;
    },
  };
  const cache = createCredentialCache({ db, clock: { now: () => 0, monotonicMs: () => state.nowMs } });
  return Object.assign(state, { cache });
}

async function createKey(): Promise<{ apiKey: string; keyId: string }> {
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const created = await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  return created;
}

function revoke(keyId: string): Promise<object[]> {
  return service.app.db.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
}

test('a key is read once in three seconds, for any number of concurrent requests', async () => {
  const deaf = createDeafCache();
  const name = nameOf(restaurant.apiKey);
  const found = await Promise.all(Array.from({ length: 20 }, () => deaf.cache.find(name)));
  expect(new Set(found.map((credential) => credential?.restaurant.id))).toEqual(new Set([restaurant.id]));
  expect(deaf.statements).toBe(2);
  deaf.nowMs = 2_999;
  await deaf.cache.find(name);
  expect(deaf.statements).toBe(2);
  deaf.nowMs = 3_000;
  await deaf.cache.find(name);
  expect(deaf.statements).toBe(3);
});

test('a revoked key is unknown after three seconds, even if its notification is lost', async () => {
  const deaf = createDeafCache();
  const { apiKey, keyId } = await createKey();
  expect(await deaf.cache.find(nameOf(apiKey))).toBeDefined();
  await revoke(keyId);
  // The control: the cache doesn't query the database every time.
  expect(await deaf.cache.find(nameOf(apiKey))).toBeDefined();
  deaf.nowMs = 3_000;
  expect(await deaf.cache.find(nameOf(apiKey))).toBeUndefined();
});

test('a notification drops the cached keys of its restaurant and the cached unknown keys', async () => {
  const deaf = createDeafCache();
  const { apiKey, keyId } = await createKey();
  await deaf.cache.find(nameOf(apiKey));
  await revoke(keyId);
  deaf.cache.dropRestaurant(service.app.newId());
  expect(await deaf.cache.find(nameOf(apiKey))).toBeDefined();
  deaf.cache.dropRestaurant(restaurant.id);
  expect(await deaf.cache.find(nameOf(apiKey))).toBeUndefined();
  await service.app.db.query('update api_keys set revoked_at = null where id = $1', [keyId]);
  expect(await deaf.cache.find(nameOf(apiKey))).toBeUndefined();
  deaf.cache.dropRestaurant(restaurant.id);
  expect(await deaf.cache.find(nameOf(apiKey))).toBeDefined();
});

test('an answer read before a notification is not cached after it', async () => {
  const deaf = createDeafCache();
  const { apiKey, keyId } = await createKey();
  await deaf.cache.find(nameOf(apiKey));
  deaf.nowMs = 3_000;
  let open = (): void => {};
  deaf.gate = new Promise((resolve) => {
    open = resolve;
  });
  const before = deaf.answered;
  const early = deaf.cache.find(nameOf(apiKey));
  await expect.poll(() => deaf.answered).toBe(before + 1);
  deaf.gate = Promise.resolve();
  await revoke(keyId);
  deaf.cache.dropRestaurant(restaurant.id);
  expect(await deaf.cache.find(nameOf(apiKey))).toBeUndefined();
  open();
  expect(await early).toBeDefined();
  expect(await deaf.cache.find(nameOf(apiKey))).toBeUndefined();
});

test('a flood of guesses costs a few statements and evicts no valid key', async () => {
  const deaf = createDeafCache();
  const { apiKey } = await createKey();
  await deaf.cache.find(nameOf(restaurant.apiKey));
  deaf.statements = 0;
  const guesses = Array.from({ length: 2_000 }, (_, index) =>
    deaf.cache.find({ kind: 'api_key', keyHash: index.toString(16).padStart(64, '0') }),
  );
  const honest = deaf.cache.find(nameOf(apiKey));
  expect((await Promise.all(guesses)).filter(Boolean)).toEqual([]);
  // A valid credential that was not cached, requested during the flood, is found.
  expect((await honest)?.restaurant.id).toBe(restaurant.id);
  expect(deaf.statements).toBeLessThanOrEqual(6);
  deaf.statements = 0;
  await deaf.cache.find(nameOf(restaurant.apiKey));
  expect(deaf.statements).toBe(0);
});
