// A restaurant with its owner at the restaurantPage and couriers with phones, all on the real pages.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import type { BrowserPages } from '../browser/browser.ts';
import type { Receiver } from '../../harness/receivers/receiver.ts';
import type { RestaurantOptions } from '../../harness/service/restaurant.ts';
import { sampleOrder } from './sample-order.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

/** Where the sample order is picked up. */
const PLACE = { latitude: 40.9876, longitude: 29.0301 };
const KILOMETERS_PER_DEGREE = 111;

/** Without a GPU, drawing a map takes seconds. Maps have their own tests. */
const WITHOUT_MAPS = 'HTMLCanvasElement.prototype.getContext = () => null';

export interface Placed {
  orderId: string;
  serviceOrderId: string;
  orderNumber: string;
}

export interface Shop {
  restaurant: TestRestaurant;
  /** The owner's page, showing the board. */
  restaurantPage: Page;
  /** The phone of one of the restaurant's own couriers, who has just gone on duty at this distance from it. */
  hire(name: string, kilometers?: number): Promise<Page>;
  place(changes?: object): Promise<Placed>;
  /** Uses the button on the order's card on the board. */
  command(name: 'Approve' | 'Mark prepared', order: Placed): Promise<void>;
  openOrder(order: Placed): Promise<void>;
  openBoard(): Promise<void>;
}

export interface ShopTools {
  service: TestService;
  visitAs: BrowserPages['visitAs'];
}

export async function openShop({ service, visitAs }: ShopTools, options: RestaurantOptions = {}): Promise<Shop> {
  const restaurant = await service.addRestaurant({ preparationMinutes: 0, ...PLACE, ...options });
  const { id: restaurantId } = restaurant;
  const restaurantPage = await visitAs(service, { role: 'owner', restaurant, at: '/orders' });
  return {
    restaurant,
    restaurantPage,
    async hire(name, kilometers = 0.55) {
      const place = { ...PLACE, latitude: PLACE.latitude + kilometers / KILOMETERS_PER_DEGREE };
      const person = { name, phone: '+905320000000', payPerOrder: 350 };
      const added = await addCourier(service.app, { ...person, ...place, restaurantId, actor: { name: 'test' } });
      if (added.kind === 'refused') throw new Error(added.refusal.code);
      const phone = await visitAs(service, { role: 'courier', courier: added.courier.id, screen: 'phone' });
      await phone.evaluate(WITHOUT_MAPS);
      await phone.context().grantPermissions(['geolocation']);
      await phone.context().setGeolocation(place);
      await phone.getByRole('heading', { name: `Hi, ${name}` }).waitFor();
      await Promise.all([phone.waitForResponse('**/api/courier/position'), press(phone, 'Go on duty')]);
      await waiting(phone).waitFor();
      return phone;
    },
    async place(changes = {}) {
      const answer = await service.post(restaurant, sampleOrder(changes));
      expect(answer.status).toBe(201);
      return (await answer.json()) as Placed;
    },
    command: (name, { orderNumber }) => restaurantPage.getByRole('button', { name: `${name} #${orderNumber}` }).click(),
    async openOrder({ serviceOrderId }) {
      await restaurantPage.goto(`${service.address}/orders/${serviceOrderId}`);
    },
    async openBoard() {
      await restaurantPage.goto(`${service.address}/orders`);
    },
  };
}

/** Presses the button with this text as soon as it is enabled. */
export const press = (page: Page, name: string) =>
  page.locator('button:not([aria-disabled])').filter({ hasText: name }).click();

export const waiting = (phone: Page) => phone.getByRole('heading', { name: 'Waiting for an offer' });
export const offer = (phone: Page) => phone.getByRole('heading', { name: 'New offer' });

/** The webhooks that the receiver got for an order, in order of arrival, with their paths. */
export function webhooksOf({ requests }: Receiver, { orderId }: Placed) {
  return requests
    .map(({ body, path, isSignatureValid }) => ({ ...JSON.parse(body.toString()), path, isSignatureValid }))
    .filter((body) => body.orderId === orderId);
}
