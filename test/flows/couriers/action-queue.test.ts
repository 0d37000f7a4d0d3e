// The queue of the courier's page against the real service, over a connection that loses requests and answers.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  EMPTY_LIST,
  type ActAnswer,
  type ActList,
  type QueuedAct,
} from '../../../panel/src/api/couriers/action-list.ts';
import { createActQueue, type ActQueue, type ActStore } from '../../../panel/src/api/couriers/action-queue.ts';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import type { ActKind } from '../../../src/domain/couriers/courier.ts';
import type { Command } from '../../../src/domain/orders/order.ts';
import { listEventsOfOrder } from '../../../src/store/orders/events.ts';
import { findOrderById, listOrderHistory } from '../../../src/store/orders/orders.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let restaurant: TestRestaurant;
let courierId: string;
let page: Browser;

beforeAll(async () => {
  // Without a planner, so that the test assigns the courier.
  service = await startService({ roles: ['api', 'deliver'] });
  restaurant = await service.addRestaurant({ autoApprove: true });
  const added = await addCourier(service.app, {
    name: 'In the tunnel',
    phone: '+905550000000',
    payPerOrder: null,
    latitude: 40.98,
    longitude: 29.02,
    restaurantId: restaurant.id,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  courierId = added.courier.id;
  page = await signInAs(service, 'courier', { courier: courierId });
});
afterAll(() => service.stop());

async function change(orderId: string, command: Command, role: 'restaurant' | 'courier' = 'restaurant') {
  const actor = role === 'courier' ? { role, courierId } : { role };
  const result = await service.app.changer.change({ scope: 'everything', orderId, command, actor });
  expect(result.kind).toBe('changed');
}

/** An order that the courier has accepted; by default it is ready for pickup. */
async function beginOrder({ isReady = true } = {}): Promise<string> {
  const answer = await service.post(restaurant, { orderId: randomUUID() });
  const { serviceOrderId: id } = (await answer.json()) as { serviceOrderId: string };
  await change(id, { name: 'assign', courierId });
  await change(id, { name: 'accept' }, 'courier');
  if (isReady) await change(id, { name: 'prepare' });
  return id;
}

type ConnectionBehavior = 'arrives' | 'request lost' | 'answer lost';

/** Each request uses the next behavior; after the last one, the connection works. */
function createConnection(behaviors: ConnectionBehavior[]) {
  const deliver = async ({ id, orderId, kind, at }: QueuedAct): Promise<ActAnswer> => {
    const behavior = behaviors.shift() ?? 'arrives';
    if (behavior === 'request lost') throw new Error('no connection');
    const acts = [{ id, orderId, kind, at: new Date(at).toISOString() }];
    const answer = await page.send('POST', '/api/courier/acts', { acts });
    expect(answer.status).toBe(200);
    if (behavior === 'answer lost') throw new Error('no answer');
    const [{ outcome, explanation }] = answer.body.results;
    return { outcome, explanation };
  };
  return { behaviors, deliver };
}

function openPhone(deliver: (act: QueuedAct) => Promise<ActAnswer>): { open: () => ActQueue & { close: () => void } } {
  let list: ActList = EMPTY_LIST;
  const store: ActStore = {
    read: () => Promise.resolve(list),
    change: (change) => {
      list = change(list);
      return Promise.resolve(list);
    },
  };
  const open = () => {
    const queue = createActQueue({
      courierId,
      store,
      send: deliver,
      onApplied: () => undefined,
      alone: (run) => run(),
      wait: () => () => undefined,
      notifyTabs: () => undefined,
    });
    return { ...queue, close: queue.start() };
  };
  return { open };
}

const STEPS: readonly ActKind[] = ['arrived', 'picked_up', 'arrived_dropoff', 'delivered'];
const actOf = (orderId: string, kind: ActKind) => ({ id: randomUUID(), orderId, orderNumber: '1', kind, detail: null });

test('over any connection an order is picked up and delivered once, with every step in order', async () => {
  const behavior = fc.constantFrom<ConnectionBehavior>('arrives', 'request lost', 'answer lost');
  await fc.assert(
    fc.asyncProperty(
      fc.array(behavior, { maxLength: 12 }),
      fc.array(fc.nat(4), { maxLength: 3 }),
      async (behaviors, reloads) => {
        const orderId = await beginOrder();
        const { deliver } = createConnection([...behaviors]);
        const phone = openPhone(deliver);
        let queue = phone.open();
        const before = Date.now();
        for (const [index, kind] of STEPS.entries()) {
          await queue.add(actOf(orderId, kind), before + index);
          if (!reloads.includes(index)) continue;
          queue.close();
          queue = phone.open();
        }
        // In the worst case each try uses up one behavior.
        for (let tries = 0; tries <= behaviors.length; tries += 1) await queue.flush();
        await queue.refresh();
        expect(queue.acts()).toEqual([]);
        const events = await listEventsOfOrder(service.app.db, orderId);
        expect(events.map(({ to }) => to).slice(-2)).toEqual(['ON_DELIVERY', 'DELIVERED']);
        expect(events.filter(({ to }) => to === 'ON_DELIVERY' || to === 'DELIVERED').length).toBe(2);
        const notes = (await listOrderHistory(service.app.db, orderId)).map(({ kind }) => kind);
        expect(notes.filter((kind) => kind === 'courier_at_pickup' || kind === 'courier_at_dropoff')).toEqual([
          'courier_at_pickup',
          'courier_at_dropoff',
        ]);
        queue.close();
      },
    ),
    { numRuns: 15 },
  );
});

test('a step refused because the food is not ready gives the reason, blocks later steps, and can be resent', async () => {
  const orderId = await beginOrder({ isReady: false });
  const { behaviors, deliver } = createConnection(Array.from({ length: 20 }, () => 'request lost' as const));
  const queue = openPhone(deliver).open();
  const at = Date.now();
  for (const [index, kind] of STEPS.entries()) await queue.add(actOf(orderId, kind), at + index);
  behaviors.length = 0;
  await queue.flush();
  expect(queue.acts().map(({ kind, refusal }) => [kind, refusal?.explanation])).toEqual([
    ['picked_up', "The food isn't ready yet."],
    ['arrived_dropoff', null],
    ['delivered', null],
  ]);
  expect((await findOrderById(service.app.db, orderId))?.state).toBe('ACCEPTED');
  await change(orderId, { name: 'prepare' });
  await queue.sendAgain(orderId);
  await queue.flush();
  expect(queue.acts()).toEqual([]);
  expect((await findOrderById(service.app.db, orderId))?.state).toBe('DELIVERED');
  queue.close();
});

test('a problem reported before the refused steps does not prevent resending them', async () => {
  const orderId = await beginOrder({ isReady: false });
  const { behaviors, deliver } = createConnection(Array.from({ length: 20 }, () => 'request lost' as const));
  const queue = openPhone(deliver).open();
  const at = Date.now();
  for (const [index, kind] of [...STEPS, 'problem' as const].entries())
    await queue.add(actOf(orderId, kind), at + index);
  behaviors.length = 0;
  await queue.flush();
  expect(queue.acts().map(({ kind }) => kind)).toEqual(['picked_up', 'arrived_dropoff', 'delivered']);
  await change(orderId, { name: 'prepare' });
  await queue.sendAgain(orderId);
  await queue.flush();
  expect(queue.acts()).toEqual([]);
  expect((await findOrderById(service.app.db, orderId))?.state).toBe('DELIVERED');
  queue.close();
});

test('steps on an order canceled in the meantime are refused with that reason and change nothing', async () => {
  const orderId = await beginOrder();
  const { behaviors, deliver } = createConnection(Array.from({ length: 20 }, () => 'request lost' as const));
  const queue = openPhone(deliver).open();
  await queue.add(actOf(orderId, 'picked_up'), Date.now());
  await change(orderId, { name: 'cancel', cancellation: { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'Gone' } });
  behaviors.length = 0;
  await queue.flush();
  expect(queue.acts()).toMatchObject([{ kind: 'picked_up', refusal: { explanation: 'The order was canceled.' } }]);
  expect((await findOrderById(service.app.db, orderId))?.state).toBe('CANCELED');
  queue.close();
});
