// One attempt as its caller sees it: what is sent, how long it takes, and how it ends.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTlsReceiver } from '../../../harness/receivers/hostile-receiver.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { BODY, Cleanup, createTestSender, post, saysThenDrips, saysThenFloods } from '../../../test/scenes/sender.ts';
import { systemClock } from '../../platform.ts';
import { MAX_ATTEMPT_MS } from '../../store/upkeep/nodes.ts';
import type { Sender } from './sender.ts';
import { signBody } from './sign.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

async function setUp(
  options: Parameters<typeof startReceiver>[0] = {},
): Promise<{ sender: Sender; receiver: Receiver }> {
  const sender = cleanup.add(await createTestSender());
  return { sender, receiver: cleanup.add(await startReceiver(options)) };
}

describe('the request', () => {
  test('has exactly the contract’s headers, and the body byte for byte', async () => {
    const { sender, receiver } = await setUp();
    const url = receiver.url('/a%20b?c=d&e');
    const body = Buffer.from('{"name":"Zoë 🚚"}');
    await sender.send({ url, body, headers: { 'Content-Type': 'application/json', 'X-Service-Signature': 'ab' } });
    await sender.send({ url, body: body.toString(), headers: { 'Content-Type': 'application/json' } });
    const [first, second] = receiver.requests;
    expect(first).toMatchObject({ method: 'POST', path: '/a%20b?c=d&e', body });
    expect(first?.headers).toEqual({
      host: `localhost:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'x-service-signature': 'ab',
      'content-length': String(body.length),
    });
    expect(second?.body).toEqual(body);
    expect(second?.headers['x-service-signature']).toBeUndefined();
  });

  test('passes signature verification at the receiver, and fails it when signed with another secret', async () => {
    const { sender, receiver } = await setUp({ secret: 'right' });
    const send = (secret: string) =>
      sender.send({ url: receiver.url(), body: BODY, headers: { 'X-Service-Signature': signBody(BODY, secret) } });
    expect(await send('right')).toMatchObject({ ok: true, status: 200, answer: '{"received":true}' });
    expect(await send('wrong')).toMatchObject({ ok: false, status: 401, errorClass: 'http_status' });
  });

  test('that cannot be written is a failed attempt, not an exception', async () => {
    const { sender, receiver } = await setUp();
    const outcome = await sender.send({ url: receiver.url(), body: BODY, headers: { 'X-Bad': 'a\r\nb: c' } });
    expect(outcome).toMatchObject({ ok: false, errorClass: 'protocol' });
    expect(receiver.requests).toEqual([]);
  });

  test.each(['http://localhost/', 'https://127.0.0.1/', 'nonsense'])('is not sent to %s', async (url) => {
    const { sender } = await setUp();
    expect(await post(sender, url)).toMatchObject({ ok: false, errorClass: 'invalid_url', totalMs: 0 });
  });
});

describe('deadlines', () => {
  test('200 after 4.5 s is a success, 200 after 5.1 s is a failure, and silence times out at 5 s', async () => {
    const { sender, receiver } = await setUp({
      onRequest: ({ path }) => (path === '/never' ? 'hang' : { delayMs: Number(path.slice(1)) }),
    });
    // Connections first, so that the handshakes do not take from the 4.5 s.
    await Promise.all(['/0', '/0', '/0'].map((path) => post(sender, receiver.url(path))));
    const paths = ['/4500', '/5100', '/never'];
    const [inTime, ...late] = await Promise.all(paths.map((path) => post(sender, receiver.url(path))));
    expect(inTime).toMatchObject({ ok: true, status: 200 });
    expect(inTime?.firstByteMs).toBeGreaterThan(4490);
    for (const outcome of late) {
      expect(outcome).toMatchObject({ ok: false, status: null, errorClass: 'timeout', resent: false });
      expect(outcome.errorText).toBe('No response within 5 seconds');
      expect(outcome.totalMs).toBeGreaterThan(4990);
      expect(outcome.totalMs).toBeLessThan(MAX_ATTEMPT_MS);
      expect(outcome.endedAt - outcome.startedAt).toBeLessThan(MAX_ATTEMPT_MS);
    }
  });

  test('an answer read one millisecond late does not count, even if the timer fires later', async () => {
    let nowMs = 0;
    const clock = { now: () => systemClock.now(), monotonicMs: () => nowMs };
    const sender = cleanup.add(await createTestSender({ clock }));
    const receiver = cleanup.add(
      await startReceiver({
        onRequest({ path }) {
          nowMs += Number(path.slice(1));
          return 200;
        },
      }),
    );
    expect(await post(sender, receiver.url('/4999'))).toMatchObject({ ok: true });
    expect(await post(sender, receiver.url('/5001'))).toMatchObject({ ok: false, errorClass: 'timeout', status: null });
  });

  test('a repeated request does not get a new deadline', async () => {
    const served = new WeakSet<object>();
    const first = new Set<object>();
    const receiver = cleanup.add(
      await startTlsReceiver((socket) => {
        if (first.size > 0 && !first.has(socket)) return;
        first.add(socket);
        if (served.has(socket)) setTimeout(() => socket.end(), 600);
        else socket.write(OK);
        served.add(socket);
      }),
    );
    const sender = cleanup.add(await createTestSender({ deadlineMs: 1_000 }));
    await post(sender, receiver.url());
    const startedMs = performance.now();
    expect(await post(sender, receiver.url())).toMatchObject({ errorClass: 'timeout', resent: true });
    // Measured independently: a restarted attempt would report only the time of its second try.
    expect(performance.now() - startedMs).toBeLessThan(1_600);
  });
});

describe('shutdown', () => {
  test('close lets running attempts finish, rejects new ones and leaves no connection', async () => {
    const { sender, receiver } = await setUp({ onRequest: () => ({ delayMs: 100 }) });
    const running = post(sender, receiver.url());
    await receiver.waitFor((requests) => requests.length === 1);
    const closed = sender.close();
    expect(await post(sender, receiver.url())).toMatchObject({ ok: false, errorClass: 'closed' });
    expect(await running).toMatchObject({ ok: true });
    await closed;
    expect(receiver.requests).toHaveLength(1);
    await expect.poll(() => receiver.openConnections).toBe(0);
    expect(sender.stats().openConnections).toBe(0);
  });
});

describe('a hundred concurrent hostile receivers', () => {
  const hundred = new Cleanup();
  let sender: Sender;
  beforeAll(async () => {
    sender = hundred.add(await createTestSender({ deadlineMs: 1500 }));
  });
  afterAll(() => hundred.run());

  test('leave memory flat and no connection behind, while a good receiver is served', async () => {
    const piece = 'x'.repeat(65_536);
    const hostile = await Promise.all([
      startTlsReceiver(saysThenFloods('HTTP/1.1 200 OK\r\n\r\n', piece)),
      startTlsReceiver(saysThenFloods('HTTP/1.1 200 OK\r\nx: ', piece)),
      startTlsReceiver(saysThenFloods('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(999))),
      startTlsReceiver(saysThenDrips('HTTP/1.1 200 OK\r\n', 'x: y\r\n', 20)),
      startTlsReceiver(() => {}),
    ]);
    for (const receiver of hostile) hundred.add(receiver);
    const good = hundred.add(await startReceiver());
    await post(sender, good.url());

    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let peak = 0;
    const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const attacks = Array.from({ length: 100 }, (_, index) => post(sender, hostile[index % 5]?.url() ?? ''));
    const served = [];
    for (let count = 0; count < 20; count += 1) served.push(await post(sender, good.url()));
    const outcomes = await Promise.all(attacks);
    clearInterval(sampler);

    expect(served.filter((outcome) => !outcome.ok)).toEqual([]);
    expect(Math.max(...outcomes.map((outcome) => outcome.totalMs))).toBeLessThan(3_000);
    expect(new Set(outcomes.map((outcome) => outcome.errorClass))).toEqual(new Set([null, 'protocol', 'timeout']));
    expect((peak - before) / 1_048_576).toBeLessThan(150);
    await Promise.all(hostile.map((receiver) => receiver.allClosed()));
    await expect.poll(() => sender.stats().openConnections).toBeLessThanOrEqual(1);
  });
});
