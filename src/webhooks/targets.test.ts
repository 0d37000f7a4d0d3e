import { afterEach, expect, test } from 'vitest';
import { startService, type TestService } from '../../test/helpers/service.ts';
import { TargetBook } from './targets.ts';

let service: TestService;
afterEach(() => service.stop());

test('what is asked for in one moment is read by one statement, each with its own answer', async () => {
  service = await startService({ roles: ['plan'] });
  const { app } = service;
  const restaurants = await Promise.all(Array.from({ length: 5 }, () => service.addRestaurant()));
  let statements = 0;
  const query: typeof app.db.query = (statement, values) => {
    statements += 1;
    return app.db.query(statement, values);
  };
  await app.db.query(`update endpoints set url = 'https://' || restaurant_id || '.example'`);
  const targets = new TargetBook({ ...app, db: { ...app.db, query } });
  const ids = restaurants.map(({ id }) => id);
  const found = await Promise.all([...ids, ...ids].map((id) => targets.find(id, 'status')));
  expect(found.map(({ url }) => url)).toEqual([...ids, ...ids].map((id) => `https://${id}.example`));
  expect(statements).toBe(1);
  targets.dropAll();
  await targets.find(ids[0] ?? '', 'status');
  expect(statements).toBe(2);
});
