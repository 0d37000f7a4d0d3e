// A courier's day through the API of their page.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../../src/actions/couriers/add-courier.ts';
import { ACT_KINDS, type ActKind } from '../../../src/domain/couriers/courier.ts';
import { createPlatform } from '../../../src/platform.ts';
import { listPositions } from '../../../src/store/couriers/positions.ts';
import { listEventsOfOrder } from '../../../src/store/orders/events.ts';
import { findOrderById, listOrderHistory } from '../../../src/store/orders/orders.ts';
import { listAlarms } from '../../../src/store/planning/alarms.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const clock = createSimulatedClock(new Date().toISOString());
const PLACE = { latitude: 40.98, longitude: 29.02 };

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ platform: createPlatform(undefined, clock) });
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

interface Shift {
  restaurant: TestRestaurant;
  courierId: string;
  page: Browser;
}

/** A restaurant with its own courier, who is signed in. */
async function beginShift(): Promise<Shift> {
  const restaurant = await service.addRestaurant({ receiver, autoApprove: true, preparationMinutes: 0, ...PLACE });
  const added = await addCourier(service.app, {
    name: `Courier ${restaurant.restaurantId}`,
    phone: '+905550000000',
    payPerOrder: 4_000,
    latitude: PLACE.latitude + 0.01,
    longitude: PLACE.longitude,
    restaurantId: restaurant.id,
    onDuty: true,
    actor: { name: 'test' },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const page = await signInAs(service, 'courier', { courier: added.courier.id });
  return { restaurant, courierId: added.courier.id, page };
}

const CONTENT = {
  displayId: '#42',
  dropoff: {
    name: 'Ayşe',
    address: { line1: 'Moda Caddesi 12', district: 'Moda' },
    location: { latitude: 40.985_12, longitude: 29.030_18 },
  },
  items: [{ name: 'Adana kebap', quantity: 2 }],
  currency: 'TRY',
  tip: 500,
  payment: { status: 'COLLECT_ON_DELIVERY', method: 'CASH', amountToCollect: 79_000, cashTendered: 100_000 },
  notes: { courier: 'Ring twice', kitchen: 'No onions' },
  metadata: { till: '3' },
};

async function place(shift: Shift, orderId: string, changes: object = {}): Promise<string> {
  const answer = await service.post(shift.restaurant, { orderId, ...CONTENT, ...changes });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
}

const work = async (shift: Shift) => (await shift.page.get('/api/courier/work')).body;

async function waitForOffer(shift: Shift, orderId: string) {
  await expect
    .poll(async () => (await work(shift)).offers.map((offer: { orderId: string }) => offer.orderId), {
      timeout: 15_000,
    })
    .toContain(orderId);
  return (await work(shift)).offers.find((offer: { orderId: string }) => offer.orderId === orderId);
}

const actOf = (orderId: string, kind: ActKind, more: object = {}) => ({
  id: randomUUID(),
  orderId,
  kind,
  at: new Date(clock.now()).toISOString(),
  ...more,
});

async function report(shift: Shift, acts: readonly object[]) {
  const answer = await shift.page.send('POST', '/api/courier/acts', { acts });
  expect(answer.status).toBe(200);
  return answer.body.results as { outcome: string; explanation: string | null }[];
}

async function accept(shift: Shift, orderId: string): Promise<void> {
  await waitForOffer(shift, orderId);
  const answer = await shift.page.send('POST', `/api/courier/offers/${orderId}/accept`);
  expect(answer.status).toBe(200);
}

const prepare = (orderId: string) =>
  service.app.changer.change({
    scope: 'everything',
    orderId,
    command: { name: 'prepare' },
    actor: { role: 'restaurant' },
  });

test('a courier is offered an order, accepts it, and is guided from stop to stop until delivery', async () => {
  const shift = await beginShift();
  await shift.page.send('POST', '/api/courier/position', { latitude: 40.99, longitude: 29.02 });
  const id = await place(shift, 'page-life');
  const offer = await waitForOffer(shift, id);
  expect(offer).toMatchObject({
    restaurant: 'Testaurant',
    pay: { amount: 4_500, currency: 'TRY' },
    // The exact address is shown only after the offer is accepted.
    dropoff: { district: 'Moda', location: { latitude: 40.985, longitude: 29.03 } },
    expiresAt: new Date(clock.now() + 60_000).toISOString(),
  });
  // One kilometer to the restaurant and another to the drop-off.
  expect(offer.distanceMeters).toBeGreaterThan(1_800);
  expect(offer.distanceMeters).toBeLessThan(2_400);
  expect(JSON.stringify(offer)).not.toContain('Moda Caddesi');
  await accept(shift, id);

  const [pickup, dropoff] = (await work(shift)).stops;
  expect(pickup).toMatchObject({ kind: 'pickup', handoverCode: '#42', nextAct: 'arrived', disabledReason: null });
  expect(pickup.items).toEqual([{ name: 'Adana kebap', quantity: 2 }]);
  expect(dropoff).toMatchObject({
    kind: 'dropoff',
    disabledReason: 'Pick up the order first',
    notes: 'Ring twice',
    cash: {
      method: 'CASH',
      toCollect: { amount: 79_000 },
      tendered: { amount: 100_000 },
      change: { amount: 21_000, currency: 'TRY' },
    },
  });
  expect(JSON.stringify(await work(shift))).not.toMatch(/till|No onions/);

  expect(await report(shift, [actOf(id, 'arrived')])).toMatchObject([{ outcome: 'applied' }]);
  expect((await work(shift)).stops[0]).toMatchObject({
    nextAct: 'picked_up',
    disabledReason: "The food isn't ready yet",
  });
  expect(await report(shift, [actOf(id, 'picked_up')])).toEqual([
    expect.objectContaining({ outcome: 'refused', explanation: "The food isn't ready yet." }),
  ]);
  await prepare(id);
  await report(shift, [actOf(id, 'picked_up')]);
  expect((await work(shift)).stops).toMatchObject([
    { kind: 'dropoff', nextAct: 'arrived_dropoff', disabledReason: null },
  ]);
  await report(shift, [actOf(id, 'arrived_dropoff'), actOf(id, 'delivered')]);
  expect(await work(shift)).toMatchObject({ offers: [], stops: [] });
  expect((await findOrderById(service.app.db, id))?.state).toBe('DELIVERED');
});

test('an order to be paid by card is not shown as cash and needs no change', async () => {
  const shift = await beginShift();
  const payment = { status: 'COLLECT_ON_DELIVERY', method: 'CARD', amountToCollect: 79_000 };
  const id = await place(shift, 'by-card', { payment });
  await accept(shift, id);
  const [, dropoff] = (await work(shift)).stops;
  expect(dropoff.cash).toEqual({
    method: 'CARD',
    toCollect: { amount: 79_000, currency: 'TRY' },
    tendered: null,
    change: null,
  });
});

test('steps queued offline are applied once, in order and with their own times', async () => {
  const shift = await beginShift();
  const id = await place(shift, 'tunnel');
  await accept(shift, id);
  await prepare(id);
  clock.moveBy(60_000);
  const pickedUpAt = clock.now();
  const pickedUp = actOf(id, 'picked_up');
  clock.moveBy(300_000);
  const deliveredAt = clock.now();
  const delivered = actOf(id, 'delivered');
  clock.moveBy(600_000);
  expect(await report(shift, [delivered])).toMatchObject([
    { outcome: 'refused', explanation: 'Pick up the order first.' },
  ]);
  expect(await report(shift, [pickedUp, delivered])).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }]);
  expect(await report(shift, [pickedUp, delivered])).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }]);
  const events = await listEventsOfOrder(service.app.db, id);
  expect(events.slice(-2).map(({ to, occurredAt }) => [to, occurredAt])).toEqual([
    ['ON_DELIVERY', pickedUpAt],
    ['DELIVERED', deliveredAt],
  ]);
});

test('a step older than one already applied is refused, and so is another step under the same id', async () => {
  const shift = await beginShift();
  const id = await place(shift, 'backward');
  await accept(shift, id);
  await prepare(id);
  const early = actOf(id, 'arrived');
  clock.moveBy(1_000);
  const problem = actOf(id, 'problem', { detail: 'The door is locked' });
  await report(shift, [problem, actOf(id, 'picked_up')]);
  expect(await report(shift, [early])).toMatchObject([
    { outcome: 'refused', explanation: 'A later step was already reported.' },
  ]);
  expect(await report(shift, [{ ...problem, kind: 'arrived' }])).toMatchObject([
    { outcome: 'refused', explanation: 'Another step was reported with this id.' },
  ]);
  expect(await listAlarms(service.app.db, shift.restaurant.id)).toMatchObject([
    { orderId: id, kind: 'PROBLEM_REPORTED', detail: 'The door is locked' },
  ]);
  expect((await listOrderHistory(service.app.db, id)).map(({ kind }) => kind)).toContain('problem_reported');
});

test('a declined offer leaves the page, and the history has the reason', async () => {
  const shift = await beginShift();
  const id = await place(shift, 'page-declined');
  await waitForOffer(shift, id);
  const answer = await shift.page.send('POST', `/api/courier/offers/${id}/decline`, { reason: 'Too heavy' });
  expect(answer.status).toBe(200);
  expect((await work(shift)).offers).toEqual([]);
  const history = await listOrderHistory(service.app.db, id);
  expect(history.at(-1)).toMatchObject({ kind: 'courier_declined', detail: 'Too heavy', courierId: shift.courierId });
  const again = await shift.page.send('POST', `/api/courier/offers/${id}/accept`);
  expect(again.status).toBe(404);
});

test('a courier cancels with a courier reason only', async () => {
  const shift = await beginShift();
  const id = await place(shift, 'page-canceled');
  await accept(shift, id);
  const path = `/api/courier/orders/${id}/cancel`;
  expect((await shift.page.send('POST', path, { cancelReasonId: 'OUT_OF_STOCK' })).status).toBe(422);
  expect((await shift.page.send('POST', path, { cancelReasonId: 'WRONG_ADDRESS' })).status).toBe(200);
  expect((await findOrderById(service.app.db, id))?.cancellation).toMatchObject({
    reasonId: 'WRONG_ADDRESS',
    by: 'Courier',
  });
});

test("another courier's order is answered like a missing one", async () => {
  const shift = await beginShift();
  const stranger = await beginShift();
  const id = await place(shift, 'not-yours');
  await accept(shift, id);
  expect((await stranger.page.send('POST', `/api/courier/offers/${id}/accept`)).status).toBe(404);
  const reportOne = async (orderId: string, kind: ActKind) => {
    const [result] = await report(stranger, [actOf(orderId, kind)]);
    return { outcome: result?.outcome, explanation: result?.explanation };
  };
  for (const kind of ACT_KINDS) {
    const nothing = await reportOne(randomUUID(), kind);
    expect(nothing).toMatchObject({ outcome: 'refused' });
    expect(await reportOne(id, kind)).toEqual(nothing);
  }
});

test('positions are recorded at most every few seconds on duty, and none is known off duty', async () => {
  const shift = await beginShift();
  const report = async (latitude: number) =>
    (await shift.page.send('POST', '/api/courier/position', { latitude, longitude: 29 })).body.isKept;
  const known = async () =>
    (await listPositions(service.app.db, { restaurantId: shift.restaurant.id, now: clock.now() })).map(
      ({ latitude }) => latitude,
    );
  expect(await report(41)).toBe(true);
  expect(await report(41.1)).toBe(false);
  clock.moveBy(3_000);
  expect(await report(41.2)).toBe(true);
  expect(await known()).toEqual([41.2]);
  clock.moveBy(3_000);
  const signOfLife = (body: object) => shift.page.send('POST', '/api/courier/position', body);
  expect((await signOfLife({})).body.isKept).toBe(true);
  expect(await known()).toEqual([41.2]);
  expect(await signOfLife({ latitude: 41 })).toMatchObject({
    status: 422,
    body: { details: [{ field: 'longitude' }] },
  });
  await shift.page.send('POST', '/api/courier/duty', { onDuty: false });
  expect(await known()).toEqual([]);
  clock.moveBy(3_000);
  expect(await report(41.3)).toBe(false);
  expect(await known()).toEqual([]);
});

test('a photo is stored with its actual type, and a file that is not an image is refused', async () => {
  const [shift, other] = [await beginShift(), await beginShift()];
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
  const put = (content: Buffer | null, { page } = shift) =>
    page.send('PUT', '/api/courier/photo', { content: content?.toString('base64') ?? null });
  const see = async (who: Browser, path: string) => {
    const answer = await fetch(`${service.address}${path}`, { headers: { cookie: who.cookieHeader() } });
    return [answer.headers.get('content-type'), Buffer.from(await answer.arrayBuffer())];
  };
  expect((await put(Buffer.from('<svg onload=alert(1)>'))).body.message).toBe(
    'The photo must be a JPEG, PNG or WebP image',
  );
  expect((await put(Buffer.concat([png, Buffer.alloc(190_000)]))).body.message).toMatch(/at most 190000 bytes/);
  for (const photo of [jpeg, png]) expect((await put(photo)).status).toBe(200);
  expect((await put(jpeg, other)).status).toBe(200);
  expect((await work(shift)).courier.photoAt).toBe(new Date(clock.now()).toISOString());
  const id = await place(shift, 'with-photo');
  await waitForOffer(shift, id);
  expect((await shift.page.send('POST', `/api/courier/offers/${id}/accept`)).status).toBe(200);
  const [owner, operator, stranger] = [
    await signInAs(service, 'owner', shift),
    await signInAs(service, 'operator'),
    await signInAs(service, 'owner', { restaurant: await service.addRestaurant() }),
  ];
  const ofOrder = `/api/orders/${id}/courier-photo`;
  for (const [who, path] of [
    [shift.page, '/api/courier/photo'],
    [owner, ofOrder],
    [operator, `/api/operator/couriers/${shift.courierId}/photo`],
  ] as const) {
    expect(await see(who, path)).toEqual(['image/png', png]);
  }
  expect((await stranger.get(ofOrder)).status).toBe(404);
  expect((await put(null)).status).toBe(200);
  expect((await owner.get(ofOrder)).status).toBe(404);
  expect((await work(shift)).courier.photoAt).toBeNull();
  expect(await see(other.page, '/api/courier/photo')).toEqual(['image/jpeg', jpeg]);
});
