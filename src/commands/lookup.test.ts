// What people type on the command line is found, or refused, before an action runs.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../harness/service/service.ts';
import type { TestRestaurant } from '../../harness/service/restaurant.ts';
import { createApiKey } from '../actions/restaurants/create-api-key.ts';
import { revokeApiKey } from '../actions/restaurants/revoke-api-key.ts';
import {
  findCase,
  findNamedCourier,
  findNamedCredential,
  findNamedKey,
  findNamedRestaurant,
  findUserCalled,
} from './lookup.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService({ roles: [] });
  restaurant = await service.addRestaurant();
});

afterAll(() => service.stop());

async function createKey() {
  const by = { restaurantId: restaurant.id, actor: { name: 'test' } };
  const created = await createApiKey(service.app, { ...by, environment: 'live', lifetimeMs: null });
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  return created;
}

const findKey = (prefix: string) => findNamedKey(service.app.db, { restaurantId: restaurant.restaurantId, prefix });

test('a key is found by its id, by its prefix, or by the whole key', async () => {
  const { keyId, prefix, apiKey } = await createKey();
  const found = { kind: 'found', found: { id: keyId } };
  expect(await findNamedKey(service.app.db, { keyId })).toMatchObject(found);
  expect(await findKey(prefix)).toMatchObject(found);
  expect(await findKey(apiKey)).toMatchObject(found);
  for (const unknown of ['wb_live_', 'wb_live_????']) expect(await findKey(unknown)).toMatchObject({ kind: 'failed' });
  for (const unknown of ['', 'x', randomUUID()]) {
    expect(await findNamedKey(service.app.db, { keyId: unknown })).toMatchObject({ kind: 'failed' });
  }
});

test('an ambiguous prefix is refused, unless only one of the keys is live', async () => {
  const [first, second] = [await createKey(), await createKey()];
  await service.app.db.query('update api_keys set prefix = $1 where id = any($2::uuid[])', [
    'wb_live_same',
    [first.keyId, second.keyId],
  ]);
  expect(await findKey('wb_live_same')).toEqual({
    kind: 'failed',
    message: 'More than one API key of the restaurant has that prefix. Use the key id instead.',
  });
  await revokeApiKey(service.app, { keyId: first.keyId, scope: 'everything', actor: { name: 'test' } });
  expect(await findKey('wb_live_same')).toMatchObject({ found: { id: second.keyId } });
});

test('a courier is found by id in any case, or by a name that only one courier has', async () => {
  const id = await service.addCourier('Ada');
  const { db } = service.app;
  for (const given of ['Ada', id, id.toUpperCase()]) {
    expect(await findNamedCourier(db, given)).toMatchObject({ found: { id } });
  }
  await service.addCourier('Ada');
  expect(await findNamedCourier(db, 'Ada')).toEqual({
    kind: 'failed',
    message: 'More than one courier is named "Ada". Use the id instead.',
  });
  expect(await findNamedCourier(db, 'Bob')).toEqual({
    kind: 'failed',
    message: 'There is no courier with the id or name "Bob".',
  });
});

test('what does not exist is named in the sentence', async () => {
  const { db } = service.app;
  const sentences = [
    await findNamedRestaurant(db, 'R8'),
    await findUserCalled(db, ' Nobody@Example.com '),
    await findCase(db, 'none'),
    await findNamedCredential(db, { restaurantId: restaurant.restaurantId, username: 'nobody' }),
  ].map((lookup) => (lookup.kind === 'failed' ? lookup.message : 'found'));
  expect(sentences).toEqual([
    'There is no restaurant with the id "R8".',
    'There is no user with the address "nobody@example.com".',
    'There is no support case with the id "none".',
    'The restaurant has no Basic credential with that username.',
  ]);
});
