import { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { USUAL_IDLE_MS } from './answer-head.ts';
import type { Reading } from '../dial/connect.ts';
import { Connection, type Exchange } from './connection.ts';

const REQUEST = { head: 'POST / HTTP/1.1\r\n\r\n', body: '', isAscii: true };
const SHORT_IDLE_MS = 1_000;

/** The part of a socket that a connection uses. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  write = vi.fn<() => void>();
  unref(): void {}
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function connect() {
  const socket = new FakeSocket();
  const reading: Reading = { onBytes: null };
  const clock = { monotonicMs: () => performance.now() };
  const options = { reading, remoteAddress: '192.0.2.1', usedUntilMs: Infinity, clock };
  const connection = new Connection(socket as unknown as TLSSocket, options);
  const exchange = {
    onWrite: () => true,
    onHead: vi.fn<() => void>(),
    onWhole: vi.fn<() => void>(),
    onUnreadable: vi.fn<() => void>(),
    onClosed: vi.fn<() => void>(),
  } satisfies Exchange;
  return {
    socket,
    exchange,
    send: () => {
      connection.send(REQUEST, exchange);
      vi.advanceTimersByTime(0);
    },
    answer: (keepAlive = '') =>
      reading.onBytes?.(Buffer.from(`HTTP/1.1 200 OK\r\n${keepAlive}content-length: 0\r\n\r\n`)),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('a connection that was never used is closed after the default idle time', () => {
  const { socket } = connect();
  vi.advanceTimersByTime(USUAL_IDLE_MS - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test('the idle time starts with the last answer', () => {
  const { socket, send, answer, exchange } = connect();
  for (let round = 1; round <= 3; round += 1) {
    vi.advanceTimersByTime(USUAL_IDLE_MS - 500);
    send();
    answer();
    expect(exchange.onWhole).toHaveBeenCalledTimes(round);
  }
  vi.advanceTimersByTime(USUAL_IDLE_MS - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test('a connection is not idle while it waits for an answer', () => {
  const { socket, send, answer, exchange } = connect();
  send();
  vi.advanceTimersByTime(3 * USUAL_IDLE_MS);
  expect(socket.destroyed).toBe(false);
  answer();
  expect(exchange.onWhole).toHaveBeenCalledOnce();
  expect(exchange.onClosed).not.toHaveBeenCalled();
});

test('a connection is closed before the shorter idle time that the receiver announced', () => {
  const { socket, send, answer } = connect();
  send();
  answer('keep-alive: timeout=2\r\n');
  vi.advanceTimersByTime(SHORT_IDLE_MS - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test('a closed connection leaves no timer behind', () => {
  const { socket } = connect();
  socket.destroy();
  expect(vi.getTimerCount()).toBe(0);
});
