// Problems during deliveries, on every page that shows them: offers that are declined or not answered, food that is
// ready early, couriers without contact, orders canceled by the restaurant, at the drop-off or while offline.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OUT_OF_CONTACT_AFTER_MS, OFFER_LIMIT_MS } from '../../src/domain/couriers/courier.ts';
import { STATES, type OrderState } from '../../src/domain/orders/order.ts';
import { createPlatform } from '../../src/platform.ts';
import { openDialog, startPanelService, useChromium } from '../browser/browser.ts';
import { stateOf } from '../scenes/city.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from '../../harness/receivers/receiver.ts';
import type { TestService } from '../../harness/service/service.ts';
import { offer, openShop, press, webhooksOf, waiting, type Placed, type Shop } from '../scenes/shop.ts';
import { createShiftedClock } from '../showcase/story.ts';

const clock = createShiftedClock(0);
const receiving: ReceiverOptions = {};
const { visitAs } = useChromium();
let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(receiving);
  service = await startPanelService({ platform: createPlatform(undefined, clock) });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

async function open(): Promise<Shop> {
  const shop = await openShop({ service, visitAs }, { receiver, hasSecret: true });
  if (shop.restaurant.secret !== undefined) receiving.secret = shop.restaurant.secret;
  return shop;
}

async function order(shop: Shop, changes: object = {}): Promise<Placed> {
  const placed = await shop.place(changes);
  await shop.command('Approve', placed);
  return placed;
}

async function accept(phone: Page): Promise<void> {
  await press(phone, 'Accept');
  await phone.getByRole('button', { name: "I'm at the restaurant" }).waitFor();
}

async function pickUp(phone: Page): Promise<void> {
  await press(phone, "I'm at the restaurant");
  await press(phone, 'Picked up');
}

const statusesOf = (placed: Placed) =>
  webhooksOf(receiver, placed)
    .filter(({ event }) => event === 'order.status_changed')
    .map(({ status }) => status);

/** Exactly these states, in this order. */
async function hearOf(placed: Placed, ...statuses: OrderState[]): Promise<void> {
  await receiver.waitFor(() => statusesOf(placed).includes(statuses.at(-1)));
  expect(statusesOf(placed)).toEqual(statuses);
  const times = webhooksOf(receiver, placed)
    .filter(({ event }) => event === 'order.status_changed')
    .map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
}

const timeline = (restaurantPage: Page) =>
  restaurantPage.getByRole('list', { name: 'History of the order and its webhooks' });

test('an offer that is declined or times out moves from the courier’s page to the next courier’s page', async () => {
  const shop = await open();
  const [near, far] = await Promise.all([shop.hire('Nea Near', 0.3), shop.hire('Finn Far', 3)]);
  const first = await order(shop);
  await offer(near).waitFor();
  const dialog = await openDialog(near.getByRole('button', { name: 'Decline' }), 'Why are you declining?');
  await dialog.getByRole('button', { name: 'Too heavy or too large' }).click();
  await waiting(near).waitFor();
  const missed = near.getByRole('heading', { name: 'You missed an offer' });
  expect(await missed.count()).toBe(0);
  await accept(far);
  const second = await order(shop);
  await offer(near).waitFor();
  expect(await offer(far).count()).toBe(0);
  clock.moveBy(OFFER_LIMIT_MS);
  await offer(far).waitFor();
  await waiting(near).waitFor();
  await missed.waitFor();
  await press(near, 'Got it');
  await missed.waitFor({ state: 'hidden' });
  await press(far, 'Accept');
  await shop.openOrder(first);
  const declined = timeline(shop.restaurantPage)
    .getByRole('listitem')
    .filter({ hasText: 'Courier declined: Nea Near' });
  await declined.getByText('Too heavy or too large').waitFor();
  for (const placed of [first, second]) await hearOf(placed, 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED');
});

test('an order prepared before acceptance is picked up without waiting, and PREPARED is sent after ACCEPTED', async () => {
  const shop = await open();
  const phone = await shop.hire('Deniz Kaya');
  const placed = await order(shop);
  await offer(phone).waitFor();
  await shop.command('Mark prepared', placed);
  await shop.restaurantPage
    .getByRole('button', { name: `Mark prepared #${placed.orderNumber}` })
    .waitFor({ state: 'hidden' });
  expect(await stateOf(service, placed.serviceOrderId)).toBe('ASSIGNED');
  await accept(phone);
  await pickUp(phone);
  await hearOf(placed, 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY');
});

test('lost contact with a courier alerts restaurant and operator, and a moved order reaches the new courier', async () => {
  const shop = await open();
  const silent = await shop.hire('Sil Silent');
  const placed = await order(shop);
  await accept(silent);
  await silent.context().setOffline(true);
  clock.moveBy(OUT_OF_CONTACT_AFTER_MS);
  const onRestaurantPage = shop.restaurantPage
    .getByRole('status')
    .filter({ hasText: `#${placed.orderNumber}: No contact with courier` });
  await onRestaurantPage.getByText(/Sil Silent: No contact with its courier for \d minutes/).waitFor();
  await onRestaurantPage.getByText('They keep the order until the operator moves it').waitFor();

  const other = await shop.hire('Oda Other', 2);
  const operator = await visitAs(service, { role: 'operator', at: '/operator/planning' });
  const alarm = operator
    .getByRole('table', { name: 'Alarms' })
    .getByRole('row')
    .filter({ hasText: 'No contact with courier' });
  await alarm.getByRole('link', { name: `#${placed.orderNumber}` }).click();
  const atOperator = operator.getByRole('status').filter({ hasText: 'No contact with courier' });
  await atOperator.getByText("If they don't answer, move the order").waitFor();
  const mover = operator.getByRole('button', { name: 'Move to courier' });
  const dialog = await openDialog(mover, `Move #${placed.orderNumber}`);
  await dialog.getByText('Sil Silent has accepted it').waitFor();
  await dialog.getByRole('radio', { name: 'Oda Other' }).check();
  await dialog.getByRole('button', { name: 'Move order' }).click();

  await other.getByRole('button', { name: "I'm at the restaurant" }).waitFor();
  await atOperator.waitFor({ state: 'hidden' });
  await onRestaurantPage.waitFor({ state: 'hidden' });
  await silent.context().setOffline(false);
  const notice = silent
    .getByRole('alert')
    .filter({ hasText: `Order ${placed.orderNumber} was moved to another courier` });
  await notice.waitFor();
  await waiting(silent).waitFor();
});

/** Order contents that keep an order in a state that it would otherwise leave automatically. */
const CONTENTS: Partial<Record<OrderState, object>> = {
  VALIDATED: { dropoff: { address: { line1: 'Somewhere' } } },
  ROUTED: { timing: { prepMinutes: 60 } },
};
const isReached = (state: OrderState, by: OrderState): boolean => STATES.indexOf(state) <= STATES.indexOf(by);

async function bringTo(state: OrderState, shop: Shop, phone: Page): Promise<Placed> {
  const placed = await order(shop, CONTENTS[state]);
  if (isReached('ASSIGNED', state)) await offer(phone).waitFor();
  if (isReached('ACCEPTED', state)) await accept(phone);
  if (isReached('PREPARED', state)) await shop.command('Mark prepared', placed);
  if (isReached('ON_DELIVERY', state)) await pickUp(phone);
  await expect.poll(() => stateOf(service, placed.serviceOrderId)).toBe(state);
  return placed;
}

async function cancelOnRestaurantPage(shop: Shop, placed: Placed, whatOfTheCourier = ''): Promise<void> {
  await shop.openOrder(placed);
  const opener = shop.restaurantPage.getByRole('button', { name: 'Cancel order' });
  const dialog = await openDialog(opener, `Cancel order #${placed.orderNumber}?`);
  await dialog
    .getByText(
      `You can't undo this. We send the status and cancel webhooks to your system immediately. ${whatOfTheCourier}`.trim(),
      {
        exact: true,
      },
    )
    .waitFor();
  await dialog.getByRole('combobox', { name: 'Reason' }).selectOption({ label: 'Out of stock' });
  await dialog.getByLabel('Message to the integrator').fill('No more burrata');
  await dialog.getByRole('button', { name: 'Cancel order' }).click();
  await timeline(shop.restaurantPage).getByText('Canceled by the restaurant').waitFor();
}

const CALLED_OFF = 'Deniz Kaya has the order and is notified immediately.';

/** Both webhooks arrive, with the reason. */
async function hearOfCancellation(placed: Placed, previousStatus: OrderState): Promise<void> {
  await receiver.waitFor(
    () =>
      statusesOf(placed).includes('CANCELED') && webhooksOf(receiver, placed).some(({ path }) => path === '/cancel'),
  );
  const notified = webhooksOf(receiver, placed);
  expect(notified.find(({ status }) => status === 'CANCELED')).toMatchObject({ previousStatus, path: '/status' });
  expect(notified.find(({ path }) => path === '/cancel')).toMatchObject({
    event: 'order.canceled',
    cancelReasonId: 'OUT_OF_STOCK',
    canceledBy: 'Restaurant',
    reason: 'No more burrata',
    isSignatureValid: true,
  });
}

// Canceling a NEW order is covered by the tests of the order page.
test('an order canceled before acceptance disappears from every courier’s page, and the webhooks give the reason', async () => {
  const shop = await open();
  const phone = await shop.hire('Deniz Kaya');
  for (const state of ['VALIDATED', 'ROUTED', 'ASSIGNED'] as const) {
    await shop.openBoard();
    const placed = await bringTo(state, shop, phone);
    await cancelOnRestaurantPage(shop, placed, state === 'ASSIGNED' ? CALLED_OFF : '');
    await waiting(phone).waitFor();
    await hearOfCancellation(placed, state);
  }
});

test('an order canceled after acceptance leaves the courier’s page with a notice; the webhooks give the reason', async () => {
  const shop = await open();
  const phone = await shop.hire('Deniz Kaya');
  const notified = 'Deniz Kaya is on the way with the food and is notified immediately. Agree on what to do with it.';
  for (const state of ['ACCEPTED', 'PREPARED', 'ON_DELIVERY'] as const) {
    await shop.openBoard();
    const placed = await bringTo(state, shop, phone);
    await cancelOnRestaurantPage(shop, placed, state === 'ON_DELIVERY' ? notified : CALLED_OFF);
    const notice = phone.getByRole('alert').filter({ hasText: `Order ${placed.orderNumber} was canceled` });
    await notice.getByText("Don't deliver it").waitFor();
    await press(phone, 'Got it');
    await notice.waitFor({ state: 'hidden' });
    await waiting(phone).waitFor();
    await hearOfCancellation(placed, state);
  }
});

test('a courier cancels with a courier reason, which restaurant and integrator see', async () => {
  const shop = await open();
  const phone = await shop.hire('Deniz Kaya');
  const placed = await bringTo('ON_DELIVERY', shop, phone);
  const opener = phone.getByRole('main').getByRole('button', { name: 'Cancel order' }).first();
  const dialog = await openDialog(opener, `Cancel order ${placed.orderNumber}?`);
  expect(await dialog.getByRole('radio').count()).toBe(3);
  await dialog.getByText('Select a reason').waitFor();
  await dialog.getByRole('radio', { name: "Can't find the address" }).check();
  await dialog.getByLabel('What happened').fill('There is no such house');
  await dialog.getByRole('button', { name: 'Cancel order' }).click();
  await waiting(phone).waitFor();
  await shop.openOrder(placed);
  await timeline(shop.restaurantPage).getByText('Canceled by the courier').waitFor();
  await receiver.waitFor(() => webhooksOf(receiver, placed).some(({ path }) => path === '/cancel'));
  expect(webhooksOf(receiver, placed).find(({ path }) => path === '/cancel')).toMatchObject({
    cancelReasonId: 'WRONG_ADDRESS',
    canceledBy: 'Courier',
    reason: 'There is no such house',
  });
});

test('offline steps on an order canceled in the meantime are refused, and the page says why', async () => {
  const shop = await open();
  const phone = await shop.hire('Deniz Kaya');
  const placed = await bringTo('PREPARED', shop, phone);
  await phone.context().setOffline(true);
  await pickUp(phone);
  await phone.getByText('2 steps waiting to be sent').waitFor();
  await cancelOnRestaurantPage(shop, placed, CALLED_OFF);
  await phone.context().setOffline(false);
  const refused = phone.getByRole('alert').filter({ hasText: `Order ${placed.orderNumber}: not accepted` });
  await refused.getByText('The order was canceled.').waitFor();
  await refused.getByText("Not sent, because an earlier step wasn't accepted.").waitFor();
  await phone
    .getByRole('alert')
    .filter({ hasText: `Order ${placed.orderNumber} was canceled` })
    .waitFor();
  await refused.getByRole('button', { name: 'Got it' }).click();
  await refused.waitFor({ state: 'hidden' });
  await waiting(phone).waitFor();
  await hearOf(placed, 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'CANCELED');
});
