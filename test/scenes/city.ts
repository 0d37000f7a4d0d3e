// A restaurant with its owner and couriers on their pages, in a separate city, so no other courier is near.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import type { ActKind } from '../../src/domain/couriers/courier.ts';
import type { OrderState } from '../../src/domain/orders/order.ts';
import type { Clock } from '../../src/platform.ts';
import { findOrderById } from '../../src/store/orders/orders.ts';
import { signInAs, type Browser, type PanelAnswer } from '../../harness/service/panel-client.ts';
import type { Receiver } from '../../harness/receivers/receiver.ts';
import type { RestaurantOptions } from '../../harness/service/restaurant.ts';
import type { TestRestaurant, TestService } from '../../harness/service/service.ts';

export interface CityCourier {
  id: string;
  page: Browser;
  offers(): Promise<string[]>;
  /** Orders whose stops are shown on the page. */
  stops(): Promise<string[]>;
  accept(orderId: string): Promise<PanelAnswer>;
  decline(orderId: string, reason: string): Promise<PanelAnswer>;
  /** At the current time by default. */
  act(orderId: string, kind: ActKind, at?: number): Promise<{ outcome: string; explanation: string | null }>;
  setDuty(onDuty: boolean): Promise<void>;
  report(): Promise<void>;
}

export interface City {
  restaurant: TestRestaurant;
  owner: Browser;
  /** At this distance from the restaurant; goes on duty through their page by default. */
  addCourier(name: string, kilometers: number, isComing?: boolean): Promise<CityCourier>;
  /** Approved by the owner by default. */
  place(orderId: string, content?: object, isApproved?: boolean): Promise<string>;
  command(orderId: string, command: 'approve' | 'prepare'): Promise<PanelAnswer>;
  alarms(): Promise<[orderId: string, kind: string][]>;
}

export interface CityTools {
  service: TestService;
  receiver: Receiver;
  clock: Clock;
}

let cities = 0;

export async function buildCity(
  { service, receiver, clock }: CityTools,
  options: RestaurantOptions = {},
): Promise<City> {
  cities += 1;
  const spot = { latitude: 10 + cities, longitude: 29 };
  const restaurant = await service.addRestaurant({ receiver, preparationMinutes: 0, ...spot, ...options });
  const owner = await signInAs(service, 'owner', { restaurant });
  const command: City['command'] = (orderId, name) =>
    owner.send('POST', `/api/orders/${orderId}/commands`, { command: name });
  return {
    restaurant,
    owner,
    command,
    async addCourier(name, kilometers, isComing = true) {
      const place = { latitude: spot.latitude + kilometers / 111, longitude: spot.longitude };
      const { id: restaurantId } = restaurant;
      const added = await addCourier(service.app, {
        name,
        phone: null,
        ...place,
        restaurantId,
        actor: { name: 'test' },
      });
      if (added.kind === 'refused') throw new Error(added.refusal.code);
      const page = await signInAs(service, 'courier', { courier: added.courier.id });
      const courier = openCourierPage(added.courier.id, { page, clock, place });
      if (isComing) await courier.setDuty(true);
      return courier;
    },
    async place(orderId, content = {}, isApproved = true) {
      const location = { latitude: spot.latitude, longitude: spot.longitude + 0.01 };
      const answer = await service.post(restaurant, { orderId, dropoff: { location }, ...content });
      expect(answer.status).toBe(201);
      const { serviceOrderId } = (await answer.json()) as { serviceOrderId: string };
      if (isApproved) expect((await command(serviceOrderId, 'approve')).status).toBe(200);
      return serviceOrderId;
    },
    async alarms() {
      const { body } = await owner.get('/api/planning/alarms');
      return body.alarms.map(({ orderId, kind }: { orderId: string; kind: string }) => [orderId, kind]);
    },
  };
}

function openCourierPage(
  id: string,
  { page, clock, place }: { page: Browser; clock: Clock; place: object },
): CityCourier {
  const idsOf = async (part: 'offers' | 'stops'): Promise<string[]> => {
    const { body } = await page.get('/api/courier/work');
    return [...new Set<string>(body[part].map(({ orderId }: { orderId: string }) => orderId))];
  };
  return {
    id,
    page,
    offers: () => idsOf('offers'),
    stops: () => idsOf('stops'),
    accept: (orderId) => page.send('POST', `/api/courier/offers/${orderId}/accept`),
    decline: (orderId, reason) => page.send('POST', `/api/courier/offers/${orderId}/decline`, { reason }),
    async act(orderId, kind, at = clock.now()) {
      const acts = [{ id: randomUUID(), orderId, kind, at: new Date(at).toISOString() }];
      const { body } = await page.send('POST', '/api/courier/acts', { acts });
      return body.results[0];
    },
    async setDuty(onDuty) {
      expect((await page.send('POST', '/api/courier/duty', { onDuty })).status).toBe(200);
    },
    async report() {
      expect((await page.send('POST', '/api/courier/position', place)).body.isKept).toBe(true);
    },
  };
}

/** The webhooks that the receiver got for an order, in order of arrival. */
export function webhooksOf({ requests }: Receiver, orderId: string): Record<string, string>[] {
  return requests
    .map((request) => JSON.parse(request.body.toString()) as Record<string, string>)
    .filter((body) => body['orderId'] === orderId);
}

export async function stateOf(service: TestService, orderId: string): Promise<OrderState | undefined> {
  return (await findOrderById(service.app.db, orderId))?.state;
}

export async function waitUntil(ask: () => unknown, is: unknown): Promise<void> {
  await expect.poll(ask, { timeout: 15_000, interval: 50 }).toEqual(is);
}
