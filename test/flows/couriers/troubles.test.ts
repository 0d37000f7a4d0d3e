// Problems during deliveries, through the pages' API and with the planner running: offers that are declined or not
// answered, food that is ready early, couriers who lose contact, go off duty or lose their order while offline.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addShift } from '../../../src/actions/couriers/add-shift.ts';
import { expireOrders } from '../../../src/actions/orders/expire-orders.ts';
import { OUT_OF_CONTACT_AFTER_MS, OFFER_LIMIT_MS, REOFFER_PAUSE_MS } from '../../../src/domain/couriers/courier.ts';
import { createPlatform } from '../../../src/platform.ts';
import { listOrderHistory } from '../../../src/store/orders/orders.ts';
import { listOrderPlans } from '../../../src/store/planning/plans.ts';
import { buildCity, stateOf, webhooksOf, waitUntil, type City } from '../../scenes/city.ts';
import { signInAs, type Browser } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import type { RestaurantOptions } from '../../../harness/service/restaurant.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';
import { createSimulatedClock } from '../../../harness/clocks/simulated.ts';

const clock = createSimulatedClock(new Date().toISOString());
const MINUTE_MS = 60_000;

let service: TestService;
let receiver: Receiver;
let operator: Browser;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ platform: createPlatform(undefined, clock) });
  operator = await signInAs(service, 'operator');
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const build = (options: RestaurantOptions = {}): Promise<City> => buildCity({ service, receiver, clock }, options);

const statusesOf = (orderId: string) =>
  webhooksOf(receiver, orderId)
    .filter((body) => body['event'] === 'order.status_changed')
    .map((body) => body['status']);

async function reasonOf(orderId: string): Promise<unknown> {
  const [plan] = await listOrderPlans(service.app.db, [orderId]);
  return plan?.explanation?.kind === 'waiting' ? plan.explanation.reason : undefined;
}

/** The planner's reason, which is stored with the order. */
const WHY = expect.stringMatching(
  /^Adds .* min to the plan; (the next best would add .* min more|no other courier could take it)\.$/,
);

test('a declined offer goes to the next courier, and the one who declined is asked again only after a pause', async () => {
  const city = await build();
  const near = await city.addCourier('Near', 0.3);
  const far = await city.addCourier('Far', 3);
  const id = await city.place('declined');
  await waitUntil(() => near.offers(), [id]);
  expect((await near.decline(id, 'Too heavy or too large')).status).toBe(200);
  await waitUntil(() => far.offers(), [id]);
  expect(await near.offers()).toEqual([]);
  await far.decline(id, 'Taking a break');
  // No courier is left: an alarm is raised, and neither of the two gets the offer again immediately.
  await waitUntil(() => city.alarms(), [[id, 'NO_COURIER_IN_TIME']]);
  expect([await near.offers(), await far.offers()]).toEqual([[], []]);
  expect(await stateOf(service, id)).toBe('ASSIGNED');
  clock.moveBy(REOFFER_PAUSE_MS);
  await waitUntil(() => near.offers(), [id]);
  const history = await listOrderHistory(service.app.db, id);
  expect(history.map(({ kind, courierId, detail }) => [kind, courierId, detail])).toEqual([
    ['courier_offered', near.id, WHY],
    ['courier_declined', near.id, 'Too heavy or too large'],
    ['courier_offered', far.id, WHY],
    ['courier_declined', far.id, 'Taking a break'],
    ['courier_offered', near.id, WHY],
  ]);
  expect((await near.accept(id)).body).toEqual({ state: 'ACCEPTED' });
  await receiver.waitFor(() => statusesOf('declined').includes('ACCEPTED'));
  expect(statusesOf('declined')).toEqual(['VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED']);
});

test('an offer that gets no response moves on after its timeout, and a late answer is refused', async () => {
  const city = await build();
  const asleep = await city.addCourier('Asleep', 0.3);
  const awake = await city.addCourier('Awake', 3);
  const id = await city.place('not-heard');
  await waitUntil(() => asleep.offers(), [id]);
  const [offer] = (await asleep.page.get('/api/courier/work')).body.offers;
  expect(Date.parse(offer.expiresAt) - clock.now()).toBe(OFFER_LIMIT_MS);
  clock.moveBy(OFFER_LIMIT_MS);
  await waitUntil(() => awake.offers(), [id]);
  expect(await asleep.offers()).toEqual([]);
  expect((await asleep.accept(id)).status).toBe(404);
  expect((await awake.accept(id)).status).toBe(200);
});

test.each([
  ['ROUTED', { timing: { prepMinutes: 30 } }],
  ['ASSIGNED', {}],
] as const)('food that is ready while the order is %s: PREPARED follows ACCEPTED', async (state, content) => {
  const city = await build();
  const courier = await city.addCourier('Rider', 1);
  const orderId = `early-${state}`;
  const id = await city.place(orderId, content);
  await waitUntil(() => stateOf(service, id), state);
  expect((await city.command(id, 'prepare')).status).toBe(200);
  // The state does not change, and the courier gets the offer immediately.
  await waitUntil(() => courier.offers(), [id]);
  expect((await courier.accept(id)).body).toEqual({ state: 'PREPARED' });
  expect(await courier.act(id, 'arrived')).toMatchObject({ outcome: 'applied' });
  expect((await courier.page.get('/api/courier/work')).body.stops[0]).toMatchObject({
    nextAct: 'picked_up',
    disabledReason: null,
  });
  expect(await courier.act(id, 'picked_up')).toMatchObject({ outcome: 'applied' });
  expect(await courier.act(id, 'delivered')).toMatchObject({ outcome: 'applied' });
  await receiver.waitFor(() => statusesOf(orderId).includes('DELIVERED'));
  const received = webhooksOf(receiver, orderId);
  expect(received.map((body) => body['status'])).toEqual([
    'VALIDATED',
    'ROUTED',
    'ASSIGNED',
    'ACCEPTED',
    'PREPARED',
    'ON_DELIVERY',
    'DELIVERED',
  ]);
  const times = received.map((body) => Date.parse(body['timestamp'] ?? ''));
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
});

test('lost contact leaves carried and accepted orders, raises alarms, and the operator moves what is not picked up', async () => {
  const city = await build();
  const silent = await city.addCourier('Silent', 0.2);
  await silent.report();
  const [carried, accepted] = [await city.place('dark-carried'), await city.place('dark-accepted')];
  for (const id of [carried, accepted]) {
    await waitUntil(async () => (await silent.offers()).includes(id), true);
    await silent.accept(id);
    await city.command(id, 'prepare');
  }
  await silent.act(carried, 'picked_up');
  const other = await city.addCourier('Other', 2);
  clock.moveBy(OUT_OF_CONTACT_AFTER_MS);
  const dark = [carried, accepted].map((id) => [id, 'COURIER_DARK']);
  await waitUntil(async () => (await city.alarms()).toSorted(), dark.toSorted());
  // Another courier does not get offers for orders that a courier has accepted.
  expect(await other.offers()).toEqual([]);
  const move = (id: string) =>
    operator.send('POST', `/api/operator/planning/orders/${id}/move`, { courierId: other.id });
  expect((await move(carried)).status).toBe(409);
  expect((await move(accepted)).status).toBe(200);
  await waitUntil(() => city.alarms(), [[carried, 'COURIER_DARK']]);
  expect(await other.stops()).toEqual([accepted]);
  // Back online: the carried order is delivered; a step on the reassigned order is refused with an explanation.
  expect(await silent.act(carried, 'delivered')).toEqual(expect.objectContaining({ outcome: 'applied' }));
  expect(await silent.act(accepted, 'picked_up')).toMatchObject({
    outcome: 'refused',
    explanation: expect.stringContaining('The order is no longer assigned to you'),
  });
  await silent.report();
  await waitUntil(() => city.alarms(), []);
  expect(await other.act(accepted, 'picked_up')).toMatchObject({ outcome: 'applied' });
});

test('when all couriers go off duty an alarm is raised at once, and the System cancels after the limit', async () => {
  const city = await build({ courierWaitLimitMinutes: 15 });
  const [one, two] = [await city.addCourier('One', 0.5), await city.addCourier('Two', 1)];
  const id = await city.place('all-gone', { timing: { prepMinutes: 10 } });
  await waitUntil(() => stateOf(service, id), 'ROUTED');
  await one.setDuty(false);
  await two.setDuty(false);
  await waitUntil(() => city.alarms(), [[id, 'NO_COURIER_IN_TIME']]);
  expect(await reasonOf(id)).toBe('NOBODY_ON_DUTY');
  clock.moveBy(15 * MINUTE_MS - 1);
  await expireOrders(service.app);
  expect(await stateOf(service, id)).toBe('ROUTED');
  clock.moveBy(1_000);
  await receiver.waitFor(() => webhooksOf(receiver, 'all-gone').some((body) => body['event'] === 'order.canceled'));
  expect(webhooksOf(receiver, 'all-gone').find((body) => body['event'] === 'order.canceled')).toMatchObject({
    canceledBy: 'System',
    cancelReasonId: 'COURIER_NOT_AVAILABLE',
  });
  await waitUntil(() => city.alarms(), []);
});

test('after their shift a courier gets no new orders and finishes the current ones', async () => {
  const city = await build();
  const courier = await city.addCourier('Leaving', 0.3);
  const startsAt = clock.now() - MINUTE_MS;
  const whose = { courierId: courier.id, scope: 'everything', actor: { name: 'test' } } as const;
  const shift = { ...whose, startsAt, endsAt: startsAt + 10 * MINUTE_MS };
  expect(await addShift(service.app, shift)).toMatchObject({ kind: 'added' });
  const last = await city.place('last-of-the-shift');
  await waitUntil(() => courier.offers(), [last]);
  await courier.accept(last);
  clock.moveBy(10 * MINUTE_MS);
  const late = await city.place('after-the-shift');
  await waitUntil(() => reasonOf(late), 'SHIFTS_END');
  expect([await courier.offers(), await courier.stops()]).toEqual([[], [last]]);
  expect((await courier.page.get('/api/courier/work')).body.shiftEndsAt).toBe(new Date(shift.endsAt).toISOString());
  await city.command(last, 'prepare');
  expect(await courier.act(last, 'picked_up')).toMatchObject({ outcome: 'applied' });
  expect(await courier.act(last, 'delivered')).toMatchObject({ outcome: 'applied' });
  // A courier who goes on duty again after the shift has no shift end.
  await courier.setDuty(false);
  clock.moveBy(1_000);
  await courier.setDuty(true);
  await waitUntil(() => courier.offers(), [late]);
  expect((await courier.page.get('/api/courier/work')).body.shiftEndsAt).toBeNull();
});

test('a new courier gets no offers before going on duty', async () => {
  const city = await build();
  const courier = await city.addCourier('New', 0.3, false);
  const id = await city.place('nobody-yet');
  await waitUntil(() => city.alarms(), [[id, 'NO_COURIER_IN_TIME']]);
  expect(await courier.offers()).toEqual([]);
  await courier.setDuty(true);
  await waitUntil(() => courier.offers(), [id]);
});

test('a courier sees how an order that left them ended, and nothing about other orders', async () => {
  const city = await build();
  const first = await city.addCourier('First', 0.3);
  const id = await city.place('gone');
  await waitUntil(() => first.offers(), [id]);
  await first.accept(id);
  const second = await city.addCourier('Second', 2);
  const endings = () =>
    Promise.all([first, second].map(async ({ page }) => (await page.get(`/api/courier/orders/${id}`)).body.ending));
  expect(await endings()).toEqual(['open', undefined]);
  await operator.send('POST', `/api/operator/planning/orders/${id}/move`, { courierId: second.id });
  expect(await endings()).toEqual(['moved', 'open']);
  await city.owner.send('POST', `/api/orders/${id}/cancel`, { cancelReasonId: 'OUT_OF_STOCK' });
  expect(await endings()).toEqual(['canceled', 'canceled']);
});
