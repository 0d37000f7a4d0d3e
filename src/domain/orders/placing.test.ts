import { expect, test } from 'vitest';
import { firstCommand, newOrder, withDeadline } from './placing.ts';
import type { Restaurant } from '../restaurants/restaurant.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const RESTAURANT: Restaurant = {
  id: 'r',
  providerRestaurantId: 'resto-1',
  name: 'Resto',
  timeZone: 'UTC',
  integrationEnabled: true,
  autoApprove: false,
  rateLimitPerMinute: 300,
  preparationMinutes: 15,
  courierWaitLimitMinutes: 60,
  approvalLimitMinutes: null,
  openingHours: null,
  deliveryMetadata: false,
};
const CLOSED = { weekly: [[], [], [], [], [], [], []], exceptions: [] };

test('an immediate order at a closed restaurant is canceled by the System; a later one waits for approval', () => {
  const closed = { ...RESTAURANT, openingHours: CLOSED, autoApprove: true };
  const canceled = { name: 'cancel', cancellation: { reasonId: 'RESTAURANT_CLOSED', by: 'System' } };
  expect(firstCommand(closed, null, NOW)).toMatchObject(canceled);
  // Ready in ten minutes counts as now: the kitchen would have to start immediately.
  expect(firstCommand(closed, NOW + 10 * MINUTE_MS, NOW)).toMatchObject(canceled);
  expect(firstCommand(closed, NOW + HOUR_MS, NOW)).toEqual({ name: 'approve' });
});

test('an order is approved automatically only where the restaurant enabled it', () => {
  expect(firstCommand(RESTAURANT, null, NOW)).toBeNull();
  expect(firstCommand({ ...RESTAURANT, autoApprove: true }, null, NOW)).toEqual({ name: 'approve' });
});

test('the courier search deadline counts from approval, and an assignment does not move it', () => {
  const placed = withDeadline(null, newOrder('o', null, NOW), RESTAURANT);
  expect(placed.deadlineAt).toBeNull();
  const approved = withDeadline(placed, { ...placed, state: 'VALIDATED', lastChangedAt: NOW + 5 }, RESTAURANT);
  expect(approved.deadlineAt).toBe(NOW + 5 + HOUR_MS);
  const assigned = withDeadline(approved, { ...approved, state: 'ASSIGNED', lastChangedAt: NOW + 9_999 }, RESTAURANT);
  expect(assigned.deadlineAt).toBe(NOW + 5 + HOUR_MS);
  const accepted = withDeadline(
    assigned,
    { ...assigned, state: 'ACCEPTED', courierAcceptedAt: NOW + 10_000 },
    RESTAURANT,
  );
  expect(accepted.deadlineAt).toBeNull();
});

test('the courier search deadline of a scheduled order follows its wanted time', () => {
  const placed = newOrder('o', NOW + 5 * HOUR_MS, NOW);
  expect(withDeadline(placed, { ...placed, state: 'VALIDATED' }, RESTAURANT).deadlineAt).toBe(NOW + 6 * HOUR_MS);
});

test('an unapproved order gets a deadline only where the restaurant set one', () => {
  const limited = { ...RESTAURANT, approvalLimitMinutes: 20 };
  expect(withDeadline(null, newOrder('o', null, NOW), limited).deadlineAt).toBe(NOW + 20 * MINUTE_MS);
});
