// Simulates receivers that are reached properly and then answer: well, badly, or without end. The status line alone
// decides. The deadline is short here; sender.test.ts proves the real 5 seconds.
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drip, reset, startTlsReceiver, startTlsSocketReceiver } from '../../../harness/receivers/hostile-receiver.ts';
import { startReceiver } from '../../../harness/receivers/receiver.ts';
import {
  Cleanup,
  createTestSender,
  post,
  says,
  saysAndEnds,
  saysThenDrips,
  saysThenFloods,
  saysThenResets,
} from '../../../test/scenes/sender.ts';
import type { Sender } from './sender.ts';

const DEADLINE_MS = 700;
const cleanup = new Cleanup();
let sender: Sender;

beforeAll(async () => {
  sender = cleanup.add(await createTestSender({ deadlineMs: DEADLINE_MS }));
});
afterAll(() => cleanup.run());

async function play(script: (socket: Socket) => void) {
  const receiver = cleanup.add(await startTlsReceiver(script));
  const outcome = await post(sender, receiver.url());
  expect(outcome.totalMs).toBeLessThan(DEADLINE_MS + 500);
  expect(receiver.acceptedCount).toBe(1);
  return { outcome, receiver };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const EMPTY = 'content-length: 0\r\n\r\n';
const LOTS = 'x'.repeat(65_536);

describe('success as soon as the status line says so', () => {
  test.concurrent.each([
    ['a body that drips', saysThenDrips(`${OK}content-length: 100\r\n\r\n`, 'x')],
    ['an endless body with a length', saysThenFloods(`${OK}content-length: 99999999999\r\n\r\n`, LOTS)],
    ['an endless chunked body', saysThenFloods(CHUNKED, `10000\r\n${LOTS}\r\n`)],
    ['an endless body until close', saysThenFloods(`${OK}\r\n`, LOTS)],
    ['endless chunk extensions', saysThenFloods(`${CHUNKED}1`, ';a=b'.repeat(999))],
    ['endless trailers', saysThenFloods(`${CHUNKED}0\r\n`, 'x: y\r\n'.repeat(999))],
    ['a broken chunk', says(`${CHUNKED}zz\r\n`)],
    ['two contradictory lengths', says(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`)],
    ['a length and chunks', says(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)],
    ['a length that is no number', says(`${OK}content-length: many\r\n\r\n`)],
    ['headers that drip for ever', saysThenDrips(OK, 'x: y\r\n')],
    ['a flood of headers', saysThenFloods(OK, 'x: y\r\n'.repeat(999))],
    ['one header without end', saysThenFloods(`${OK}x: `, LOTS)],
    ['the connection ended in the headers', saysAndEnds(`${OK}x: `)],
    ['the connection ended in the body', saysAndEnds(`${OK}content-length: 9\r\n\r\nab`)],
    ['the connection reset in the body', saysThenResets(`${OK}content-length: 9\r\n\r\nab`)],
    ['the connection reset after the answer', saysThenResets(OK + EMPTY)],
    ['100 Continue that nobody asked for', says(`HTTP/1.1 100 Continue\r\n\r\n${OK}${EMPTY}`)],
    ['early hints first', says(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}${EMPTY}`)],
    ['a second answer that nobody asked for', says(`${OK}${EMPTY}HTTP/1.1 500 No\r\n\r\n`)],
    ['HTTP/1.0', saysAndEnds('HTTP/1.0 200 OK\r\n\r\nfine')],
    ['no reason phrase', says(`HTTP/1.1 200\r\n${EMPTY}`)],
  ])('%s', async (_name, script) => {
    const { outcome } = await play(script);
    expect(outcome).toMatchObject({ ok: true, status: 200, errorClass: null, errorText: null, resent: false });
  });

  test.concurrent.each([200, 201, 202, 204, 206, 299])('status %i', async (status) => {
    const { outcome } = await play(says(`HTTP/1.1 ${status} Some\r\n${status === 204 ? '\r\n' : EMPTY}`));
    expect(outcome).toMatchObject({ ok: true, status });
  });

  test('an answer that arrives before the request was read', async () => {
    const early = saysAndEnds(`${OK}connection: close\r\n${EMPTY}`);
    const receiver = cleanup.add(await startTlsSocketReceiver(early));
    expect(await post(sender, receiver.url())).toMatchObject({ ok: true, status: 200 });
  });

  test('a slightly delayed body is read to its end and the connection is kept', async () => {
    const receiver = cleanup.add(
      await startTlsReceiver((socket) => {
        socket.write(`${OK}content-length: 4\r\n\r\nfi`);
        setTimeout(() => socket.write('ne'), 60);
      }),
    );
    expect(await post(sender, receiver.url())).toMatchObject({ ok: true, answer: 'fine' });
    expect(await post(sender, receiver.url())).toMatchObject({ ok: true, answer: 'fine', reusedConnection: true });
  });

  test('an unfinished body costs a quarter of a second and the connection', async () => {
    const patient = cleanup.add(await createTestSender({ deadlineMs: 5_000 }));
    const receiver = cleanup.add(await startTlsReceiver(says(`${OK}content-length: 9\r\n\r\nab`)));
    const outcome = await post(patient, receiver.url());
    expect(outcome).toMatchObject({ ok: true, answer: 'ab' });
    expect(outcome.totalMs).toBeLessThan(2_000);
    await receiver.allClosed();
    expect(await post(patient, receiver.url())).toMatchObject({ ok: true, reusedConnection: false });
  });

  test.each([
    ['a body beyond 16 KiB', says(`${OK}content-length: 999999\r\n\r\n${'x'.repeat(20_000)}`)],
    ['framing beyond 64 KiB', saysThenFloods(`${CHUNKED}1`, ';a=b'.repeat(9999))],
  ])('%s is abandoned at once', async (_name, script) => {
    const restsMs: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { outcome } = await play(script);
      expect(outcome).toMatchObject({ ok: true, status: 200 });
      restsMs.push(outcome.totalMs - (outcome.firstByteMs ?? 0));
    }
    // Well before the 250 ms that an unfinished body gets. The minimum, because a busy machine may sometimes be late.
    expect(Math.min(...restsMs)).toBeLessThan(200);
  });
});

describe('failure by status', () => {
  test.concurrent.each([300, 301, 302, 304, 307, 308, 400, 401, 408, 410, 413, 425, 429, 500, 503, 599, 600, 999])(
    '%i, without following redirects',
    async (status) => {
      const target = cleanup.add(await startReceiver());
      const location = `location: ${target.url()}\r\n`;
      const { outcome } = await play(says(`HTTP/1.1 ${status} Some\r\n${location}content-length: 4\r\n\r\nbody`));
      expect(outcome).toMatchObject({ ok: false, status, errorClass: 'http_status' });
      expect(outcome.answer).toBe(status === 304 ? null : 'body');
      expect(target.requests).toEqual([]);
    },
  );

  test.concurrent.each(['120', 'Wed, 21 Oct 2026 07:28:00 GMT', '-5', '99999999999999999999', 'soon'])(
    '429 with Retry-After "%s", which is recorded',
    async (retryAfter) => {
      const { outcome } = await play(says(`HTTP/1.1 429 Slow\r\nretry-after: ${retryAfter}\r\n${EMPTY}`));
      expect(outcome).toMatchObject({ ok: false, status: 429, retryAfter });
    },
  );

  test('503 with broken framing is still 503', async () => {
    const { outcome } = await play(says('HTTP/1.1 503 No\r\ncontent-length: many\r\n\r\n'));
    expect(outcome).toMatchObject({ ok: false, status: 503, errorClass: 'http_status' });
  });
});

describe('failure without a status', () => {
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n';
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const H2_SETTINGS = Buffer.from('000012040000000000000300000064000400010000', 'hex');
  test.concurrent.each([
    ['timeout', 'no answer', () => {}],
    ['timeout', 'a status line that drips', (socket: Socket) => drip(socket, 'H', 400)],
    ['timeout', '103 every 50 ms', saysThenDrips(HINTS, HINTS)],
    ['timeout', 'status 199', says('HTTP/1.1 199 Odd\r\n\r\n')],
    ['protocol', 'a flood of 100', saysThenFloods('', CONTINUE.repeat(99))],
    ['protocol', 'a flood of 103', saysThenFloods('', HINTS.repeat(99))],
    ['protocol', 'one interim answer of 20 KiB', says(HINTS.trimEnd() + 'x'.repeat(20_000))],
    ['protocol', 'another protocol', says('SSH-2.0-OpenSSH_9.9\r\n')],
    ['protocol', 'HTTP/2 frames', says(H2_SETTINGS)],
    ['protocol', 'a status of four digits', says('HTTP/1.1 2000 OK\r\n\r\n')],
    ['protocol', 'a status that is no number', says('HTTP/1.1 abc OK\r\n\r\n')],
    ['http_status', 'an upgrade', says('HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')],
    ['closed', 'FIN', saysAndEnds('')],
    ['closed', 'RST', reset],
    ['closed', 'FIN in the status line', saysAndEnds('HTTP/1.1 2')],
  ])('%s: %s', async (errorClass, _name, script) => {
    const { outcome, receiver } = await play(script);
    expect(outcome).toMatchObject({ ok: false, errorClass, resent: false });
    expect(outcome.errorText).toBeTruthy();
    await receiver.allClosed();
  });
});

describe('what is stored of an answer', () => {
  test('a compressed bomb is not decompressed or read to its end', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const head = Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
    const { outcome } = await play(says(Buffer.concat([head, bomb])));
    expect(outcome).toMatchObject({ ok: true, status: 200 });
    expect(outcome.answer?.length).toBeLessThanOrEqual(1024);
  });

  test('markup and escape codes are stored as inert text', async () => {
    const body = '<script>alert(1)</script>\u001b[2J\0';
    const { outcome } = await play(says(`HTTP/1.1 500 No\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    expect(outcome.answer).toBe('<script>alert(1)</script>␛[2J');
  });
});
