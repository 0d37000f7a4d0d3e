import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { reportPosition } from '../../actions/couriers/report-position.ts';
import type { Actor } from '../../domain/orders/order.ts';
import type { Clock } from '../../platform.ts';
import { openDatabase, type Database } from '../../store/database/database.ts';
import type { AreaNews } from './updates.ts';
import { CityView } from './city-view.ts';

const OPERATOR: Actor = { role: 'operator' };

let service: TestService;
/** The view's own: the service's workers query theirs at any moment. */
let db: Database;
let restaurant: TestRestaurant;

beforeAll(async () => {
  // Without a planner, so that only the test reads or changes orders.
  service = await startService({ roles: ['api'] });
  db = openDatabase({ url: service.databaseUrl });
  restaurant = await service.addRestaurant({ autoApprove: true, latitude: 41, longitude: 29 });
});

afterAll(async () => {
  await db.close();
  await service.stop();
});

async function newOrder(at = restaurant): Promise<string> {
  const answer = await service.post(at, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function openView(clock: Clock = service.app.clock) {
  await newOrder();
  const view = new CityView({ db, clock });
  const lookAtAll = () => view.lookAtAll(async (busy) => busy);
  await lookAtAll();
  const look = async (orderId: string) => {
    if (!(await view.lookAt([orderId]))) return undefined;
    return view.takeNews(restaurant.id)?.orders.map(({ order }) => order);
  };
  return { view, lookAtAll, look };
}

function namesOf(calls: readonly (readonly [string | { name?: string }, ...unknown[]])[]): string[] {
  return calls.map(([statement]) => (typeof statement === 'string' ? statement : (statement.name ?? '')));
}

function assign(orderId: string, courierId: string) {
  return service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'assign', courierId },
    actor: OPERATOR,
  });
}

test('refreshing one order reads only that order', async () => {
  const { look } = await openView();
  const orderId = await newOrder();
  const queries = vi.spyOn(db, 'query');
  const orders = await look(orderId);
  expect(namesOf(queries.mock.calls)).toEqual(['list_planning_orders', 'list_order_facts']);
  queries.mockRestore();
  expect(orders?.map(({ id }) => id)).toContain(orderId);
});

test('when nothing is planned anymore, no order is read and known orders are reported as gone', async () => {
  const { view, look } = await openView();
  const orderId = await newOrder();
  await look(orderId);
  const queries = vi.spyOn(db, 'query');
  await view.lookAtAll(async () => new Set());
  expect(view.takeNews(restaurant.id)).toMatchObject({ orders: [], gone: expect.arrayContaining([orderId]) });
  expect(namesOf(queries.mock.calls)).toEqual(['list_live_revisions']);
  queries.mockRestore();
  expect(view.takeGone()).toContain(orderId);
});

test('an order whose courier came on duty after the last full refresh triggers another', async () => {
  const { lookAtAll, look } = await openView();
  const orderId = await newOrder();
  const courierId = await service.addCourier('New');
  expect(await assign(orderId, courierId)).toMatchObject({ kind: 'changed' });
  expect(await look(orderId)).toBeUndefined();
  await lookAtAll();
  expect(await look(orderId)).toContainEqual(expect.objectContaining({ id: orderId, courierId }));
});

test('the first order of an area triggers a full refresh; one of an area planned elsewhere does not', async () => {
  const { view, lookAtAll } = await openView();
  const far = await service.addRestaurant({ autoApprove: true, latitude: -33.9, longitude: 18.4 });
  const newOrderThere = async () => {
    const answer = await service.post(far, { orderId: randomUUID() });
    return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
  };
  expect(await view.lookAt([await newOrderThere()])).toBe(false);
  await lookAtAll();
  const second = await newOrderThere();
  await view.lookAtAll(async () => new Set([restaurant.id]));
  expect(await view.lookAt([second])).toBe(true);
});

test('an area first gets everything, then only changes, and everything again after a reset', async () => {
  const { view, lookAtAll } = await openView();
  const old = await newOrder();
  await lookAtAll();
  const idsOf = (news: AreaNews | undefined) => news?.orders.map(({ order }) => order.id);
  const first = view.takeNews(restaurant.id);
  expect(first).toMatchObject({ restaurants: [{ id: restaurant.id }], gone: [], couriers: { elsewhere: [] } });
  expect(idsOf(first)).toContain(old);
  expect(view.takeNews(restaurant.id)).toMatchObject({ restaurants: null, orders: [], gone: [], couriers: null });
  const added = await newOrder();
  const reason = { reasonId: 'OTHER', by: 'Restaurant', text: 'Test' } as const;
  const cancel = { name: 'cancel', cancellation: reason } as const;
  expect(
    await service.app.changer.change({ scope: 'everything', orderId: old, command: cancel, actor: OPERATOR }),
  ).toMatchObject({
    kind: 'changed',
  });
  await view.lookAt([added, old]);
  await lookAtAll();
  const second = view.takeNews(restaurant.id);
  expect(second).toMatchObject({ restaurants: null, gone: [old], couriers: first?.couriers });
  expect(idsOf(second)).toEqual([added]);
  await view.lookAt([added]);
  view.forgetPending();
  const third = view.takeNews(restaurant.id);
  expect(third).toMatchObject({ restaurants: first?.restaurants, gone: [] });
  expect(idsOf(third)?.toSorted()).toEqual([...(idsOf(first) ?? []).filter((id) => id !== old), added].toSorted());
});

test('when a restaurant moves, its area gets all its restaurants again', async () => {
  let nowMs = 0;
  const { view, lookAtAll } = await openView({ ...service.app.clock, monotonicMs: () => nowMs });
  view.takeNews(restaurant.id);
  await service.app.db.query('update restaurants set latitude = 41.5 where id = $1', [restaurant.id]);
  await lookAtAll();
  expect(view.takeNews(restaurant.id)).toMatchObject({ restaurants: null });
  nowMs = 10_000;
  await lookAtAll();
  expect(view.takeNews(restaurant.id)).toMatchObject({ restaurants: [{ place: { latitude: 41.5 } }] });
});

test('a courier carrying an order of an area planned elsewhere is not planned here, at any position', async () => {
  const { view } = await openView();
  const farAway = await service.addRestaurant({ autoApprove: true, latitude: 42, longitude: 29 });
  const [guest, local] = [await service.addCourier('Guest'), await service.addCourier('Local')];
  for (const courierId of [guest, local]) {
    await reportPosition(service.app, courierId, { latitude: 41, longitude: 29 });
  }
  expect(await assign(await newOrder(farAway), guest)).toMatchObject({ kind: 'changed' });
  await view.lookAtAll(async () => new Set([restaurant.id]));
  const couriers = view.takeNews(restaurant.id)?.couriers;
  expect(couriers?.here.map(({ id }) => id)).toContain(local);
  expect(couriers?.here.map(({ id }) => id)).not.toContain(guest);
  expect(couriers?.elsewhere).toContain(guest);
});
