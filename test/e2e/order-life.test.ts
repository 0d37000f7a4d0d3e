// The whole life of an order on the real pages: the restaurant's restaurantPage, the courier's phone, the planner between them,
// and the integrator's receiver, which gets a webhook for every step.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPanelService, useChromium } from '../browser/browser.ts';
import { startReceiver, type Receiver, type ReceiverOptions } from '../../harness/receivers/receiver.ts';
import type { TestService } from '../../harness/service/service.ts';
import { openShop, press, webhooksOf } from '../scenes/shop.ts';

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

test('an order goes from approval to DELIVERED, and each webhook arrives signed and in order', async () => {
  const shop = await openShop({ service, visitAs }, { receiver, hasSecret: true });
  const { restaurantPage, restaurant } = shop;
  // From here on, the receiver answers 401 to a wrong signature.
  if (restaurant.secret !== undefined) receiving.secret = restaurant.secret;
  const phone = await shop.hire('Deniz Kaya');
  const order = await shop.place({ displayId: 'K-17', tip: 150 });
  const card = restaurantPage.getByRole('article', { name: `#${order.orderNumber}` });
  await shop.command('Approve', order);

  await phone.getByRole('heading', { name: 'New offer' }).waitFor();
  // The pay including the tip, and the distance: half a kilometer to the restaurant and about as much to the drop-off.
  for (const seen of ['Testaurant', '€5.00', '1.3 km', 'to Kadıköy']) await phone.getByText(seen).waitFor();
  expect(await phone.getByRole('timer').getAttribute('aria-label')).toMatch(/^\d\d s left$/);
  expect(await phone.getByText('Moda Caddesi').count()).toBe(0);
  await press(phone, 'Accept');

  await phone.getByRole('heading', { name: 'K-17' }).waitFor();
  await card.getByText('Deniz Kaya').waitFor();
  await press(phone, "I'm at the restaurant");
  await phone.getByText("The food isn't ready yet").waitFor();
  await shop.command('Mark prepared', order);
  await press(phone, 'Picked up');
  await phone.getByText('Moda Caddesi 12').waitFor();
  await phone.getByText('€1.20').waitFor();
  await press(phone, "I'm at the door");
  await press(phone, '€48.80 received, delivered');
  await phone.getByText(`Order ${order.orderNumber} has been delivered.`).waitFor();
  await card.getByText('Delivered').waitFor();

  await receiver.waitFor(() => webhooksOf(receiver, order).length >= 7);
  const received = webhooksOf(receiver, order);
  const states = ['NEW', 'VALIDATED', 'ROUTED', 'ASSIGNED', 'ACCEPTED', 'PREPARED', 'ON_DELIVERY', 'DELIVERED'];
  expect(received.map(({ previousStatus, status }) => [previousStatus, status])).toEqual(
    states.slice(1).map((state, index) => [states[index], state]),
  );
  for (const one of received) {
    expect(one).toMatchObject({
      event: 'order.status_changed',
      serviceOrderId: order.serviceOrderId,
      orderNumber: order.orderNumber,
      providerRestaurantId: restaurant.restaurantId,
      path: '/status',
      isSignatureValid: true,
    });
  }
  const times = received.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
});
