// When the System acts automatically, and what waiting for that costs.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expireOrders } from '../../../src/actions/orders/expire-orders.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { updateOrders } from '../../../src/store/orders/writes.ts';
import { openWebhookScene, type WebhookScene } from '../../scenes/webhooks.ts';

const MINUTE = 60_000;

let scene: WebhookScene;

beforeEach(async () => {
  scene = await openWebhookScene();
});

afterEach(() => scene.stop());

async function stateOf(orderId: string): Promise<string | undefined> {
  const [row] = await scene.service.app.db.query<{ state: string }>('select state from orders where id = $1', [
    orderId,
  ]);
  return row?.state;
}

/** Repeats until no order is left to check at this time; the service's own worker may take some. */
async function look(): Promise<void> {
  const { app } = scene.service;
  const isLeft = async (): Promise<boolean> => {
    await expireOrders(app);
    const now = new Date(app.clock.now()).toISOString();
    return (await app.db.query('select from orders where look_at <= $1', [now])).length > 0;
  };
  await expect.poll(isLeft, { timeout: 10_000 }).toBe(false);
}

test('the courier search ends the restaurant’s limit after the approval, even when the approval is late', async () => {
  const { service, place, change, courierId } = scene;
  const restaurant = await service.addRestaurant({ courierWaitLimitMinutes: 30 });
  const prompt = await place(restaurant, 'prompt');
  const slow = await place(restaurant, 'slow');
  const forgotten = await place(restaurant, 'forgotten');
  const accepted = await place(restaurant, 'accepted');
  await change(prompt, { name: 'approve' });
  await change(accepted, { name: 'approve' });
  await change(accepted, { name: 'assign', courierId });
  await change(accepted, { name: 'accept' });
  scene.clock.moveBy(10 * MINUTE);
  await change(slow, { name: 'approve' });
  const start = scene.clock.now() - 10 * MINUTE;
  // Plus a second: changes of an order need distinct times, so approvals may be milliseconds ahead of the clock.
  const statesAt = async (minute: number): Promise<(string | undefined)[]> => {
    scene.clock.moveTo(start + minute * MINUTE + 1_000);
    await look();
    return Promise.all([prompt, slow, forgotten, accepted].map(stateOf));
  };
  expect(await statesAt(29)).toEqual(['VALIDATED', 'VALIDATED', 'NEW', 'ACCEPTED']);
  expect(await statesAt(30)).toEqual(['CANCELED', 'VALIDATED', 'NEW', 'ACCEPTED']);
  expect(await statesAt(39)).toEqual(['CANCELED', 'VALIDATED', 'NEW', 'ACCEPTED']);
  expect(await statesAt(40)).toEqual(['CANCELED', 'CANCELED', 'NEW', 'ACCEPTED']);
  // Approved after a check that found nothing to cancel.
  await change(forgotten, { name: 'approve' });
  expect(await statesAt(69)).toEqual(['CANCELED', 'CANCELED', 'VALIDATED', 'ACCEPTED']);
  expect(await statesAt(70)).toEqual(['CANCELED', 'CANCELED', 'CANCELED', 'ACCEPTED']);
});

test('a limit that is shortened applies from the next approval', async () => {
  const { service, place, change } = scene;
  const restaurant = await service.addRestaurant({ courierWaitLimitMinutes: 60 });
  const orderId = await place(restaurant, 'shortened');
  await service.app.db.query('update restaurants set courier_wait_limit_minutes = 5');
  await change(orderId, { name: 'approve' });
  scene.clock.moveBy(5 * MINUTE + 1_000);
  await look();
  expect(await stateOf(orderId)).toBe('CANCELED');
});

test('setting or clearing the deadline updates no index', async () => {
  const { service, place, clock } = scene;
  const restaurant = await service.addRestaurant({ courierWaitLimitMinutes: 30 });
  const id = await place(restaurant, 'in-its-page');
  const { db } = service.app;
  const approved: Order = {
    id,
    state: 'VALIDATED',
    version: 1,
    lastChangedAt: clock.now(),
    courierId: null,
    courierOfferedAt: null,
    courierAcceptedAt: null,
    kitchenReadyAt: null,
    wantedAt: null,
    deadlineAt: clock.now() + 30 * MINUTE,
    cancellation: null,
  };
  const write = { events: [], notes: [], now: clock.now(), nodeId: null };
  const counts = await db.transaction(async (tx) => {
    await updateOrders(tx, { ...write, orders: [approved] });
    await updateOrders(tx, { ...write, orders: [{ ...approved, version: 2, deadlineAt: null }] });
    return tx.query(`select pg_stat_get_xact_tuples_updated('orders'::regclass)::int as updated,
      pg_stat_get_xact_tuples_hot_updated('orders'::regclass)::int as within_their_page`);
  });
  expect(counts).toEqual([{ updated: 2, withinTheirPage: 2 }]);
});
