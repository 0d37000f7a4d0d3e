import { expect, test } from 'vitest';
import { eventsOf, type OrderIdentity } from './events.ts';

const IDENTITY: OrderIdentity = {
  providerOrderId: 'A "quoted" Ördér',
  serviceOrderId: '0198c0de-0000-7000-8000-000000000001',
  orderNumber: '100001',
  providerRestaurantId: 'resto-1',
  timeZone: 'Europe/Istanbul',
};
const AT = Date.parse('2026-03-01T09:00:00.123Z');

test('a status webhook has exactly the contract’s fields, in contract order, as compact JSON', () => {
  const [event, ...others] = eventsOf({ from: 'NEW', to: 'VALIDATED', version: 1, at: AT }, IDENTITY, null);
  expect(others).toEqual([]);
  expect(event).toMatchObject({ type: 'order.status_changed', endpoint: 'status', version: 1 });
  expect(event?.body).toBe(
    '{"event":"order.status_changed","orderId":"A \\"quoted\\" Ördér",' +
      '"serviceOrderId":"0198c0de-0000-7000-8000-000000000001","orderNumber":"100001","status":"VALIDATED",' +
      '"previousStatus":"NEW","timestamp":"2026-03-01T12:00:00.123+03:00","provider":"THIRD_PARTY",' +
      '"providerRestaurantId":"resto-1"}',
  );
});

test('a cancellation produces both webhooks with the same instant', () => {
  const cancellation = { reasonId: 'OUT_OF_STOCK', by: 'Restaurant', text: 'no more rice' } as const;
  const events = eventsOf({ from: 'NEW', to: 'CANCELED', version: 1, at: AT }, IDENTITY, cancellation);
  expect(events.map((event) => event.endpoint)).toEqual(['status', 'cancel']);
  expect(events[1]?.body).toBe(
    '{"event":"order.canceled","orderId":"A \\"quoted\\" Ördér",' +
      '"serviceOrderId":"0198c0de-0000-7000-8000-000000000001","reason":"no more rice",' +
      '"cancelReasonId":"OUT_OF_STOCK","canceledBy":"Restaurant","timestamp":"2026-03-01T12:00:00.123+03:00"}',
  );
  expect(events[0]?.at).toBe(events[1]?.at);
});
