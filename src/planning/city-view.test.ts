import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../test/helpers/service.ts';
import { CityView } from './city-view.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  // Without a planner: nothing reads or changes an order but the test.
  service = await startService({ roles: ['api'] });
  restaurant = await service.addRestaurant({ autoApprove: true, latitude: 41, longitude: 29 });
});

afterAll(() => service.stop());

async function newOrder(): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function openView() {
  await newOrder();
  const view = new CityView(service.app);
  const areas = await view.listBusyAreas();
  await view.lookAtAll(areas);
  const look = async (orderId: string) => (await view.lookAt([orderId]))?.get(restaurant.id)?.orders;
  return { view, areas, look };
}

/** What was read; a bell may ring late. */
function namesOf(calls: readonly (readonly [string | { name?: string }, ...unknown[]])[]): string[] {
  return calls
    .map(([statement]) => (typeof statement === 'string' ? statement : (statement.name ?? '')))
    .filter((name) => name !== 'notify_planners');
}

function assign(orderId: string, courierId: string) {
  return service.app.changer.change({
    orderId,
    command: { name: 'assign', courierId },
    actor: { role: 'operator' },
  });
}

test('a look at an order reads that order and nothing else', async () => {
  const { look } = await openView();
  const orderId = await newOrder();
  const queries = vi.spyOn(service.app.db, 'query');
  const orders = await look(orderId);
  expect(namesOf(queries.mock.calls)).toEqual(['list_planning_orders', 'list_order_facts']);
  queries.mockRestore();
  expect(orders?.map(({ id }) => id)).toContain(orderId);
});

test('where nothing is planned any more, nothing is read, and what was seen before is known to be gone', async () => {
  const { view, look } = await openView();
  const orderId = await newOrder();
  await look(orderId);
  const queries = vi.spyOn(service.app.db, 'query');
  expect((await view.lookAtAll(new Set())).get(restaurant.id)?.orders).toEqual([]);
  expect(namesOf(queries.mock.calls)).toEqual([]);
  queries.mockRestore();
  expect(view.takeGone()).toContain(orderId);
});

test('an order whose courier came on duty after the last look at everything asks for another', async () => {
  const { view, areas, look } = await openView();
  const orderId = await newOrder();
  const courierId = await service.addCourier('New');
  expect(await assign(orderId, courierId)).toMatchObject({ kind: 'changed' });
  expect(await look(orderId)).toBeUndefined();
  await view.lookAtAll(areas);
  expect(await look(orderId)).toContainEqual(expect.objectContaining({ id: orderId, courierId }));
});
