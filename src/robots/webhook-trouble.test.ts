import { describe, expect, test } from 'vitest';
import type { EventCopies } from '../store/robots/webhook-copies.ts';
import { judgeCopies } from './webhook-trouble.ts';

function event(version: number, change: Partial<EventCopies> = {}): EventCopies {
  return {
    eventId: `event-${version}`,
    orderId: 'order',
    type: 'order.status_changed',
    version,
    to: 'VALIDATED',
    delivered: 1,
    firstDeliveredAt: version * 1_000,
    isOnItsWay: false,
    ...change,
  };
}

const undelivered = { delivered: 0, firstDeliveredAt: null, isOnItsWay: true };

describe('a duplicate', () => {
  test('is due once, as soon as the first copy was delivered', () => {
    expect(judgeCopies([event(1)], { duplicate: true }, 1_000).due).toEqual(['event-1']);
    expect(judgeCopies([event(1, { delivered: 2 })], { duplicate: true }, 1_000).due).toEqual([]);
  });

  test('waits while the event is still being delivered', () => {
    expect(judgeCopies([event(1, undelivered)], { duplicate: true }, 9_000).due).toEqual([]);
    expect(judgeCopies([event(1, { isOnItsWay: true })], { duplicate: true }, 9_000).due).toEqual([]);
  });
});

test('a late copy follows the first after the given number of seconds', () => {
  const trouble = { delaySeconds: 10 };
  expect(judgeCopies([event(1)], trouble, 10_999).due).toEqual([]);
  expect(judgeCopies([event(1)], trouble, 11_000).due).toEqual(['event-1']);
});

test('an out-of-order event is repeated after the next one of the same kind', () => {
  const trouble = { outOfOrder: true };
  expect(judgeCopies([event(1)], trouble, 9_000).due).toEqual([]);
  expect(judgeCopies([event(1), event(2, undelivered)], trouble, 9_000).due).toEqual([]);
  expect(judgeCopies([event(1), event(2)], trouble, 9_000).due).toEqual(['event-1']);
  const cancel = event(2, { type: 'order.canceled', eventId: 'cancel' });
  expect(judgeCopies([event(1), cancel], trouble, 9_000).due).toEqual([]);
});

test('an order is settled when it is finished and every copy was sent', () => {
  const last = event(2, { to: 'DELIVERED', delivered: 2 });
  const trouble = { duplicate: true };
  expect(judgeCopies([event(1, { delivered: 2 }), last], trouble, 9_000)).toEqual({ due: [], isSettled: true });
  expect(judgeCopies([event(1, { delivered: 2 })], trouble, 9_000).isSettled).toBe(false);
  expect(judgeCopies([event(1), last], trouble, 9_000).isSettled).toBe(false);
  expect(judgeCopies([event(1, { ...undelivered }), last], {}, 9_000).isSettled).toBe(false);
});
