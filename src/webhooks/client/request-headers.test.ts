import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { headersFor } from './request-headers.ts';
import type { Target } from './targets.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const DELIVERY: Delivery = {
  eventId: '0198c0de-0000-7000-8000-000000000001',
  restaurantId: 'r',
  endpoint: 'status',
  orderId: 'o',
  version: 3,
  attempts: 1,
  failures: 1,
  body: '{"event":"order.status_changed"}',
  leasedBy: '1',
};
const TARGET: Target = {
  url: 'https://receiver.example/',
  secretId: null,
  secret: null,
  isSecretUnreadable: false,
  hasMetadata: false,
};
const NOW = 1_700_000_000_123;

test('without a secret and without delivery metadata, the only header is the content type', () => {
  expect(headersFor(DELIVERY, TARGET, NOW)).toEqual({ 'Content-Type': 'application/json' });
});

test('with a secret, the contract’s signature is the only other header', () => {
  const signature = createHmac('sha256', SECRET).update(DELIVERY.body).digest('hex');
  expect(headersFor(DELIVERY, { ...TARGET, secret: SECRET }, NOW)).toEqual({
    'Content-Type': 'application/json',
    'X-Service-Signature': signature,
  });
});

test('delivery metadata adds the event, attempt and sequence, and headers that Standard Webhooks libraries verify', () => {
  const headers = headersFor(DELIVERY, { ...TARGET, secret: SECRET, hasMetadata: true }, NOW);
  const key = Buffer.from('0123456789abcdef0123456789abcdef');
  const signed = `${DELIVERY.eventId}.1700000000.${DELIVERY.body}`;
  expect(headers).toEqual({
    ...headersFor(DELIVERY, { ...TARGET, secret: SECRET }, NOW),
    'X-Waybill-Event-Id': DELIVERY.eventId,
    'X-Waybill-Attempt': '2',
    'X-Waybill-Sequence': '3',
    'webhook-id': DELIVERY.eventId,
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  });
});

test('delivery metadata without a secret is not signed', () => {
  expect(headersFor(DELIVERY, { ...TARGET, hasMetadata: true }, NOW)).toEqual({
    'Content-Type': 'application/json',
    'X-Waybill-Event-Id': DELIVERY.eventId,
    'X-Waybill-Attempt': '2',
    'X-Waybill-Sequence': '3',
    'webhook-id': DELIVERY.eventId,
    'webhook-timestamp': '1700000000',
  });
});
