// An endpoint that fails for two days, with two nodes and a clock that the test moves: who is notified of what and
// when, and that each person is notified once.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resendDelivery } from '../../../src/actions/webhooks/resend-delivery.ts';
import { watchEndpoints } from '../../../src/actions/webhooks/watch-endpoints.ts';
import { createPlatform } from '../../../src/platform.ts';
import { listEndpoints } from '../../../src/store/webhooks/endpoints.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { openWebhookScene, type WebhookScene } from '../../scenes/webhooks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATIENCE = { timeout: 20_000 };
const CONTACT = 'kitchen@example.com';
const OPERATOR = 'operator@example.com';

let scene: WebhookScene;
let second: TestService;

beforeEach(async () => {
  scene = await openWebhookScene();
  const { databaseUrl, masterKey, app } = scene.service;
  second = await startService({ databaseUrl, masterKey, platform: createPlatform(undefined, scene.clock) });
  await app.db.query(`insert into users (id, email, role, created_at) values ($1, $2, 'operator', now())`, [
    app.newId(),
    OPERATOR,
  ]);
});

afterEach(async () => {
  await second.stop();
  await scene.stop();
});

/** Runs the check on both nodes at the same time; twice, because one may skip it while the other is running. */
async function watch(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(
      [scene.service.app, second.app].map((app) =>
        watchEndpoints({ ...app, operatorEmail: null, publicUrl: 'http://x' }),
      ),
    );
  }
}

async function listMails(): Promise<string[]> {
  const rows = await scene.service.app.db.query<{ to: string; subject: string }>(
    'select to_address as "to", subject from mail_outbox order by created_at, to_address',
  );
  return rows.map(({ to, subject }) => `${to}: ${subject.replace(/ (to|of) Testaurant \(.*?\)/, '')}`);
}

async function listCases(): Promise<{ state: string; resolution: string | null; endpoint: string }[]> {
  return scene.service.app.db.query('select state, resolution, endpoint from support_cases order by opened_at');
}

async function failingSince(restaurant: TestRestaurant): Promise<number | null> {
  const endpoints = await listEndpoints(scene.service.app.db, restaurant.id);
  return endpoints.find(({ kind }) => kind === 'status')?.failingSince ?? null;
}

/** An order whose first webhook has failed and that the System does not cancel. */
async function placeFailing(): Promise<{ restaurant: TestRestaurant; orderId: string; failedAt: number }> {
  const { service, receiver, clock } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true, contactEmail: CONTACT });
  const orderId = await scene.place(restaurant, 'dead-1');
  await service.app.db.query('update orders set deadline_at = null');
  await receiver.waitFor((requests) => requests.length === 1);
  const failedAt = clock.now();
  await expect.poll(() => failingSince(restaurant), PATIENCE).toBe(failedAt);
  return { restaurant, orderId, failedAt };
}

async function recover(restaurant: TestRestaurant, orderId: string): Promise<void> {
  const { app } = scene.service;
  scene.respondWith(() => 200);
  const { id: eventId } = await scene.deliveryOf(restaurant, orderId);
  await resendDelivery(app, { eventId, scope: 'everything', actor: { name: 'test' } });
  await expect.poll(() => failingSince(restaurant), PATIENCE).toBe(null);
}

const NOTIFIED = `${CONTACT}: Webhooks are failing`;
const CASE = `${OPERATOR}: Support case: webhooks have failed for 24 hours`;
const RECOVERED = [`${CONTACT}: Webhooks work again`, `${OPERATOR}: Support case closed: webhooks work again`];

test('an endpoint dead for 48 hours gets one mail at 15 minutes and one case at 24 hours; recovery closes it, once', async () => {
  const { clock, receiver } = scene;
  scene.respondWith(() => 503);
  const { restaurant, orderId, failedAt } = await placeFailing();
  await watch();
  expect(await listMails()).toEqual([]);

  const passTo = async (at: number): Promise<void> => {
    clock.moveTo(at);
    scene.service.app.engine.wake();
    await scene.service.app.engine.idle();
    await watch();
  };
  for (let minute = 1; minute < 15; minute += 1) await passTo(failedAt + minute * MINUTE);
  await passTo(failedAt + 15 * MINUTE - 1);
  expect(await listMails()).toEqual([]);
  await passTo(failedAt + 15 * MINUTE);
  expect(await listMails()).toEqual([NOTIFIED]);
  for (let half = 1; half < 48; half += 1) await passTo(failedAt + half * 30 * MINUTE);
  await passTo(failedAt + 24 * HOUR - 1);
  expect(await listMails()).toEqual([NOTIFIED]);
  expect(await listCases()).toEqual([]);
  await passTo(failedAt + 24 * HOUR);
  expect(await listMails()).toEqual([NOTIFIED, CASE]);
  for (let hour = 25; hour <= 48; hour += 1) await passTo(failedAt + hour * HOUR);
  expect(await listMails()).toEqual([NOTIFIED, CASE]);
  expect(await listCases()).toEqual([{ state: 'open', resolution: null, endpoint: 'status' }]);
  expect(await failingSince(restaurant)).toBe(failedAt);
  expect(receiver.requests.length).toBeGreaterThan(5);

  await recover(restaurant, orderId);
  await watch();
  await watch();
  expect(await listMails()).toEqual([NOTIFIED, CASE, ...RECOVERED]);
  expect(await listCases()).toEqual([{ state: 'resolved', resolution: 'recovered', endpoint: 'status' }]);

  // The next outage is reported separately, from its own start.
  scene.respondWith(() => 500);
  clock.moveBy(HOUR);
  await scene.place(restaurant, 'dead-2');
  await expect.poll(() => failingSince(restaurant), PATIENCE).toBe(clock.now());
  clock.moveBy(15 * MINUTE);
  await watch();
  expect(await listMails()).toEqual([NOTIFIED, CASE, ...RECOVERED, NOTIFIED]);
});

test('the mail and the case are created even when nothing is sent in between', async () => {
  const { clock, service } = scene;
  scene.respondWith(() => 503);
  const { failedAt } = await placeFailing();
  // Due next year: no attempts, no orders, no other traffic.
  await service.app.db.query(`update deliveries set due_at = due_at + interval '1 year'`);
  clock.moveTo(failedAt + 15 * MINUTE);
  await watch();
  clock.moveTo(failedAt + 24 * HOUR);
  await watch();
  expect(await listMails()).toEqual([NOTIFIED, CASE]);
  expect(await listCases()).toMatchObject([{ state: 'open' }]);
  const [attempts] = await service.app.db.query<{ count: number }>('select count(*)::int from attempts');
  expect(attempts?.count).toBe(1);
});

test('an endpoint that recovers within 15 minutes causes no mail and no case', async () => {
  const { clock } = scene;
  scene.respondWith(() => 503);
  const { restaurant, orderId, failedAt } = await placeFailing();
  clock.moveTo(failedAt + 15 * MINUTE - 1);
  await watch();
  await recover(restaurant, orderId);
  clock.moveBy(48 * HOUR);
  await watch();
  expect(await listMails()).toEqual([]);
  expect(await listCases()).toEqual([]);
});
