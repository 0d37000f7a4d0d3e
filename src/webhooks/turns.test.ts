import { expect, test } from 'vitest';
import type { Delivery } from '../store/deliveries.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { Turns } from './turns.ts';

function queueWith(key: string, count: number): EndpointQueue {
  const queue = new EndpointQueue(key);
  for (let index = 0; index < count; index += 1) {
    const id = `${key}-${index}`;
    queue.add({ eventId: id, orderId: id, version: 1, attempts: 0 } as Delivery);
  }
  return queue;
}

test('however many endpoints have something to send, others get the thread in between, and none is forgotten', async () => {
  const started: string[] = [];
  const turns = new Turns({ hasRoom: () => true, start: (queue) => started.push(queue.key) });
  const keys = Array.from({ length: 100 }, (_, index) => `endpoint-${index}`);
  for (const key of keys) turns.add(queueWith(key, 1));
  turns.take();
  const atOnce = started.length;
  // Asked again in between, it begins nothing more: that would be the same as all at once.
  turns.take();
  expect(started).toHaveLength(atOnce);
  expect(atOnce).toBeGreaterThan(0);
  expect(atOnce).toBeLessThan(keys.length / 2);
  await expect.poll(() => started).toEqual(keys);
});

test('endpoints take turns, one delivery each, while there is room', async () => {
  const started: string[] = [];
  const turns = new Turns({ hasRoom: () => started.length < 3, start: (queue) => started.push(queue.key) });
  turns.add(queueWith('a', 2));
  turns.add(queueWith('b', 2));
  turns.take();
  expect(started).toEqual(['a', 'b', 'a']);
});
