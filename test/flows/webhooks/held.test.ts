// What happens to deliveries when their restaurant's settings change.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWebhookSecret } from '../../../src/actions/webhooks/create-webhook-secret.ts';
import { switchIntegration } from '../../../src/actions/restaurants/switch-integration.ts';
import { switchWebhookSecret } from '../../../src/actions/webhooks/switch-webhook-secret.ts';
import { resendDelivery } from '../../../src/store/webhooks/delivery-log.ts';
import { countHeld } from '../../../src/store/webhooks/deliveries.ts';
import { isSigned } from '../../clients/contract-receiver.ts';
import type { TestRestaurant } from '../../../harness/service/service.ts';
import { openWebhookScene, type WebhookScene } from '../../scenes/webhooks.ts';

const MINUTE = 60_000;
/** More than a single claim takes. */
const MANY = 600;

let scene: WebhookScene;

beforeEach(async () => {
  scene = await openWebhookScene();
});

afterEach(() => scene.stop());

function switchTo({ id: restaurantId }: TestRestaurant, enabled: boolean) {
  return switchIntegration(scene.service.app, { actor: { name: 'test' }, restaurantId, enabled });
}

async function placeMany(restaurant: TestRestaurant): Promise<string[]> {
  const { place, change, courierId } = scene;
  const orders = await Promise.all(Array.from({ length: MANY }, (_, index) => place(restaurant, `many-${index}`)));
  await Promise.all(orders.map((orderId) => change(orderId, { name: 'assign', courierId })));
  return orders;
}

test('events are held without a URL and sent in order as soon as there is one', async () => {
  const { service, receiver, place, change, courierId } = scene;
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const orders = await Promise.all(Array.from({ length: 20 }, (_, index) => place(restaurant, `held-${index}`)));
  await Promise.all(
    orders.map(async (orderId) => {
      await change(orderId, { name: 'assign', courierId });
      await change(orderId, { name: 'accept' });
    }),
  );
  await service.app.engine.claim();
  expect(await countHeld(service.app.db, restaurant.id, ['status', 'cancel'])).toBe(60);
  expect(receiver.requests).toEqual([]);
  expect((await scene.deliveryOf(restaurant, orders[0] ?? '')).state).toBe('held');
  expect(await scene.setUrls(restaurant, { status: receiver.url('/status'), cancel: null })).toBe(60);
  await receiver.waitFor((requests) => requests.length === 60);
  for (const orderId of orders) expect(scene.statesReceived(orderId)).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED']);
});

test('more released orders than one claim takes are sent in order, regardless of their row order in the table', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const orders = await placeMany(restaurant);
  // Simulates a table whose freed pages were reused: all first events are stored after the second events.
  await service.app.db.query(
    `with moved as (delete from deliveries where version = 1 returning *) insert into deliveries select * from moved`,
  );
  await scene.setUrls(restaurant, { status: receiver.url('/status'), cancel: null });
  await receiver.waitFor((requests) => requests.length === 2 * MANY, 20_000);
  for (const orderId of orders) expect(scene.statesReceived(orderId)).toEqual(['VALIDATED', 'ASSIGNED']);
});

test('deliveries leased by another node do not crowd out other endpoints’ due deliveries', async () => {
  const { service, receiver, clock } = scene;
  const { db } = service.app;
  const busy = await service.addRestaurant({ autoApprove: true });
  await placeMany(busy);
  const [node] = await db.query<{ id: string }>(
    'insert into nodes (backend_pid) values (pg_backend_pid()) returning id',
  );
  await db.query('update deliveries set leased_by = $1 where version = 1', [node?.id]);
  await scene.setUrls(busy, { status: receiver.url('/busy'), cancel: null });
  clock.moveBy(1);
  const other = await service.addRestaurant({ receiver, autoApprove: true });
  const { id } = await scene.deliveryOf(other, await scene.place(other, 'other-1'));
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const scope = { eventId: id, restaurantId: other.id, now: clock.now() };
  expect(await db.transaction((tx) => resendDelivery(tx, scope))).toBe('queued');
  await receiver.waitFor((requests) => requests.length === 2, 4_000);
  expect(receiver.requests.map((request) => request.path)).toEqual(['/status', '/status']);
});

test('removing a URL or disabling the integration holds later events, which are then sent in order', async () => {
  const { service, receiver, change, courierId } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const orderId = await scene.place(restaurant, 'removed-1');
  await receiver.waitFor((requests) => requests.length === 1);
  const cancel = receiver.url('/cancel');
  await scene.setUrls(restaurant, { status: null, cancel });
  await change(orderId, { name: 'assign', courierId });
  await service.app.engine.idle();
  expect(await scene.setUrls(restaurant, { status: receiver.url('/status'), cancel })).toBe(1);
  await receiver.waitFor((requests) => requests.length === 2);
  await switchTo(restaurant, false);
  await change(orderId, { name: 'accept' });
  await change(orderId, { name: 'prepare' });
  await service.app.engine.idle();
  expect(scene.statesReceived()).toEqual(['VALIDATED', 'ASSIGNED']);
  expect(await switchTo(restaurant, true)).toMatchObject({ kind: 'switched', released: 2 });
  await receiver.waitFor((requests) => requests.length === 4);
  expect(scene.statesReceived()).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED', 'PREPARED']);
});

test('a retry that is due while the integration is disabled is held, and continues when it is enabled', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  const orderId = await scene.place(restaurant, 'disabled-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  await switchTo(restaurant, false);
  scene.pass(MINUTE);
  const stateNow = async (): Promise<string> => (await scene.deliveryOf(restaurant, orderId)).state;
  await expect.poll(stateNow, { timeout: 10_000 }).toBe('held');
  expect(receiver.requests).toHaveLength(1);
  scene.respondWith(() => 200);
  await switchTo(restaurant, true);
  await receiver.waitFor((requests) => requests.length === 2);
  await service.app.engine.idle();
  expect(await stateNow()).toBe('delivered');
});

test('the next attempt uses the URL and the secret registered at that time, and the log shows which', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true, autoApprove: true });
  scene.respondWith(() => 500);
  const orderId = await scene.place(restaurant, 'changed-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const moved = receiver.url('/moved');
  await scene.setUrls(restaurant, { status: moved, cancel: moved });
  const request = { actor: { name: 'test' }, restaurantId: restaurant.id };
  const created = await createWebhookSecret(service.app, request);
  if (created.kind === 'refused') throw new Error(created.refusal.code);
  // A pending secret is not used for signatures yet.
  scene.pass(MINUTE);
  await receiver.waitFor((requests) => requests.length === 2);
  await service.app.engine.idle();
  await switchWebhookSecret(service.app, request);
  scene.respondWith(() => 200);
  scene.pass(5 * MINUTE);
  await receiver.waitFor((requests) => requests.length === 3);
  await service.app.engine.idle();

  expect(receiver.requests.map((received) => received.path)).toEqual(['/status', '/moved', '/moved']);
  const secrets = [restaurant.secret ?? '', restaurant.secret ?? '', created.secret];
  for (const [index, received] of receiver.requests.entries()) {
    expect(isSigned(received.body, received.headers['x-service-signature'], secrets[index] ?? '')).toBe(true);
  }
  const log = await scene.attemptsOf((await scene.deliveryOf(restaurant, orderId)).id);
  expect(log.map((attempt) => attempt.url)).toEqual([receiver.url('/status'), moved, moved]);
  expect(log[1]?.secretId).toBe(log[0]?.secretId);
  expect(log[2]?.secretId).toBe(created.secretId);
});

test('a retry goes to the URL registered when it is claimed, even if its node missed the change', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  await scene.place(restaurant, 'unheard-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  // Bypasses the action, which would notify every node.
  await service.app.db.query('update endpoints set url = $1', [receiver.url('/unheard')]);
  scene.pass(MINUTE);
  await receiver.waitFor((requests) => requests.length === 2);
  expect(receiver.requests.map((received) => received.path)).toEqual(['/status', '/unheard']);
});
