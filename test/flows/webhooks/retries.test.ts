// The retry delays of contract 6.4, to the millisecond, on a clock that the test moves.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWebhookScene, type WebhookScene } from '../../scenes/webhooks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// Copied from the contract: after attempts 1, 2, 3, 4, 5, and after each later one.
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, DAY, DAY, DAY, DAY, DAY, DAY, DAY];
/** How long the receiver takes to fail: delays count from the end of an attempt, not from its start. */
const FAILING_TAKES = 1_700;

let scene: WebhookScene;

beforeEach(async () => {
  scene = await openWebhookScene();
});

afterEach(() => scene.stop());

interface Attempt {
  number: number;
  startedAt: number;
  endedAt: number;
  nextAttemptAt: number;
  outcome: string;
  status: number;
}

test('a delivery that always fails is tried at exactly the contract’s times, for more than a week', async () => {
  const { service, receiver, clock } = scene;
  const { app } = service;
  scene.respondWith(() => {
    clock.moveBy(FAILING_TAKES);
    return 500;
  });
  const restaurant = await service.addRestaurant({ receiver });
  const orderId = await scene.place(restaurant, 'ladder-1');
  await scene.change(orderId, { name: 'approve' });
  await receiver.waitFor((requests) => requests.length === 1);
  await app.engine.idle();
  // Otherwise the System would cancel the order after an hour.
  await app.db.query('update orders set deadline_at = null');

  const endedAt: number[] = [clock.now()];
  for (const [index, wait] of WAITS.entries()) {
    const due = (endedAt.at(-1) ?? 0) + wait;
    for (const early of [Math.floor(wait / 2), 1_000, 1]) {
      clock.moveTo(due - early);
      expect(await app.engine.claim()).toBe(0);
    }
    await app.engine.idle();
    expect(receiver.requests).toHaveLength(index + 1);
    clock.moveTo(due);
    app.engine.wake();
    await receiver.waitFor((requests) => requests.length === index + 2);
    await app.engine.idle();
    expect(clock.now()).toBe(due + FAILING_TAKES);
    endedAt.push(clock.now());
  }
  expect((endedAt.at(-1) ?? 0) - (endedAt[0] ?? 0)).toBeGreaterThan(7 * DAY);

  const attempts = await app.db.query<Attempt>('select * from attempts order by id');
  expect(attempts.map((attempt) => attempt.number)).toEqual(endedAt.map((_, index) => index + 1));
  for (const [index, attempt] of attempts.entries()) {
    const end = endedAt[index] ?? 0;
    expect(attempt.endedAt).toBe(end);
    expect(attempt.startedAt).toBe(end - FAILING_TAKES);
    expect(attempt.nextAttemptAt).toBe(end + (WAITS[index] ?? DAY));
    expect(attempt).toMatchObject({ outcome: 'failed', status: 500 });
  }
  const bodies = new Set(receiver.requests.map((request) => request.body.toString()));
  expect(bodies.size).toBe(1);
});

test('after the clock is set back an hour, event times still increase, and events are sent at once', async () => {
  const { service, receiver, clock, courierId } = scene;
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true });
  const orderId = await scene.place(restaurant, 'back-1');
  await receiver.waitFor((requests) => requests.length === 1);
  clock.moveBy(-HOUR);
  await scene.change(orderId, { name: 'assign', courierId });
  await scene.change(orderId, { name: 'accept' });
  await receiver.waitFor((requests) => requests.length === 3);
  expect(scene.statesReceived()).toEqual(['VALIDATED', 'ASSIGNED', 'ACCEPTED']);
  const [first = 0, second = 0, third = 0] = receiver.requests.map((request) =>
    Date.parse((JSON.parse(request.body.toString()) as { timestamp: string }).timestamp),
  );
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
});
