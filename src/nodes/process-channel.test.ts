import { EventEmitter } from 'node:events';
import { Counter, Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CountedMetrics } from '../http/metrics/metrics.ts';
import { ANSWER_FOR_ALL_LIMIT_MS, ProcessChannel, type ChannelEnd, type ChannelMessage } from './process-channel.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Both ends of a channel, like those of a process and its child. */
function connect(): [End, End] {
  const [one, other] = [new End(), new End()];
  one.other = other;
  other.other = one;
  return [one, other];
}

class End extends EventEmitter implements ChannelEnd {
  connected = true;
  other: End | undefined;

  send(message: ChannelMessage): void {
    // Messages between processes are serialized.
    const text = JSON.stringify(message);
    queueMicrotask(() => this.other?.emit('message', JSON.parse(text)));
  }
}

async function counted(...names: string[]): Promise<CountedMetrics[]> {
  return Promise.all(
    names.map((name) => {
      const registry = new Registry();
      new Counter({ name, help: name, registers: [registry] }).inc();
      return registry.getMetricsAsJSON();
    }),
  );
}

const answerWith =
  (...names: string[]) =>
  () =>
    counted(...names);

test('each end receives the other’s answer, even when both ask at once', async () => {
  const [first, second] = connect();
  const parent = new ProcessChannel(first, answerWith('parent', 'sibling'));
  const child = new ProcessChannel(second, answerWith('child'));
  const [fromChild, fromParent, again] = await Promise.all([parent.ask(), child.ask(), parent.ask()]);
  expect(fromChild).toEqual(await counted('child'));
  expect(fromParent).toEqual(await counted('parent', 'sibling'));
  expect(again).toEqual(fromChild);
});

test('an end that does not answer is skipped after half a second, and a late answer is harmless', async () => {
  const [first, second] = connect();
  const late = Promise.withResolvers<CountedMetrics[]>();
  const parent = new ProcessChannel(first, answerWith());
  const child = new ProcessChannel(second, () => late.promise);
  const asked = parent.ask();
  await vi.advanceTimersByTimeAsync(500);
  expect(await asked).toEqual([]);
  late.resolve(await counted('child'));
  await vi.advanceTimersByTimeAsync(1);
  expect(await child.ask()).toEqual([]);
});

test('a hanging sibling does not keep a process from receiving the other answers', async () => {
  const [toSibling] = connect();
  const [toChild, toParent] = connect();
  const sibling = new ProcessChannel(toSibling, answerWith());
  const parent = new ProcessChannel(toChild, async () => [...(await counted('parent')), ...(await sibling.ask())]);
  const asked = new ProcessChannel(toParent, answerWith()).ask(ANSWER_FOR_ALL_LIMIT_MS);
  await vi.advanceTimersByTimeAsync(ANSWER_FOR_ALL_LIMIT_MS);
  expect(await asked).toEqual(await counted('parent'));
  expect(await parent.ask()).toEqual([]);
});

test('a disconnected end is not waited for', async () => {
  const [first] = connect();
  first.connected = false;
  expect(await new ProcessChannel(first, answerWith()).ask()).toEqual([]);
});
