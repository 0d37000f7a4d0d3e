// Two planning nodes: only one at a time plans an area, and the other takes over if it dies.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { findOrderById, listOrderHistory } from '../../../src/store/orders/orders.ts';
import { startNode, type NodeProcess } from '../../../harness/nodes/node.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const PLACE = { latitude: 40.98, longitude: 29.02 };
const ROLES = ['api', 'deliver', 'plan'] as const;

let admin: TestService;
const nodes: NodeProcess[] = [];

beforeAll(async () => {
  admin = await startService({ roles: ['api'] });
});

afterAll(async () => {
  for (const node of nodes) await node.kill();
  await admin.stop();
});

async function addRestaurantWithCourier(latitude: number): Promise<TestRestaurant> {
  const place = { ...PLACE, latitude };
  const restaurant = await admin.addRestaurant({ autoApprove: true, preparationMinutes: 0, ...place });
  const { id: restaurantId } = restaurant;
  await addCourier(admin.app, {
    name: 'Ada',
    phone: null,
    ...place,
    restaurantId,
    onDuty: true,
    actor: { name: 'test' },
  });
  return restaurant;
}

async function placeAt(node: NodeProcess, restaurant: TestRestaurant, order: { orderId: string; latitude?: number }) {
  const { orderId, latitude = PLACE.latitude } = order;
  let serviceOrderId = '';
  // On a busy machine, a node that has just started may answer 503; then the same request is retried, as a till would.
  const post = async (): Promise<number> => {
    const answer = await node.post(restaurant, { orderId, dropoff: { location: { ...PLACE, latitude } } });
    ({ serviceOrderId } = (await answer.json()) as { serviceOrderId: string });
    return answer.status;
  };
  await expect.poll(post, { timeout: 15_000 }).toBeOneOf([200, 201]);
  return serviceOrderId;
}

const isOffered = async (orderId: string) => (await findOrderById(admin.app.db, orderId))?.state === 'ASSIGNED';

async function readHolders(): Promise<(string | null)[]> {
  const rows = await admin.app.db.query<{ heldBy: string | null }>(
    'select held_by from planning_areas where held_until > now() order by id',
  );
  return rows.map((row) => row.heldBy);
}

test('an area whose planner is killed is taken over by another node within 10 s', async () => {
  const restaurant = await addRestaurantWithCourier(40.98);
  const first = await startNode({ ...admin, roles: ROLES });
  nodes.push(first);
  const before = await placeAt(first, restaurant, { orderId: 'before' });
  // A node's first plan waits until its planning thread has loaded.
  await expect.poll(() => isOffered(before), { timeout: 30_000 }).toBe(true);
  const [holder] = await readHolders();

  const second = await startNode({ ...admin, roles: ROLES });
  nodes.push(second);
  const meanwhile = await placeAt(second, restaurant, { orderId: 'meanwhile' });
  await expect.poll(() => isOffered(meanwhile), { timeout: 10_000 }).toBe(true);
  expect(await readHolders()).toEqual([holder]);

  await first.kill();
  const killedAt = performance.now();
  const after = await placeAt(second, restaurant, { orderId: 'after' });
  const countSuccessors = async () => (await readHolders()).filter((held) => held !== holder).length;
  await expect.poll(countSuccessors, { interval: 50 }).toBe(1);
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  await expect.poll(() => isOffered(after), { timeout: 30_000 }).toBe(true);
  // The offer that the first planner made is still valid.
  const history = await listOrderHistory(admin.app.db, before);
  expect(history.map(({ kind }) => kind)).toEqual(['courier_offered']);
}, 90_000);

test('distant areas are planned separately, each by one node', async () => {
  const far = await addRestaurantWithCourier(41.9);
  const [node] = nodes.slice(-1);
  if (node === undefined) throw new Error('A node is needed');
  const id = await placeAt(node, far, { orderId: 'far', latitude: 41.9 });
  await expect.poll(() => isOffered(id), { timeout: 15_000 }).toBe(true);
  expect(await readHolders()).toHaveLength(2);
}, 30_000);
