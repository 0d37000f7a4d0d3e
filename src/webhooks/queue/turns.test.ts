import { expect, onTestFinished, test, vi } from 'vitest';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
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

test('endpoints take turns with one delivery each while there is room', () => {
  const started: string[] = [];
  const start = (queue: EndpointQueue): unknown => started.push(queue.key);
  const turns = new Turns({ hasRoom: () => started.length < 3, start, pauseMsOf: () => 0 });
  turns.add(queueWith('a', 2));
  turns.add(queueWith('b', 2));
  turns.take();
  expect(started).toEqual(['a', 'b', 'a']);
});

test('a pausing queue is skipped until its pause ends, and the others continue', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const started: string[] = [];
  const start = (queue: EndpointQueue): unknown => started.push(queue.key);
  const turns = new Turns({ hasRoom: () => true, start, pauseMsOf: ({ key }) => (key === 'late' ? 4 : 0) });
  const late = queueWith('late', 2);
  turns.add(late);
  turns.add(queueWith('live', 2));
  turns.take();
  turns.add(late);
  turns.take();
  expect(started).toEqual(['late', 'live', 'live']);
  vi.advanceTimersByTime(4);
  expect(started).toEqual(['late', 'live', 'live', 'late']);
  turns.clear();
  expect(vi.getTimerCount()).toBe(0);
});
