// A service on a stopped clock, a receiver with configurable answers, and the steps that many tests of deliveries have
// in common.
import { expect } from 'vitest';
import { setWebhookUrls } from '../../src/actions/webhooks/set-webhook-urls.ts';
import type { Command } from '../../src/domain/orders/order.ts';
import { createPlatform } from '../../src/platform.ts';
import { listDeliveries, type DeliveryView } from '../../src/store/webhooks/delivery-log.ts';
import { startReceiver, type Answer, type ReceivedRequest, type Receiver } from '../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../harness/service/service.ts';
import { createSimulatedClock, type SimulatedClock } from '../../harness/clocks/simulated.ts';

export interface LoggedAttempt {
  number: number;
  outcome: string;
  url: string;
  secretId: string;
  status: number;
}

export interface WebhookScene {
  service: TestService;
  receiver: Receiver;
  clock: SimulatedClock;
  courierId: string;
  /** Sets how the receiver answers from now on. */
  respondWith(respond: (request: ReceivedRequest) => Answer | Promise<Answer>): void;
  /** Returns the service's ID of the order. */
  place(restaurant: TestRestaurant, orderId: string): Promise<string>;
  change(orderId: string, command: Command): Promise<void>;
  /** States in order of arrival, of one order or of all orders. */
  statesReceived(orderId?: string): string[];
  /** For an order with exactly one event. */
  deliveryOf(restaurant: TestRestaurant, orderId: string): Promise<DeliveryView>;
  attemptsOf(eventId: string): Promise<LoggedAttempt[]>;
  /** Returns the number of held deliveries that this released. */
  setUrls(restaurant: TestRestaurant, urls: { status: string | null; cancel: string | null }): Promise<number>;
  /** Advances the clock by this much and makes the service check what is due. */
  pass(ms: number): void;
  stop(): Promise<void>;
}

export async function openWebhookScene(): Promise<WebhookScene> {
  const clock = createSimulatedClock('2026-03-01T09:00:00Z');
  let respond: (request: ReceivedRequest) => Answer | Promise<Answer> = () => 200;
  const receiver = await startReceiver({ onRequest: (request) => respond(request) });
  const service = await startService({ platform: createPlatform(undefined, clock) });
  const courierId = await service.addCourier();
  const { app } = service;
  return {
    service,
    receiver,
    clock,
    courierId,
    respondWith: (next) => {
      respond = next;
    },
    place: async (restaurant, orderId) => {
      const answer = await service.post(restaurant, { orderId });
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { serviceOrderId: string }).serviceOrderId;
    },
    change: async (orderId, command) => {
      const isCouriers = command.name === 'accept';
      const actor = isCouriers ? ({ role: 'courier', courierId } as const) : ({ role: 'restaurant' } as const);
      expect((await app.changer.change({ scope: 'everything', orderId, command, actor })).kind).toBe('changed');
    },
    statesReceived: (orderId = '') =>
      receiver.requests
        .filter((request) => request.body.includes(orderId))
        .map((request) => (JSON.parse(request.body.toString()) as { status: string }).status),
    deliveryOf: async (restaurant, orderId) => {
      const views = await listDeliveries(app.db, restaurant.id, 100);
      const view = views.find((candidate) => candidate.serviceOrderId === orderId);
      if (view === undefined) throw new Error('There is no such delivery');
      return view;
    },
    attemptsOf: (eventId) =>
      app.db.query<LoggedAttempt>(
        'select number, outcome, url, secret_id, status from attempts where event_id = $1 order by id',
        [eventId],
      ),
    setUrls: async ({ id: restaurantId }, urls) => {
      const set = await setWebhookUrls(app, { actor: { name: 'test' }, restaurantId, urls });
      if (set.kind === 'refused') throw new Error(set.refusal.code);
      return set.released;
    },
    pass: (ms) => {
      clock.moveBy(ms);
      app.engine.wake();
    },
    stop: async () => {
      await service.stop();
      await receiver.close();
    },
  };
}
