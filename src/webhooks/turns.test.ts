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

test('endpoints take turns, one delivery each, while there is room', () => {
  const started: string[] = [];
  const turns = new Turns({ hasRoom: () => started.length < 3, start: (queue) => started.push(queue.key) });
  turns.add(queueWith('a', 2));
  turns.add(queueWith('b', 2));
  turns.take();
  expect(started).toEqual(['a', 'b', 'a']);
});
