import { expect, test, vi } from 'vitest';
import { createLiveChannel, type LiveConnection, type LiveHandler } from './channel.ts';

const OPEN = 1;
const CLOSED = 2;

class FakeConnection implements LiveConnection {
  readyState = OPEN;
  #listeners = new Map<string, ((event: { data?: unknown }) => void)[]>();
  addEventListener(name: string, listener: (event: { data?: unknown }) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }
  close(): void {
    this.readyState = CLOSED;
  }
  emit(name: string, data?: object): void {
    for (const listener of this.#listeners.get(name) ?? [])
      listener(data === undefined ? {} : { data: JSON.stringify(data) });
  }
}

function setUp() {
  const connections: FakeConnection[] = [];
  const waits: { run: () => void; delayMs: number; isStopped: boolean }[] = [];
  const channel = createLiveChannel({
    open: () => {
      const connection = new FakeConnection();
      connections.push(connection);
      return connection;
    },
    wait: (run, delayMs) => {
      const wait = { run, delayMs, isStopped: false };
      waits.push(wait);
      return () => {
        wait.isStopped = true;
      };
    },
  });
  const run = (delayMs: number): void => {
    const wait = waits.find((candidate) => candidate.delayMs === delayMs && !candidate.isStopped);
    if (wait !== undefined) wait.isStopped = true;
    wait?.run();
  };
  return { channel, connections, waits, run };
}

test('events reach every listener, including those that subscribed later', () => {
  const { channel, connections } = setUp();
  const early = vi.fn<LiveHandler>();
  const late = vi.fn<LiveHandler>();
  channel.on('orders', early);
  channel.start(() => undefined);
  const stop = channel.on('changed', late);
  connections[0]?.emit('orders', { orders: [] });
  connections[0]?.emit('changed', {});
  stop();
  connections[0]?.emit('changed', {});
  expect(early).toHaveBeenCalledWith({ orders: [] });
  expect(late).toHaveBeenCalledTimes(1);
});

test('everything is read again when the stream reports a possible gap', () => {
  const { channel, connections } = setUp();
  const onGap = vi.fn<() => void>();
  channel.start(onGap);
  connections[0]?.emit('hello', {});
  connections[0]?.emit('reset', {});
  expect(onGap).toHaveBeenCalledTimes(2);
});

test('a short interruption is not shown; a longer one is shown until the connection is back', () => {
  const { channel, connections, run } = setUp();
  const status = vi.fn<() => void>();
  channel.onStatus(status);
  channel.start(() => undefined);
  connections[0]?.emit('error');
  connections[0]?.emit('open');
  expect(status).not.toHaveBeenCalled();
  connections[0]?.emit('error');
  run(2500);
  expect(channel.isLive()).toBe(false);
  connections[0]?.emit('open');
  expect(channel.isLive()).toBe(true);
});

test('a rejected connection is retried with growing delays, and not after the channel is closed', () => {
  const { channel, connections, waits, run } = setUp();
  const stop = channel.start(() => undefined);
  const refuse = (): void => {
    const connection = connections.at(-1);
    connection?.close();
    connection?.emit('error');
  };
  refuse();
  run(1000);
  refuse();
  run(2000);
  expect(connections).toHaveLength(3);
  refuse();
  stop();
  expect(waits.filter(({ isStopped, delayMs }) => !isStopped && delayMs === 4000)).toEqual([]);
});
