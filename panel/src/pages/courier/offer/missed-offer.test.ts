import { expect, test } from 'vitest';
import { isMissed } from './missed-offer.ts';

const offer = { orderId: 'o', expiresAt: '2026-03-01T12:01:00.000Z' };
const over = Date.parse(offer.expiresAt);

test('an offer that disappeared is missed if it expired and its order is not a stop', () => {
  expect(isMissed(offer, { stops: [{ orderId: 'other' }], now: over })).toBe(true);
  expect(isMissed(offer, { stops: [], now: over - 1 })).toBe(false);
  expect(isMissed(offer, { stops: [{ orderId: 'o' }], now: over })).toBe(false);
});
