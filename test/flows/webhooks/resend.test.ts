// Manual operations on deliveries, concurrent with the service's own work.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardDelivery as discardAs } from '../../../src/actions/webhooks/discard-delivery.ts';
import { resendDelivery as resendAs } from '../../../src/actions/webhooks/resend-delivery.ts';
import {
  countFailedSince,
  discardDelivery,
  listDeliveries,
  resendDelivery,
  resendFailedSince,
} from '../../../src/store/webhooks/delivery-log.ts';
import type { Answer } from '../../../harness/receivers/receiver.ts';
import { openWebhookScene, type WebhookScene } from '../../scenes/webhooks.ts';

const MINUTE = 60_000;

let scene: WebhookScene;

beforeEach(async () => {
  scene = await openWebhookScene();
});

afterEach(() => scene.stop());

function resend(eventId: string, restaurantId: string | null) {
  const scope = { eventId, restaurantId, now: scene.clock.now() };
  return scene.service.app.db.transaction((tx) => resendDelivery(tx, scope));
}

async function waitForRequests(count: number): Promise<void> {
  await scene.receiver.waitFor((requests) => requests.length === count);
  await scene.service.app.engine.idle();
}

test('resending a waiting delivery sends it at once, and the retry schedule continues where it was', async () => {
  const { service, receiver, clock } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  const orderId = await scene.place(restaurant, 'resent-1');
  await waitForRequests(1);
  const { id } = await scene.deliveryOf(restaurant, orderId);
  const stranger = await service.addRestaurant();
  expect(await resend(id, stranger.id)).toBe('unknown');
  expect(await resend(id, restaurant.id)).toBe('queued');
  await waitForRequests(2);
  const expected = { state: 'waiting', attempts: 2, dueAt: clock.now() + 5 * MINUTE };
  expect(await scene.deliveryOf(restaurant, orderId)).toMatchObject(expected);
});

test('resending all failures since a given time resends exactly those', async () => {
  const { service, receiver, clock, place } = scene;
  const { db } = service.app;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  await place(restaurant, 'before-1');
  clock.moveBy(1_000);
  const since = clock.now();
  await Promise.all(Array.from({ length: 5 }, (_, index) => place(restaurant, `since-${index}`)));
  await waitForRequests(6);
  scene.respondWith(() => 200);
  await place(restaurant, 'fine-1');
  await waitForRequests(7);
  expect(await countFailedSince(db, restaurant.id, since)).toBe(5);
  const scope = { restaurantId: restaurant.id, since, now: clock.now() };
  expect(await db.transaction((tx) => resendFailedSince(tx, scope))).toBe(5);
  await waitForRequests(12);
  const states = (await listDeliveries(db, restaurant.id, 100)).map((view) => `${view.orderId} ${view.state}`);
  expect(states.sort()).toEqual([
    'before-1 waiting',
    'fine-1 delivered',
    ...Array.from({ length: 5 }, (_, index) => `since-${index} delivered`),
  ]);
});

test('a discarded delivery is never resent, and the log says so', async () => {
  const { service, receiver, clock } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  const orderId = await scene.place(restaurant, 'discarded-1');
  await waitForRequests(1);
  const { id } = await scene.deliveryOf(restaurant, orderId);
  const scope = { eventId: id, restaurantId: restaurant.id, now: clock.now() };
  expect(await service.app.db.transaction((tx) => discardDelivery(tx, scope))).toBe(true);
  clock.moveBy(30 * MINUTE);
  expect(await service.app.engine.claim()).toBe(0);
  expect((await scene.attemptsOf(id)).map((attempt) => attempt.outcome)).toEqual(['failed', 'discarded']);
  expect((await scene.deliveryOf(restaurant, orderId)).state).toBe('discarded');
});

test('command-line actions on a delivery are logged under the restaurant that owns it', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  scene.respondWith(() => 500);
  const orderId = await scene.place(restaurant, 'filed-1');
  await waitForRequests(1);
  const { id: eventId } = await scene.deliveryOf(restaurant, orderId);
  expect(await resendAs(service.app, { eventId, scope: 'everything', actor: { name: 'command line' } })).toEqual({
    kind: 'queued',
  });
  await waitForRequests(2);
  expect(await discardAs(service.app, { eventId, scope: 'everything', actor: { name: 'command line' } })).toEqual({
    kind: 'discarded',
  });
  const filed = await service.app.db.query(
    `select action, restaurant_id from audit_entries where actor = 'command line' order by id`,
  );
  expect(filed).toEqual([
    { action: 'delivery.resent', restaurantId: restaurant.id },
    { action: 'delivery.discarded', restaurantId: restaurant.id },
  ]);
});

test('a resend during an automatic retry does not send the delivery twice at once', async () => {
  const { service, receiver } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const held: { answer(answer: Answer): void }[] = [];
  let underWay = 0;
  let most = 0;
  scene.respondWith(() => {
    underWay += 1;
    most = Math.max(most, underWay);
    return new Promise((resolve) => {
      const answer = (given: Answer): void => {
        underWay -= 1;
        resolve(given);
      };
      held.push({ answer });
    });
  });
  const orderId = await scene.place(restaurant, 'both-1');
  await receiver.waitFor((requests) => requests.length === 1);
  held[0]?.answer(500);
  await service.app.engine.idle();
  const { id } = await scene.deliveryOf(restaurant, orderId);
  scene.pass(MINUTE);
  await receiver.waitFor((requests) => requests.length === 2);
  expect(await resend(id, restaurant.id)).toBe('already_sending');
  expect(await service.app.engine.claim()).toBe(0);
  held[1]?.answer(200);
  await service.app.engine.idle();
  // It has been delivered, so a new resend request sends it exactly once more.
  expect(await resend(id, restaurant.id)).toBe('queued');
  await receiver.waitFor((requests) => requests.length === 3);
  held[2]?.answer(200);
  await service.app.engine.idle();
  expect(most).toBe(1);
  expect((await scene.attemptsOf(id)).map((attempt) => [attempt.number, attempt.outcome])).toEqual([
    [1, 'failed'],
    [2, 'delivered'],
    [3, 'delivered'],
  ]);
});
