import { expect, test } from 'vitest';
import { liveOrderOf, orderFactsOf } from '../../../test/planning/area-updates.ts';
import { KITCHEN, MINUTE_MS, NOW } from '../../../test/planning/plan-request.ts';
import { OFFER_LIMIT_MS } from '../../domain/couriers/courier.ts';
import type { LiveOrder, OrderFacts } from '../../store/planning/orders.ts';
import { describeOrder } from './describe-order.ts';

const restaurant = { id: 'r', place: KITCHEN, preparationMinutes: 15 };
const live = liveOrderOf('o');
const facts = orderFactsOf('o', { prepMinutes: null });

function minutesToReady(moreFacts: Partial<OrderFacts>, moreLive: Partial<LiveOrder> = {}, now = NOW): number {
  const described = describeOrder({ ...live, ...moreLive }, { ...facts, ...moreFacts }, { restaurant, now });
  if (described.kind === 'waiting') throw new Error(described.reason);
  return (described.order.readyAt - NOW) / MINUTE_MS;
}

test('food is ready at the kitchen’s time, else the order’s time, else after the usual preparation', () => {
  expect(minutesToReady({})).toBe(15);
  expect(minutesToReady({ prepMinutes: 25 })).toBe(25);
  expect(minutesToReady({ prepMinutes: 25, readyAt: NOW + 40 * MINUTE_MS })).toBe(40);
  expect(minutesToReady({ readyAt: NOW + 40 * MINUTE_MS }, { kitchenReadyAt: NOW - MINUTE_MS })).toBe(-1);
  expect(minutesToReady({}, {}, NOW + 20 * MINUTE_MS)).toBe(20);
});

test('a scheduled order is cooked for its delivery window and planned when the window is near', () => {
  const windowStart = NOW + 60 * MINUTE_MS;
  expect(minutesToReady({ wantedAt: windowStart, windowStart })).toBe(40);
  const tomorrow = NOW + 24 * 60 * MINUTE_MS;
  expect(
    describeOrder(live, { ...facts, wantedAt: tomorrow, windowStart: tomorrow }, { restaurant, now: NOW }),
  ).toEqual({
    kind: 'waiting',
    reason: 'NOT_YET',
    until: tomorrow - 110 * MINUTE_MS,
  });
});

test('an order ready long before its delivery window is planned when the window is near', () => {
  const windowStart = NOW + 24 * 60 * MINUTE_MS;
  const early = { ...facts, readyAt: NOW, wantedAt: windowStart, windowStart };
  const waits = (now: number) => describeOrder(live, early, { restaurant, now });
  expect(waits(NOW)).toEqual({ kind: 'waiting', reason: 'NOT_YET', until: windowStart - 110 * MINUTE_MS });
  expect(waits(windowStart - 110 * MINUTE_MS)).toMatchObject({ kind: 'plannable' });
  const asap = { ...early, wantedAt: null };
  expect(describeOrder(live, asap, { restaurant, now: NOW })).toMatchObject({ kind: 'plannable' });
});

test('an order with a long preparation is planned before its restaurant’s courier deadline', () => {
  const slow = { ...facts, prepMinutes: 200 };
  const waits = (deadlineAt: number | null) => describeOrder({ ...live, deadlineAt }, slow, { restaurant, now: NOW });
  expect(waits(null)).toEqual({ kind: 'waiting', reason: 'NOT_YET', until: NOW + 110 * MINUTE_MS });
  expect(waits(NOW + 60 * MINUTE_MS)).toEqual({ kind: 'waiting', reason: 'NOT_YET', until: NOW + 50 * MINUTE_MS });
  expect(waits(NOW + 10 * MINUTE_MS)).toMatchObject({ kind: 'plannable' });
});

test('an order without a pickup or drop-off location waits and says so', () => {
  const nowhere = { restaurant: { ...restaurant, place: null }, now: NOW };
  expect(describeOrder(live, { ...facts, dropoff: null }, { restaurant, now: NOW })).toMatchObject({
    reason: 'NO_DROPOFF_LOCATION',
  });
  expect(describeOrder(live, facts, nowhere)).toMatchObject({ reason: 'NO_PICKUP_LOCATION' });
  expect(describeOrder(live, { ...facts, pickup: KITCHEN }, nowhere)).toMatchObject({ kind: 'plannable' });
});

test('an offer ties the order to a courier until it expires, an acceptance permanently', () => {
  const holder = (more: Partial<LiveOrder>) => {
    const described = describeOrder({ ...live, courierId: 'c', ...more }, facts, { restaurant, now: NOW });
    return described.kind === 'plannable' ? described.order.heldBy : undefined;
  };
  expect(holder({ offeredAt: NOW - OFFER_LIMIT_MS + 1 })).toBe('c');
  expect(holder({ offeredAt: NOW - OFFER_LIMIT_MS })).toBeNull();
  expect(holder({ offeredAt: NOW - 60 * MINUTE_MS, acceptedAt: NOW - 59 * MINUTE_MS })).toBe('c');
});
