import { expect, test } from 'vitest';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import { INITIAL_CONCURRENT } from './endpoint-queue.ts';
import { EndpointQueues } from './endpoint-queues.ts';

const REJECTED = { ok: false, status: 500, totalMs: 1 };
const UNANSWERED = { ok: false, status: null, totalMs: 1 };

let number = 0;

function deliveriesTo(restaurantId: string, count: number): Delivery[] {
  return Array.from({ length: count }, () => {
    number += 1;
    const id = `event-${number}`;
    return { eventId: id, orderId: id, restaurantId, endpoint: 'status', version: 1, attempts: 0 } as Delivery;
  });
}

test('an endpoint is catching up from a claim that filled its room until one that did not', () => {
  const queues = new EndpointQueues();
  const whoIsCatchingUp = (): string[] =>
    [...queues.all()].filter(({ isCatchingUp }) => isCatchingUp).map(({ key }) => key);
  const claim = (shares: Record<string, number>, rooms: Record<string, number>, limit = 100): string[] => {
    const claimed = Object.entries(shares).flatMap(([id, count]) => deliveriesTo(id, count));
    const roomsByKey = Object.entries(rooms).map(([id, room]) => [`${id}/status`, room] as const);
    queues.noteClaimed(claimed, new Map(roomsByKey), limit);
    return whoIsCatchingUp();
  };
  expect(claim({ a: INITIAL_CONCURRENT, b: INITIAL_CONCURRENT - 1 }, {})).toEqual(['a/status']);
  // `a` had no room, so the claim says nothing about it.
  expect(claim({ b: 1 }, { a: 0 })).toEqual(['a/status']);
  expect(claim({ a: 9, b: 1 }, { a: 10, b: 5 })).toEqual([]);
  // What a claim cut short by its limit left behind may belong to any endpoint.
  expect(claim({ a: 90, b: 10 }, { a: 500, b: 500 })).toEqual(['a/status', 'b/status']);
  expect(claim({ b: 100 }, { a: 500, b: 500 })).toEqual(['a/status', 'b/status']);
  expect(claim({}, { a: 500, b: 500 })).toEqual([]);
});

test('an endpoint without held deliveries is dropped unless it is failing', () => {
  const queues = new EndpointQueues();
  const [busy, failing, unused] = ['busy', 'failing', 'unused'].flatMap((id) => deliveriesTo(id, 1));
  for (const delivery of [busy, failing, unused]) if (delivery !== undefined) queues.of(delivery);
  queues.find('busy', 'status')?.add(busy as Delivery);
  queues.find('failing', 'status')?.adapt(REJECTED);
  queues.forgetUnused();
  expect([...queues.all()].map(({ key }) => key)).toEqual(['busy/status', 'failing/status']);
});

test('due deliveries are soon looked for again unless their endpoints are full or silent', () => {
  const queues = new EndpointQueues();
  const [silent, rejecting, healthy] = ['silent', 'rejecting', 'healthy'].flatMap((id) => deliveriesTo(id, 1)) as [
    Delivery,
    Delivery,
    Delivery,
  ];
  queues.of(silent).adapt(UNANSWERED);
  queues.of(rejecting).adapt(REJECTED);
  const isWorthIt = (claimed: Delivery[], ...rooms: number[]): boolean =>
    queues.isWorthLookingAgain(claimed, new Map(rooms.map((room, index) => [`${index}/status`, room])));
  expect([isWorthIt([]), isWorthIt([], 1, 5)]).toEqual([true, true]);
  expect([isWorthIt([], 1, 0), isWorthIt([silent], 1)]).toEqual([false, false]);
  expect([isWorthIt([silent, healthy], 0), isWorthIt([rejecting], 0)]).toEqual([true, true]);
});
