import { expect, test } from 'vitest';
import { isMissed } from './missed-offer.ts';

const offer = { orderId: 'o', expiresAt: '2026-03-01T12:01:00.000Z' };
const over = Date.parse(offer.expiresAt);

test('an offer that went away is missed if its time was over and its order is no stop', () => {
  expect(isMissed(offer, { stops: [{ orderId: 'other' }], now: over })).toBe(true);
  expect(isMissed(offer, { stops: [], now: over - 1 })).toBe(false);
  expect(isMissed(offer, { stops: [{ orderId: 'o' }], now: over })).toBe(false);
});
