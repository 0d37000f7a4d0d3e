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

test('an order for now at a closed restaurant is cancelled by the System; one for later waits for its approval', () => {
  const closed = { ...RESTAURANT, openingHours: CLOSED, autoApprove: true };
  const canceled = { name: 'cancel', cancellation: { reasonId: 'RESTAURANT_CLOSED', by: 'System' } };
  expect(firstCommand(closed, null, NOW)).toMatchObject(canceled);
  // Ready in ten minutes counts as now: the kitchen would have to start immediately.
  expect(firstCommand(closed, NOW + 10 * MINUTE_MS, NOW)).toMatchObject(canceled);
  expect(firstCommand(closed, NOW + HOUR_MS, NOW)).toEqual({ name: 'approve' });
});

test('an order is approved by itself only where the restaurant wants that', () => {
  expect(firstCommand(RESTAURANT, null, NOW)).toBeNull();
  expect(firstCommand({ ...RESTAURANT, autoApprove: true }, null, NOW)).toEqual({ name: 'approve' });
});

test('the search for a courier is limited from the approval on, whatever happens in between', () => {
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

test('an order for later is searched a courier for around the time it is wanted', () => {
  const placed = newOrder('o', NOW + 5 * HOUR_MS, NOW);
  expect(withDeadline(placed, { ...placed, state: 'VALIDATED' }, RESTAURANT).deadlineAt).toBe(NOW + 6 * HOUR_MS);
});

test('an unapproved order gets a deadline only where the restaurant set one', () => {
  const limited = { ...RESTAURANT, approvalLimitMinutes: 20 };
  expect(withDeadline(null, newOrder('o', null, NOW), limited).deadlineAt).toBe(NOW + 20 * MINUTE_MS);
});
