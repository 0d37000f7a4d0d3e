// What happens to deliveries when a restaurant's settings change under them, and when people interfere.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWebhookSecret } from '../../src/actions/create-webhook-secret.ts';
import { setWebhookUrls } from '../../src/actions/set-webhook-urls.ts';
import { switchIntegration } from '../../src/actions/switch-integration.ts';
import { switchWebhookSecret } from '../../src/actions/switch-webhook-secret.ts';
import type { Command } from '../../src/domain/order.ts';
import { createPlatform } from '../../src/platform.ts';
import {
  countFailedSince,
  discardDelivery,
  listDeliveries,
  resendDelivery,
  resendFailedSince,
} from '../../src/store/delivery-log.ts';
import { countHeld } from '../../src/store/deliveries.ts';
import { isSigned } from '../helpers/contract-receiver.ts';
import { startReceiver, type Answer, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../helpers/service.ts';
import { createSimulatedClock } from '../helpers/simulated-clock.ts';

const MINUTE = 60_000;
const clock = createSimulatedClock('2026-03-01T09:00:00Z');
const by = { actor: 'test' };
let service: TestService;
let receiver: Receiver;
let courierId: string;
let respond: (request: ReceivedRequest) => Answer | Promise<Answer> = () => 200;

beforeEach(async () => {
  respond = () => 200;
  receiver = await startReceiver({ onRequest: (request) => respond(request) });
  service = await startService({ platform: createPlatform(undefined, clock) });
  courierId = await service.addCourier();
});

afterEach(async () => {
  await service.stop();
  await receiver.close();
});

async function place(restaurant: TestRestaurant, orderId: string): Promise<string> {
  const answer = await service.post(restaurant, { orderId });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

async function change(orderId: string, command: Command): Promise<void> {
  const actor =
    command.name === 'accept' ? ({ role: 'courier', courierId } as const) : ({ role: 'restaurant' } as const);
  expect((await service.app.changer.change({ orderId, command, actor })).kind).toBe('changed');
}

function statesReceived(path = '/status'): string[] {
  return receiver.requests
    .filter((request) => request.path === path)
    .map((request) => (JSON.parse(request.body.toString()) as { status: string }).status);
}

/** The status delivery of an order that has one event. */
async function deliveryOf(restaurant: TestRestaurant, orderId: string) {
  const views = await listDeliveries(service.app.db, restaurant.id, 100);
  const view = views.find((candidate) => candidate.serviceOrderId === orderId);
  if (view === undefined) throw new Error('There is no such delivery');
  return view;
}

function attemptsOf(eventId: string) {
  return service.app.db.query<{ number: number; outcome: string; url: string; secret_id: string; status: number }>(
    'select number, outcome, url, secret_id, status from attempts where event_id = $1 order by id',
    [eventId],
  );
}

async function setUrls(restaurant: TestRestaurant, status: string | null, cancel: string | null): Promise<number> {
  const urls = { status, cancel };
  const set = await setWebhookUrls(service.app, { ...by, restaurantId: restaurant.restaurantId, urls });
  if (set.kind === 'refused') throw new Error(set.message);
  return set.released;
}

function switchTo(restaurant: TestRestaurant, enabled: boolean) {
  return switchIntegration(service.app, { ...by, restaurantId: restaurant.restaurantId, enabled });
}

/** Two events that wait for a URL, and the ones that come afterwards. */
async function liveOn(orderId: string): Promise<void> {
  await change(orderId, { name: 'assign', courierId });
  await change(orderId, { name: 'accept' });
}

test('without a URL events are held, and leave in order as soon as there is one', async () => {
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const orders = await Promise.all(Array.from({ length: 20 }, (_, index) => place(restaurant, `held-${index}`)));
  await Promise.all(orders.map(liveOn));
  await service.app.engine.claim();
  expect(await countHeld(service.app.db, restaurant.id, ['status', 'cancel'])).toBe(60);
  expect(receiver.requests).toEqual([]);
  expect((await deliveryOf(restaurant, orders[0] ?? '')).state).toBe('held');
  expect(await setUrls(restaurant, receiver.url('/status'), null)).toBe(60);
  await receiver.waitFor((requests) => requests.length === 60);
  for (const orderId of orders) {
    const mine = receiver.requests.filter((request) => request.body.includes(orderId));
    const states = mine.map((request) => (JSON.parse(request.body.toString()) as { status: string }).status);
    expect(states).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED']);
  }
});

test('more released orders than one claim takes leave in order, wherever their rows lie in the table', async () => {
  const restaurant = await service.addRestaurant({ autoApprove: true });
  const orders = await Promise.all(Array.from({ length: 600 }, (_, index) => place(restaurant, `many-${index}`)));
  await Promise.all(orders.map((orderId) => change(orderId, { name: 'assign', courierId })));
  // As it is in a table whose early pages were freed and used again: the first events lie behind all second ones.
  await service.app.db.query(
    `with moved as (delete from deliveries where version = 1 returning *) insert into deliveries select * from moved`,
  );
  await setUrls(restaurant, receiver.url('/status'), null);
  await receiver.waitFor((requests) => requests.length === 1_200, 20_000);
  for (const orderId of orders) {
    const mine = receiver.requests.filter((request) => request.body.includes(orderId));
    const states = mine.map((request) => (JSON.parse(request.body.toString()) as { status: string }).status);
    expect(states).toEqual(['VALIDATED', 'ASSIGNED']);
  }
});

test('what another node has under way does not crowd out what is due for others', async () => {
  const { db } = service.app;
  const busy = await service.addRestaurant({ autoApprove: true });
  const orders = await Promise.all(Array.from({ length: 600 }, (_, index) => place(busy, `busy-${index}`)));
  await Promise.all(orders.map((orderId) => change(orderId, { name: 'assign', courierId })));
  const [node] = await db.query<{ id: string }>(
    'insert into nodes (backend_pid) values (pg_backend_pid()) returning id',
  );
  await db.query('update deliveries set leased_by = $1 where version = 1', [node?.id]);
  await setUrls(busy, receiver.url('/busy'), null);
  clock.moveBy(1);
  const other = await service.addRestaurant({ receiver, autoApprove: true });
  const { id } = await deliveryOf(other, await place(other, 'other-1'));
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const scope = { eventId: id, restaurantId: other.id, now: clock.now() };
  expect(await db.transaction((tx) => resendDelivery(tx, scope))).toBe('queued');
  await receiver.waitFor((requests) => requests.length === 2, 4_000);
  expect(statesReceived()).toEqual(['VALIDATED', 'VALIDATED']);
});

test('a URL removed and an integration disabled in the middle hold what follows; what follows leaves in order', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const orderId = await place(restaurant, 'removed-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await setUrls(restaurant, null, receiver.url('/cancel'));
  await change(orderId, { name: 'assign', courierId });
  await service.app.engine.idle();
  expect(await setUrls(restaurant, receiver.url('/status'), receiver.url('/cancel'))).toBe(1);
  await receiver.waitFor((requests) => requests.length === 2);
  await switchTo(restaurant, false);
  await change(orderId, { name: 'accept' });
  await change(orderId, { name: 'prepare' });
  await service.app.engine.idle();
  expect(statesReceived()).toEqual(['VALIDATED', 'ASSIGNED']);
  expect(await switchTo(restaurant, true)).toMatchObject({ kind: 'switched', released: 2 });
  await receiver.waitFor((requests) => requests.length === 4);
  expect(statesReceived()).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED', 'PREPARED']);
});

test('a retry that comes due while the integration is disabled is held, and goes on when it is enabled', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  respond = () => 500;
  const orderId = await place(restaurant, 'disabled-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  await switchTo(restaurant, false);
  clock.moveBy(MINUTE);
  service.app.engine.wake();
  await expect.poll(async () => (await deliveryOf(restaurant, orderId)).state, { timeout: 10_000 }).toBe('held');
  expect(receiver.requests).toHaveLength(1);
  respond = () => 200;
  await switchTo(restaurant, true);
  await receiver.waitFor((requests) => requests.length === 2);
  await service.app.engine.idle();
  expect((await deliveryOf(restaurant, orderId)).state).toBe('delivered');
});

test('the next attempt uses the URL and the secret that are registered then, and the log shows which', async () => {
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true, autoApprove: true });
  respond = () => 500;
  const orderId = await place(restaurant, 'changed-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const moved = receiver.url('/moved');
  await setUrls(restaurant, moved, moved);
  const request = { ...by, restaurantId: restaurant.restaurantId };
  const created = await createWebhookSecret(service.app, request);
  if (created.kind === 'refused') throw new Error(created.message);
  // A pending secret does not sign yet.
  clock.moveBy(MINUTE);
  service.app.engine.wake();
  await receiver.waitFor((requests) => requests.length === 2);
  await service.app.engine.idle();
  await switchWebhookSecret(service.app, request);
  respond = () => 200;
  clock.moveBy(5 * MINUTE);
  service.app.engine.wake();
  await receiver.waitFor((requests) => requests.length === 3);
  await service.app.engine.idle();

  expect(receiver.requests.map((received) => received.path)).toEqual(['/status', '/moved', '/moved']);
  const secrets = [restaurant.secret ?? '', restaurant.secret ?? '', created.secret];
  for (const [index, received] of receiver.requests.entries()) {
    expect(isSigned(received.body, received.headers['x-service-signature'], secrets[index] ?? '')).toBe(true);
  }
  const log = await attemptsOf((await deliveryOf(restaurant, orderId)).id);
  expect(log.map((attempt) => attempt.url)).toEqual([receiver.url('/status'), moved, moved]);
  expect(log[1]?.secret_id).toBe(log[0]?.secret_id);
  expect(log[2]?.secret_id).toBe(created.secretId);
});

test('resending one that waits sends it at once, and the ladder goes on from where it was', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  respond = () => 500;
  const orderId = await place(restaurant, 'resent-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const { id } = await deliveryOf(restaurant, orderId);
  const resend = (restaurantId: string | null) =>
    service.app.db.transaction((tx) => resendDelivery(tx, { eventId: id, restaurantId, now: clock.now() }));
  const stranger = await service.addRestaurant();
  expect(await resend(stranger.id)).toBe('unknown');
  expect(await resend(restaurant.id)).toBe('queued');
  await receiver.waitFor((requests) => requests.length === 2);
  await service.app.engine.idle();
  expect(await deliveryOf(restaurant, orderId)).toMatchObject({
    state: 'waiting',
    attempts: 2,
    dueAt: clock.now() + 5 * MINUTE,
  });
});

test('resending all that failed since a time resends exactly those', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  respond = () => 500;
  await place(restaurant, 'before-1');
  clock.moveBy(1_000);
  const since = clock.now();
  await Promise.all(Array.from({ length: 5 }, (_, index) => place(restaurant, `since-${index}`)));
  await receiver.waitFor((requests) => requests.length === 6);
  await service.app.engine.idle();
  respond = () => 200;
  await place(restaurant, 'fine-1');
  await receiver.waitFor((requests) => requests.length === 7);
  await service.app.engine.idle();
  const { db } = service.app;
  expect(await countFailedSince(db, restaurant.id, since)).toBe(5);
  const scope = { restaurantId: restaurant.id, since, now: clock.now() };
  expect(await db.transaction((tx) => resendFailedSince(tx, scope))).toBe(5);
  await receiver.waitFor((requests) => requests.length === 12);
  await service.app.engine.idle();
  const states = (await listDeliveries(db, restaurant.id, 100)).map((view) => `${view.orderId} ${view.state}`);
  expect(states.sort()).toEqual([
    'before-1 waiting',
    'fine-1 delivered',
    ...Array.from({ length: 5 }, (_, index) => `since-${index} delivered`),
  ]);
});

test('a discarded delivery is never sent again, and the log says so', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  respond = () => 500;
  const orderId = await place(restaurant, 'discarded-1');
  await receiver.waitFor((requests) => requests.length === 1);
  await service.app.engine.idle();
  const { id } = await deliveryOf(restaurant, orderId);
  const scope = { eventId: id, restaurantId: restaurant.id, now: clock.now() };
  expect(await service.app.db.transaction((tx) => discardDelivery(tx, scope))).toBe(true);
  clock.moveBy(30 * MINUTE);
  expect(await service.app.engine.claim()).toBe(0);
  expect((await attemptsOf(id)).map((attempt) => attempt.outcome)).toEqual(['failed', 'discarded']);
  expect((await deliveryOf(restaurant, orderId)).state).toBe('discarded');
});

test('a resend while the automatic retry is under way does not send it twice at a time', async () => {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  let underWay = 0;
  let most = 0;
  const answers: (() => void)[] = [];
  respond = () => {
    underWay += 1;
    most = Math.max(most, underWay);
    return new Promise((resolve) => {
      answers.push(() => {
        underWay -= 1;
        resolve(answers.length === 1 ? 500 : 200);
      });
    });
  };
  const orderId = await place(restaurant, 'both-1');
  await receiver.waitFor((requests) => requests.length === 1);
  answers[0]?.();
  await service.app.engine.idle();
  const { id } = await deliveryOf(restaurant, orderId);
  clock.moveBy(MINUTE);
  service.app.engine.wake();
  await receiver.waitFor((requests) => requests.length === 2);
  const scope = { eventId: id, restaurantId: restaurant.id, now: clock.now() };
  const resend = () => service.app.db.transaction((tx) => resendDelivery(tx, scope));
  expect(await resend()).toBe('already_sending');
  expect(await service.app.engine.claim()).toBe(0);
  answers[1]?.();
  await service.app.engine.idle();
  // Delivered by now: asked for once more, it goes out once more, alone.
  expect(await resend()).toBe('queued');
  await receiver.waitFor((requests) => requests.length === 3);
  answers[2]?.();
  await service.app.engine.idle();
  expect(most).toBe(1);
  expect((await attemptsOf(id)).map((attempt) => [attempt.number, attempt.outcome])).toEqual([
    [1, 'failed'],
    [2, 'delivered'],
    [3, 'delivered'],
  ]);
});
