// A courier's answers through the API of their page, without a planner: late answers, and answers that are repeated
// because the service's response was lost.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OFFER_GRACE_MS, OFFER_LIMIT_MS } from '../../../src/domain/couriers/courier.ts';
import { createPlatform } from '../../../src/platform.ts';
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
  service = await startService({ roles: ['api', 'deliver'], platform: createPlatform(undefined, clock) });
  city = await buildCity({ service, receiver, clock });
  courier = await city.addCourier('Asked', 0.5);
  stranger = await city.addCourier('Stranger', 0.5);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

async function assign(orderId: string): Promise<void> {
  const command = { command: 'assign', courierId: courier.id };
  expect((await city.owner.send('POST', `/api/orders/${orderId}/commands`, command)).status).toBe(200);
}

async function offer(): Promise<string> {
  const orderId = await city.place(randomUUID());
  await assign(orderId);
  return orderId;
}

const cancel = ({ page }: CityCourier, orderId: string) =>
  page.send('POST', `/api/courier/orders/${orderId}/cancel`, { cancelReasonId: 'WRONG_ADDRESS' });

const notesOf = async (orderId: string) => (await listOrderHistory(service.app.db, orderId)).map(({ kind }) => kind);

test('an offer accepted after its deadline is refused with a message even if no planner withdraws it', async () => {
  const id = await offer();
  clock.moveBy(OFFER_LIMIT_MS + OFFER_GRACE_MS);
  const late = await courier.accept(id);
  expect([late.status, late.body.message]).toEqual([409, 'This offer has expired']);
  expect(await stateOf(service, id)).toBe('ASSIGNED');
});

test('an answer sent in time still counts when it arrives a moment late', async () => {
  const id = await offer();
  clock.moveBy(OFFER_LIMIT_MS + OFFER_GRACE_MS - 1);
  expect((await courier.accept(id)).body).toEqual({ state: 'ACCEPTED' });
});

test('an expired offer can be assigned again, which gives the same courier a new minute', async () => {
  const id = await offer();
  await assign(id);
  expect(await notesOf(id)).toEqual(['courier_offered']);
  clock.moveBy(OFFER_LIMIT_MS);
  await assign(id);
  expect(await notesOf(id)).toEqual(['courier_offered', 'courier_offered']);
  const { offers } = (await courier.page.get('/api/courier/work')).body;
  expect(offers.find(({ orderId }: { orderId: string }) => orderId === id)).toMatchObject({
    expiresAt: new Date(clock.now() + OFFER_LIMIT_MS).toISOString(),
  });
  clock.moveBy(OFFER_LIMIT_MS - 1);
  expect((await courier.accept(id)).body).toEqual({ state: 'ACCEPTED' });
});

test('a repeated accept succeeds each time and is recorded once', async () => {
  const id = await offer();
  for (let time = 0; time < 2; time += 1) expect((await courier.accept(id)).body).toEqual({ state: 'ACCEPTED' });
  clock.moveBy(2 * OFFER_LIMIT_MS);
  expect((await courier.accept(id)).body).toEqual({ state: 'ACCEPTED' });
});

test('a repeated decline succeeds each time and is recorded once', async () => {
  const id = await offer();
  for (let time = 0; time < 3; time += 1) {
    const answer = await courier.decline(id, 'Too far');
    expect([answer.status, answer.body]).toEqual([200, { state: 'ASSIGNED' }]);
  }
  expect(await notesOf(id)).toEqual(['courier_offered', 'courier_declined']);
  // After a new offer of the same order, a decline applies to the new offer.
  await assign(id);
  expect((await courier.decline(id, 'Still too far')).status).toBe(200);
  expect((await notesOf(id)).slice(2)).toEqual(['courier_offered', 'courier_declined']);
});

test('a repeated cancellation succeeds each time and keeps the first reason', async () => {
  const id = await offer();
  await courier.accept(id);
  for (let time = 0; time < 3; time += 1) {
    const answer = await cancel(courier, id);
    expect([answer.status, answer.body]).toEqual([200, { state: 'CANCELED' }]);
  }
});

test('an offer that is not accepted cannot be canceled, but can still be declined', async () => {
  const id = await offer();
  const answer = await cancel(courier, id);
  expect([answer.status, answer.body.message]).toEqual([
    409,
    "You can decline the offer, but you can't cancel the order",
  ]);
  expect(await stateOf(service, id)).toBe('ASSIGNED');
  expect((await courier.decline(id, 'Too far')).status).toBe(200);
});

test('an order the courier never had is answered like a missing one, in any state and for any request', async () => {
  const unknown = randomUUID();
  const [open, declined, canceled] = [await offer(), await offer(), await offer()];
  await courier.decline(declined, 'Too far');
  await courier.accept(canceled);
  await cancel(courier, canceled);
  for (const id of [open, declined, canceled]) {
    for (const ask of [stranger.accept, (one: string) => stranger.decline(one, 'No'), cancel.bind(null, stranger)]) {
      const [answer, nothing] = [await ask(id), await ask(unknown)];
      expect(answer.status).toBe(404);
      expect({ ...answer.body, requestId: null }).toEqual({ ...nothing.body, requestId: null });
    }
  }
});

test('an answer to an order that has moved on is refused with a message written for couriers', async () => {
  const id = await offer();
  await courier.accept(id);
  await city.owner.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: 'OUT_OF_STOCK' });
  const accepted = await courier.accept(id);
  expect([accepted.status, accepted.body.message]).toEqual([409, 'The order was canceled']);
  const other = await offer();
  await courier.accept(other);
  const declined = await courier.decline(other, 'Too far');
  expect([declined.status, declined.body.message]).toEqual([409, 'You already accepted the order']);
});
