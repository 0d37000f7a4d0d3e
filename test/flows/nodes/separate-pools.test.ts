// Intake does not wait for database connections that pages, scrapes and the planner use.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poolSizesFor } from '../../../src/nodes/connection-budget.ts';
import type { Database } from '../../../src/store/database/database.ts';
import { signInAs } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const SIZES = poolSizesFor(['api', 'deliver', 'plan']);
let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

/** Takes this many connections of a pool; resolves once it has them, with a function that releases them. */
async function hold(database: Database, count: number): Promise<() => Promise<void>> {
  const { promise: isOver, resolve: release } = Promise.withResolvers<undefined>();
  const taken = Array.from({ length: count }, () => Promise.withResolvers<undefined>());
  const held = taken.map(({ resolve }) => database.transaction(() => (resolve(undefined), isOver)));
  await Promise.all(taken.map(({ promise }) => promise));
  return async () => {
    release(undefined);
    await Promise.all(held);
  };
}

test('an order is accepted while the panel, metrics, planner and background pools are exhausted', async () => {
  const { panel, metrics, planner, background } = service.app.pools;
  const released = await Promise.all([
    hold(panel, SIZES.panel),
    hold(metrics, SIZES.metrics),
    hold(planner, SIZES.planner),
    hold(background, SIZES.background),
  ]);
  expect((await service.post(restaurant, { orderId: 'beside' })).status).toBe(201);
  for (const release of released) await release();
});

test('an order waits for the intake pool when it is exhausted and uses no other pool', async () => {
  const release = await hold(service.app.pools.intake, SIZES.intake);
  const posted = service.post(restaurant, { orderId: 'waits' });
  await expect.poll(() => service.app.pools.intake.stats().waiting).toBeGreaterThan(0);
  await release();
  expect((await posted).status).toBe(201);
});

test('a hundred concurrent scrapes use only the metrics connection', async () => {
  const release = await hold(service.app.pools.metrics, SIZES.metrics);
  const scrapes = Array.from({ length: 100 }, () => fetch(`${service.address}/metrics`));
  // The number of statements for one scrape.
  await expect.poll(() => service.app.pools.metrics.stats().waiting).toBe(3);
  expect((await service.post(restaurant, { orderId: 'beside scrapes' })).status).toBe(201);
  expect(service.app.pools.metrics.stats()).toMatchObject({ total: SIZES.metrics, waiting: 3 });
  await release();
  expect(new Set((await Promise.all(scrapes)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('429 RATE_002: a script with too many concurrent requests is limited, and other users are served meanwhile', async () => {
  const script = await signInAs(service, 'staff', { restaurant });
  const colleague = await signInAs(service, 'staff', { restaurant });
  // Admitted requests wait for the database, so that they are all under way at the same time.
  const { panel } = service.app.pools;
  const query = panel.query.bind(panel);
  const { promise: isOver, resolve: finish } = Promise.withResolvers<undefined>();
  panel.query = async (statement, values) => {
    if (typeof statement === 'object' && statement.name === 'search_orders') await isOver;
    return query(statement, values);
  };
  const searches = Array.from({ length: 120 }, () => script.get('/api/orders?q=1'));
  const statuses: number[] = [];
  for (const search of searches)
    void search.then(
      ({ status }) => statuses.push(status),
      () => undefined,
    );
  const refused = await Promise.race(searches);
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_002', '1']);
  expect((await colleague.get('/api/orders')).status).toBe(200);
  await expect.poll(() => statuses).toHaveLength(16);
  expect(new Set(statuses)).toEqual(new Set([429]));
  finish(undefined);
  // The others follow slowly, longer than this test waits.
  await expect.poll(() => statuses.filter((status) => status === 200).length).toBeGreaterThan(4);
  panel.query = query;
});
