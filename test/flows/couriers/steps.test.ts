// How the service applies a courier's steps, in any order and with any number of repeats.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACT_KINDS, type ActKind } from '../../../src/domain/couriers/courier.ts';
import { createPlatform } from '../../../src/platform.ts';
import { lockOrders } from '../../../src/store/orders/locked-orders.ts';
import { listOrderHistory } from '../../../src/store/orders/orders.ts';
import { buildCity, stateOf, type City, type CityCourier } from '../../scenes/city.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const clock = createSimulatedClock(new Date().toISOString());

let service: TestService;
let receiver: Receiver;
let city: City;
let courier: CityCourier;
let stranger: CityCourier;

beforeAll(async () => {
  receiver = await startReceiver();
  // Without a planner, so that the test assigns the courier.
  service = await startService({ roles: ['api', 'deliver'], platform: createPlatform(undefined, clock) });
  city = await buildCity({ service, receiver, clock });
  courier = await city.addCourier('Rider', 0.5);
  stranger = await city.addCourier('Stranger', 0.5);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

async function begin(): Promise<string> {
  const id = await city.place(randomUUID());
  const command = { command: 'assign', courierId: courier.id };
  expect((await city.owner.send('POST', `/api/orders/${id}/commands`, command)).status).toBe(200);
  expect((await courier.accept(id)).status).toBe(200);
  return id;
}

/** Advances the clock by a second before each step. */
async function take(id: string, ...kinds: ActKind[]): Promise<void> {
  for (const kind of kinds) {
    clock.moveBy(1_000);
    expect(await courier.act(id, kind)).toMatchObject({ outcome: 'applied' });
  }
}

const notesOf = async (id: string) => (await listOrderHistory(service.app.db, id)).map(({ kind }) => kind);

test('a step sent twice under two ids is applied and recorded once', async () => {
  const id = await begin();
  await city.command(id, 'prepare');
  await take(id, 'arrived', 'arrived', 'picked_up', 'picked_up', 'arrived_dropoff', 'arrived_dropoff');
  // A second touch of a button may arrive after later steps.
  await take(id, 'arrived', 'delivered', 'arrived', 'arrived_dropoff', 'delivered');
  expect((await notesOf(id)).filter((kind) => kind.startsWith('courier_at_'))).toEqual([
    'courier_at_pickup',
    'courier_at_dropoff',
  ]);
});

test('two simultaneous taps are recorded once', async () => {
  const id = await begin();
  const results = await Promise.all(Array.from({ length: 5 }, () => courier.act(id, 'arrived')));
  expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'applied'));
  expect((await notesOf(id)).filter((kind) => kind === 'courier_at_pickup')).toHaveLength(1);
});

test('steps out of order are refused with the step that comes first', async () => {
  const id = await begin();
  const refusal = async (kind: ActKind) => (await courier.act(id, kind)).explanation;
  for (const kind of ['arrived_dropoff', 'delivered'] as const)
    expect(await refusal(kind)).toBe('Pick up the order first.');
  expect(await refusal('picked_up')).toBe("The food isn't ready yet.");
  await city.command(id, 'prepare');
  for (const kind of ['arrived_dropoff', 'delivered'] as const)
    expect(await refusal(kind)).toBe('Pick up the order first.');
  await take(id, 'picked_up');
  expect(await refusal('arrived')).toBe('You already picked up the order.');
  expect((await notesOf(id)).filter((kind) => kind.startsWith('courier_at_'))).toEqual([]);
  await take(id, 'arrived_dropoff', 'delivered');
  expect(await refusal('problem')).toBe('The order was already delivered.');
});

test('an offered order must be accepted before any step', async () => {
  const id = await city.place(randomUUID());
  await city.owner.send('POST', `/api/orders/${id}/commands`, { command: 'assign', courierId: courier.id });
  await city.command(id, 'prepare');
  for (const kind of ACT_KINDS) {
    expect(await courier.act(id, kind)).toMatchObject({ outcome: 'refused', explanation: 'Accept the order first.' });
  }
});

test('problems can be reported before and after any step, any number of times', async () => {
  const id = await begin();
  await city.command(id, 'prepare');
  const pickedUp = { id: randomUUID(), orderId: id, kind: 'picked_up', at: new Date(clock.now()).toISOString() };
  await take(id, 'problem', 'problem');
  const { body } = await courier.page.send('POST', '/api/courier/acts', { acts: [pickedUp] });
  expect(body.results).toMatchObject([{ outcome: 'applied' }]);
  const early = { ...pickedUp, id: randomUUID(), kind: 'problem', at: new Date(clock.now() - 60_000).toISOString() };
  const reported = await courier.page.send('POST', '/api/courier/acts', { acts: [early] });
  expect(reported.body.results).toMatchObject([{ outcome: 'applied' }]);
  expect((await notesOf(id)).filter((kind) => kind === 'problem_reported')).toHaveLength(3);
});

test('a step is decided by the order’s state at write time, not by an earlier read', async () => {
  const { db } = service.app;
  const id = await begin();
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const answered: string[] = [];
  const acting = await db.transaction(async (tx) => {
    await lockOrders(tx, [id]);
    const promise = courier.act(id, 'arrived').then((result) => {
      answered.push(result.outcome);
      return result;
    });
    await expect.poll(async () => answered.length + (await db.query(waiting)).length).toBeGreaterThan(0);
    await tx.query(
      `update orders set state = 'CANCELED', canceled_by = 'Restaurant', finished_at = now() where id = $1`,
      [id],
    );
    return { promise };
  });
  expect(await acting.promise).toMatchObject({ outcome: 'refused', explanation: 'The order was canceled.' });
  expect(await notesOf(id)).not.toContain('courier_at_pickup');
});

test('every step on another courier’s order is answered as if the order did not exist', async () => {
  const open = await begin();
  await take(open, 'arrived');
  const ready = await begin();
  await city.command(ready, 'prepare');
  const done = await begin();
  await city.command(done, 'prepare');
  await take(done, 'picked_up', 'delivered');
  const canceled = await begin();
  await city.owner.send('POST', `/api/orders/${canceled}/cancel`, { cancelReasonId: 'OUT_OF_STOCK' });
  const early = new Date(clock.now() - 60_000).toISOString();
  const report = async (orderId: string, kind: ActKind) => {
    const acts = [{ id: randomUUID(), orderId, kind, at: early }];
    const [{ outcome, explanation }] = (await stranger.page.send('POST', '/api/courier/acts', { acts })).body.results;
    return { outcome, explanation };
  };
  for (const kind of ACT_KINDS) {
    const nothing = await report(randomUUID(), kind);
    expect(nothing).toEqual({ outcome: 'refused', explanation: 'No such order.' });
    for (const id of [open, ready, done, canceled]) expect(await report(id, kind)).toEqual(nothing);
  }
  expect(await stateOf(service, ready)).toBe('PREPARED');
});

test('a step dated before the acceptance by a wrong phone clock is recorded at the acceptance time', async () => {
  const id = await begin();
  const acceptedAt = clock.now();
  clock.moveBy(60_000);
  const longAgo = Date.parse('1980-01-06T00:00:00Z');
  expect(await courier.act(id, 'arrived', longAgo)).toMatchObject({ outcome: 'applied' });
  await city.owner.send('POST', `/api/orders/${id}/commands`, { command: 'prepare' });
  expect(await courier.act(id, 'picked_up', longAgo + 1)).toMatchObject({ outcome: 'applied' });
  const arrival = (await listOrderHistory(service.app.db, id)).find(({ kind }) => kind === 'courier_at_pickup');
  expect(arrival?.at).toBe(acceptedAt);
});
