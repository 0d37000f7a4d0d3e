import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';
import { addCourier } from '../../actions/couriers/add-courier.ts';
import { lockOrder } from '../../actions/planning/lock-order.ts';
import { REOFFER_PAUSE_MS } from '../../domain/couriers/courier.ts';
import type { Actor, Command } from '../../domain/orders/order.ts';
import { createPlatform } from '../../platform.ts';
import { listLiveRevisions } from '../../store/planning/orders.ts';
import { LiveOrders, type OrderChanges } from './live-orders.ts';

const clock = createSimulatedClock('2026-03-01T12:00:00Z');

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  // Without a planner, so that only the test changes orders.
  service = await startService({ roles: ['api'], platform: createPlatform(undefined, clock) });
});

afterAll(() => service.stop());

async function newOrder(): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID() });
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function newCourier(): Promise<string> {
  const profile = { name: randomUUID(), phone: null, latitude: 41, longitude: 29, restaurantId: null, onDuty: true };
  const added = await addCourier(service.app, { ...profile, actor: { name: 'test' } });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  return added.courier.id;
}

async function act(orderId: string, command: Command, actor: Actor): Promise<void> {
  expect(await service.app.changer.change({ scope: 'everything', orderId, command, actor })).toMatchObject({
    kind: 'changed',
  });
}

async function openLiveOrders() {
  restaurant = await service.addRestaurant({ autoApprove: true });
  const { db } = service.app;
  const liveOrders = new LiveOrders();
  const idsOf = ({ changed, gone }: OrderChanges) => ({
    orders: new Map([...liveOrders.all()].map(({ order }) => [order.id, order])),
    facts: new Map([...liveOrders.all()].map(({ order, facts }) => [order.id, facts])),
    changed: changed.map(({ order }) => order.id).toSorted(),
    gone: gone.map(({ id }) => id),
  });
  return {
    read: async () => {
      const listed = await listLiveRevisions(db);
      return idsOf(await liveOrders.readAll(db, { restaurantIds: [restaurant.id], listed, now: clock.now() }));
    },
    readNamed: async (...ids: string[]) => idsOf(await liveOrders.readNamed(db, ids, clock.now())),
    takeGone: () => liveOrders.takeGone(),
  };
}

const operator: Actor = { role: 'operator' };

const cancel: Command = { name: 'cancel', cancellation: { reasonId: 'OTHER', by: 'Restaurant', text: 'Test' } };

test('only orders that changed, appeared or ended are read again', async () => {
  const { read, takeGone } = await openLiveOrders();
  const [stays, changes, ends, locked] = [await newOrder(), await newOrder(), await newOrder(), await newOrder()];
  const courierId = await newCourier();
  const before = await read();
  expect([...before.orders.keys()].toSorted()).toEqual([stays, changes, ends, locked].toSorted());
  await act(changes, { name: 'assign', courierId }, operator);
  await act(ends, cancel, operator);
  await lockOrder(service.app, { scope: 'everything', orderId: locked, courierId, actor: { name: 'test' } });
  const comes = await newOrder();
  const after = await read();
  expect(after.orders.get(stays)).toBe(before.orders.get(stays));
  expect(after.facts.get(stays)).toBe(before.facts.get(stays));
  expect(after.orders.get(changes)).toMatchObject({ state: 'ASSIGNED', courierId });
  expect(after.orders.get(locked)).toMatchObject({ lockedTo: courierId });
  // Only its place in the plan has changed, not its content.
  expect(after.facts.get(locked)).toBe(before.facts.get(locked));
  expect([...after.orders.keys()].toSorted()).toEqual([stays, changes, locked, comes].toSorted());
  expect(after).toMatchObject({ changed: [changes, locked, comes].toSorted(), gone: [ends] });
  expect(takeGone()).toEqual([ends]);
  expect(takeGone()).toEqual([]);
});

test('an order that ends between the change query and its read is reported as gone', async () => {
  const { read } = await openLiveOrders();
  const orderId = await newOrder();
  await read();
  await act(orderId, { name: 'assign', courierId: await newCourier() }, operator);
  const { db } = service.app;
  const query = db.query.bind(db);
  const spy = vi.spyOn(db, 'query').mockImplementation(async (statement, values) => {
    if (typeof statement !== 'string' && statement.name === 'list_planning_orders') {
      spy.mockRestore();
      await act(orderId, cancel, operator);
    }
    return query(statement, values);
  });
  expect(await read()).toMatchObject({ changed: [], gone: [orderId] });
});

test('a partial refresh sees changes of its own orders, and a full refresh sees the rest', async () => {
  const { read, readNamed, takeGone } = await openLiveOrders();
  const [named, other, ends] = [await newOrder(), await newOrder(), await newOrder()];
  const courierId = await newCourier();
  const before = await read();
  for (const id of [named, other]) await act(id, { name: 'assign', courierId }, operator);
  await act(ends, cancel, operator);
  const comes = await newOrder();
  const after = await readNamed(named, ends, comes);
  expect(after.orders.get(named)).toMatchObject({ state: 'ASSIGNED', courierId });
  expect(after.orders.get(other)).toBe(before.orders.get(other));
  expect(after.facts.get(comes)).toMatchObject({ id: comes });
  expect([...after.orders.keys()].toSorted()).toEqual([named, other, comes].toSorted());
  expect(after).toMatchObject({ changed: [named, comes].toSorted(), gone: [ends] });
  expect(takeGone()).toEqual([ends]);
  const whole = await read();
  expect(whole.orders.get(other)).toMatchObject({ state: 'ASSIGNED', courierId });
  expect(whole).toMatchObject({ changed: [other], gone: [] });
  // An order that was read by id is not read again.
  expect(whole.orders.get(named)).toBe(after.orders.get(named));
  expect(whole.facts.get(comes)).toBe(after.facts.get(comes));
});

test('orders awaiting approval or of restaurants planned elsewhere are excluded', async () => {
  const { read, readNamed } = await openLiveOrders();
  const ours = await newOrder();
  await read();
  restaurant = await service.addRestaurant({ autoApprove: true });
  const elsewhere = await newOrder();
  restaurant = await service.addRestaurant({ autoApprove: false });
  const unapproved = await newOrder();
  expect([...(await readNamed(elsewhere, unapproved)).orders.keys()]).toEqual([ours]);
});

test('a refusal counts until its rest period ends, although the order itself does not change then', async () => {
  const { read } = await openLiveOrders();
  const orderId = await newOrder();
  const courierId = await newCourier();
  await act(orderId, { name: 'assign', courierId }, operator);
  await act(orderId, { name: 'decline', reason: 'Too far' }, { role: 'courier', courierId });
  expect((await read()).orders.get(orderId)).toMatchObject({ refusedBy: [courierId] });
  clock.moveBy(REOFFER_PAUSE_MS + 1_000);
  expect((await read()).orders.get(orderId)).toMatchObject({ refusedBy: [] });
});
