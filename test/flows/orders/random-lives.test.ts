import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWebhookUrls } from '../../../src/actions/webhooks/set-webhook-urls.ts';
import type { OrderState } from '../../../src/domain/orders/order.ts';
import { issueServerCertificate } from '../../../src/robots/certificates.ts';
import { resendDelivery } from '../../../src/store/webhooks/delivery-log.ts';
import { createChance, newSeed } from '../../../harness/chance.ts';
import {
  isSigned,
  startContractReceiver,
  type ContractReceiver,
  type ContractRestaurant,
} from '../../clients/contract-receiver.ts';
import { drawSteps } from '../../../harness/load/random-life.ts';
import { getTestAuthority } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const ORDERS = 1_000;
const ORDERS_AT_ONCE = 40;
const MAX_LIFE = 40;
const RESENT = 60;
const ZONES = [
  'Europe/Istanbul',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'America/New_York',
  'Pacific/Marquesas',
  'Pacific/Kiritimati',
  'UTC',
];

const CLOSED = { weekly: [[], [], [], [], [], [], []], exceptions: [] };

const seed = newSeed();
let service: TestService;
let receiver: ContractReceiver;
const restaurants: TestRestaurant[] = [];
const couriers: string[] = [];

beforeAll(async () => {
  service = await startService();
  const authority = await getTestAuthority();
  const issued = await issueServerCertificate(authority, { names: ['localhost'], now: Date.now() });
  const known = new Map<string, ContractRestaurant>();
  receiver = await startContractReceiver({
    certificate: { cert: issued.chainPem, key: issued.privateKeyPem },
    restaurants: known,
  });
  for (const [index, timeZone] of ZONES.entries()) {
    const restaurant = await service.addRestaurant({
      hasSecret: true,
      timeZone,
      autoApprove: index % 2 === 1,
      // Always closed: the System cancels immediately.
      ...(index === 4 && { openingHours: CLOSED }),
    });
    known.set(restaurant.id, {
      providerRestaurantId: restaurant.restaurantId,
      secret: restaurant.secret ?? '',
      timeZone,
    });
    const base = `https://localhost:${receiver.port}/${restaurant.id}`;
    const urls = { status: `${base}/status`, cancel: `${base}/cancel` };
    await setWebhookUrls(service.app, { restaurantId: restaurant.id, actor: { name: 'test' }, urls });
    restaurants.push(restaurant);
  }
  for (let index = 0; index < 20; index += 1) couriers.push(await service.addCourier(`Courier ${index}`));
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

/** Takes one order to its end or through a limited number of steps; returns its ID. */
async function live(index: number): Promise<string> {
  const chance = createChance(seed + index);
  const restaurant = chance.pick(restaurants);
  const answer = await service.post(restaurant, { orderId: `life-${index} "${chance.below(99)}" ü` });
  expect(answer.status).toBe(201);
  const { serviceOrderId, status } = (await answer.json()) as { serviceOrderId: string; status: OrderState };
  const pair = [chance.pick(couriers), chance.pick(couriers)];
  let state = status;
  let stepsAfterTheEnd = 2;
  for (let round = 0; round < MAX_LIFE && stepsAfterTheEnd > 0; round += 1) {
    const steps = drawSteps(chance, state, pair);
    const results = await Promise.all(
      steps.map((step) => service.app.changer.change({ scope: 'everything', orderId: serviceOrderId, ...step })),
    );
    for (const result of results) if (result.kind !== 'refused') state = result.state;
    if (state === 'DELIVERED' || state === 'CANCELED') stepsAfterTheEnd -= 1;
  }
  return serviceOrderId;
}

async function liveAll(): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < ORDERS) {
      const index = next;
      next += 1;
      ids.push(await live(index));
    }
  };
  await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, lane));
  return ids;
}

async function drained(): Promise<void> {
  const countDeliveries = async (): Promise<number> => (await service.app.db.query('select from deliveries')).length;
  await expect.poll(countDeliveries, { timeout: 30_000, interval: 100 }).toBe(0);
}

test(`a receiver written from the contract verifies every webhook of ${ORDERS} random orders (seed ${seed})`, async () => {
  const { db } = service.app;
  const ids = await liveAll();
  await drained();
  expect(receiver.complaints).toEqual([]);
  expect(receiver.dropped).toEqual([]);

  const events = await db.query<{ id: string; type: string; toState: string }>('select id, type, to_state from events');
  expect(receiver.receivedCount).toBe(events.length);
  const orders = await db.query<{ id: string; state: string }>('select id, state from orders');
  expect(orders.map((order) => order.id).sort()).toEqual([...ids].sort());
  for (const { id, state } of orders) {
    const seen = receiver.orders.get(id);
    expect(seen?.status ?? 'NEW').toBe(state);
    expect(seen?.cancellation?.timestamp).toBe(seen?.canceledStatusTimestamp);
  }
  // The run was meaningful: every state was reached, and many orders reached each final state.
  const reached = new Set(events.map((event) => event.toState));
  expect(reached.size).toBe(8);
  for (const end of ['DELIVERED', 'CANCELED']) {
    expect(orders.filter((order) => order.state === end).length).toBeGreaterThan(ORDERS / 20);
  }

  // Resends old webhooks: the receiver's own rule drops exactly those and has dropped nothing else.
  const chance = createChance(seed);
  const resent = new Set(Array.from({ length: RESENT }, () => chance.pick(events).id));
  for (const eventId of resent) {
    const scope = { eventId, restaurantId: null, now: Date.now() };
    expect(await db.transaction((tx) => resendDelivery(tx, scope))).toBe('queued');
  }
  await drained();
  expect(receiver.receivedCount).toBe(events.length + resent.size);
  expect(receiver.dropped).toHaveLength(resent.size);
  expect(receiver.dropped.every((body) => receiver.hasProcessed(body))).toBe(true);
  expect(receiver.complaints).toEqual([]);
}, 120_000);

test('control: the receiver rejects a missing signature and signatures of other bytes or with another secret', () => {
  const body = Buffer.from('{"event":"order.canceled","reason":"ü"}');
  const sign = (secret: string, bytes: Buffer): string => createHmac('sha256', secret).update(bytes).digest('hex');
  expect(isSigned(body, sign('s', body), 's')).toBe(true);
  expect(isSigned(body, sign('t', body), 's')).toBe(false);
  expect(isSigned(body, sign('s', Buffer.from('{}')), 's')).toBe(false);
  expect(isSigned(body, sign('s', body).toUpperCase(), 's')).toBe(false);
  expect(isSigned(body, undefined, 's')).toBe(false);
});
