// The whole life of an order by the pages of those who work with it: a restaurant at its desk, a courier with a phone,
// the planner between them, and the integrator's receiver, which is told every step.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCourier } from '../../src/actions/add-courier.ts';
import { startPanelService, useChromium } from '../helpers/browser.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from '../helpers/receiver.ts';
import { sampleOrder } from '../helpers/sample-order.ts';
import type { TestRestaurant, TestService } from '../helpers/service.ts';

const PLACE = { latitude: 40.9876, longitude: 29.0301 };

let service: TestService;
let receiver: Receiver;
const receiving: ReceiverOptions = {};
const { visitAs } = useChromium();

beforeAll(async () => {
  receiver = await startReceiver(receiving);
  service = await startPanelService();
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

interface Shop {
  restaurant: TestRestaurant;
  desk: Page;
  phone: Page;
}

interface Placed {
  orderId: string;
  serviceOrderId: string;
  orderNumber: string;
}

async function place({ restaurant }: Shop): Promise<Placed> {
  const answer = await service.post(restaurant, sampleOrder({ displayId: 'K-17', tip: 150 }));
  expect(answer.status).toBe(201);
  return (await answer.json()) as Placed;
}

/** A restaurant with its owner at the desk and one courier, who has just gone on duty. */
async function openShop(): Promise<Shop> {
  const restaurant = await service.addRestaurant({ receiver, hasSecret: true, preparationMinutes: 0, ...PLACE });
  // From now on a webhook with a wrong signature is answered 401.
  if (restaurant.secret !== undefined) receiving.secret = restaurant.secret;
  const added = await addCourier(service.app, {
    name: 'Deniz Kaya',
    phone: '+905320000000',
    payPerOrder: 350,
    ...PLACE,
    restaurantId: restaurant.restaurantId,
    actor: 'test',
  });
  if (added.kind === 'refused') throw new Error(added.message);
  const phone = await visitAs(service, { role: 'courier', courier: added.courier.id, screen: 'phone' });
  await phone.context().grantPermissions(['geolocation']);
  await phone.context().setGeolocation({ ...PLACE, latitude: PLACE.latitude + 0.005 });
  await phone.getByRole('heading', { name: 'Hello, Deniz Kaya' }).waitFor();
  await press(phone, 'Go on duty');
  await phone.getByRole('heading', { name: 'Waiting for an offer' }).waitFor();
  return { restaurant, phone, desk: await visitAs(service, { role: 'owner', restaurant, at: '/orders' }) };
}

const press = (page: Page, name: string) =>
  page.locator('button:not([aria-disabled])').filter({ hasText: name }).click();

function toldOf({ orderId }: Placed) {
  return receiver.requests
    .map(({ body, path, isSignatureValid }) => ({ ...JSON.parse(body.toString()), path, isSignatureValid }))
    .filter((told) => told.orderId === orderId);
}

test('panel approves, planner routes and selects, courier accepts, kitchen prepares, courier delivers; each webhook comes signed and in order', async () => {
  const shop = await openShop();
  const { desk, phone, restaurant } = shop;
  const order = await place(shop);
  const card = desk.getByRole('article', { name: `#${order.orderNumber}` });
  await desk.getByRole('button', { name: `Approve #${order.orderNumber}` }).click();

  await phone.getByRole('heading', { name: 'New offer' }).waitFor();
  // The pay with the tip, and the way: half a kilometre to the restaurant and about as much again to the door.
  for (const seen of ['Testaurant', '€5.00', '1.3 km', 'to Kadıköy']) await phone.getByText(seen).waitFor();
  expect(await phone.getByRole('timer').getAttribute('aria-label')).toMatch(/^\d\d s left$/);
  expect(await phone.getByText('Moda Caddesi').count()).toBe(0);
  await press(phone, 'Accept');

  await phone.getByRole('heading', { name: 'K-17' }).waitFor();
  await card.getByText('Deniz Kaya').waitFor();
  await press(phone, 'I am at the restaurant');
  await phone.getByText('The kitchen is not ready yet').waitFor();
  await desk.getByRole('button', { name: `Prepared #${order.orderNumber}` }).click();
  await press(phone, 'I have picked it up');
  await phone.getByText('Moda Caddesi 12').waitFor();
  await phone.getByText('€1.20').waitFor();
  await press(phone, 'I am at the door');
  await press(phone, '€48.80 received, delivered');
  await phone.getByText(`Order ${order.orderNumber} is with its customer.`).waitFor();
  await card.getByText('Delivered').waitFor();

  await receiver.waitFor(() => toldOf(order).length >= 7);
  const told = toldOf(order);
  const states = ['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'];
  expect(told.map(({ previousStatus, status }) => [previousStatus, status])).toEqual(
    states.slice(1).map((state, index) => [states[index], state]),
  );
  for (const one of told) {
    expect(one).toMatchObject({
      event: 'order.status_changed',
      serviceOrderId: order.serviceOrderId,
      orderNumber: order.orderNumber,
      providerRestaurantId: restaurant.restaurantId,
      path: '/status',
      isSignatureValid: true,
    });
  }
  const times = told.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
});

test('an order that the restaurant cancels leaves the page of its courier, who is told', async () => {
  const shop = await openShop();
  const { desk, phone } = shop;
  const order = await place(shop);
  await desk.getByRole('button', { name: `Approve #${order.orderNumber}` }).click();
  await press(phone, 'Accept');
  await phone.getByRole('button', { name: 'I am at the restaurant' }).waitFor();
  await desk.goto(`${service.address}/orders/${order.serviceOrderId}`);
  await desk.getByRole('button', { name: 'Cancel order' }).click();
  const dialog = desk.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Reason' }).selectOption({ label: 'Something is out of stock' });
  await dialog.getByRole('button', { name: 'Cancel the order' }).click();

  const notice = phone.getByRole('alert').filter({ hasText: `Order ${order.orderNumber} was canceled` });
  await notice.waitFor();
  await phone.getByRole('heading', { name: 'Waiting for an offer' }).waitFor();
  await press(phone, 'Understood');
  await notice.waitFor({ state: 'hidden' });
  await receiver.waitFor(() => toldOf(order).some(({ event }) => event === 'order.canceled'));
  const canceled = toldOf(order).find(({ event }) => event === 'order.canceled');
  expect(canceled).toMatchObject({ cancelReasonId: 'OUT_OF_STOCK', canceledBy: 'Restaurant', path: '/cancel' });
  expect(canceled).toMatchObject({ isSignatureValid: true });
});
