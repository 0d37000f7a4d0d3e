import { afterEach, expect, test } from 'vitest';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { TargetCache } from './targets.ts';
import { SEALED_IN } from '../../secrets/vault.ts';

let service: TestService;
afterEach(() => service.stop());

test('concurrent lookups are combined into one statement, and each gets its own answer', async () => {
  service = await startService({ roles: ['plan'] });
  const { app } = service;
  const restaurants = await Promise.all(Array.from({ length: 5 }, () => service.addRestaurant()));
  let statements = 0;
  const query: typeof app.db.query = (statement, values) => {
    statements += 1;
    return app.db.query(statement, values);
  };
  await app.db.query(`update endpoints set url = 'https://' || restaurant_id || '.example'`);
  const targets = new TargetCache({ ...app, db: { ...app.db, query } });
  const ids = restaurants.map(({ id }) => id);
  const found = await Promise.all([...ids, ...ids].map((id) => targets.find(id, 'status')));
  expect(found.map(({ url }) => url)).toEqual([...ids, ...ids].map((id) => `https://${id}.example`));
  expect(statements).toBe(1);
  targets.dropAll();
  await targets.find(ids[0] ?? '', 'status');
  expect(statements).toBe(2);
});

test('a secret is unsealed once across repeated lookups, and a new secret is unsealed again', async () => {
  service = await startService({ roles: ['plan'] });
  const { app } = service;
  const { id } = await service.addRestaurant();
  const [first, second] = [app.newId(), app.newId()];
  await app.db.query(
    `insert into webhook_secrets (id, restaurant_id, state, sealed_secret, created_at, activated_at)
     values ($3, $1, 'active', $2, now(), now())`,
    [id, app.vault.seal('a secret', SEALED_IN.webhookSecret(first)), first],
  );
  let opened = 0;
  const vault: typeof app.vault = {
    ...app.vault,
    open: (sealed, place) => {
      opened += 1;
      return app.vault.open(sealed, place);
    },
  };
  const targets = new TargetCache({ ...app, vault });
  const readAgain = async (): Promise<string | null> => {
    targets.dropAll();
    return (await targets.find(id, 'status')).secret;
  };
  expect(await readAgain()).toBe('a secret');
  expect(await readAgain()).toBe('a secret');
  expect(opened).toBe(1);
  await app.db.query('update webhook_secrets set id = $2, sealed_secret = $1', [
    app.vault.seal('another secret', SEALED_IN.webhookSecret(second)),
    second,
  ]);
  expect(await readAgain()).toBe('another secret');
});
