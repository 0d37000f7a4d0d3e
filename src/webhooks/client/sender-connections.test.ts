// Which connection an attempt uses: reused, fresh, waited for, or replaced once because the receiver had closed it.
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import {
  reset,
  startMeddler,
  startTlsReceiver,
  startTlsSocketReceiver,
} from '../../../harness/receivers/hostile-receiver.ts';
import { startReceiver } from '../../../harness/receivers/receiver.ts';
import { BODY, Cleanup, createTestSender, post } from '../../../test/scenes/sender.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const cleanup = new Cleanup();
afterEach(() => cleanup.run());

test('sequential requests reuse a connection and report whether it was reused', async () => {
  const sender = cleanup.add(await createTestSender());
  const receiver = cleanup.add(await startReceiver());
  const first = await post(sender, receiver.url());
  expect(first).toMatchObject({ reusedConnection: false, remoteAddress: '127.0.0.1' });
  expect(first.connectMs).toBeGreaterThan(0);
  expect(first.tlsMs).toBeGreaterThan(0);
  const second = await post(sender, receiver.url('/other'));
  expect(second).toMatchObject({ reusedConnection: true, dnsMs: null, connectMs: null, tlsMs: null });
  expect(receiver.requests.map((request) => request.connectionId)).toEqual([1, 1]);
});

test('a busy sender keeps its connections', async () => {
  const receiver = cleanup.add(await startReceiver());
  const sender = cleanup.add(await createTestSender());
  const sendInTurn = async (): Promise<void> => {
    for (let count = 0; count < 50; count += 1) expect(await post(sender, receiver.url())).toMatchObject({ ok: true });
  };
  await Promise.all(Array.from({ length: 8 }, sendInTurn));
  expect(Math.max(...receiver.requests.map((request) => request.connectionId))).toBeLessThanOrEqual(8);
});

test('connections never exceed the limit of an endpoint, and every waiting request is served', async () => {
  let running = 0;
  let most = 0;
  let total = 0;
  const receiver = cleanup.add(
    await startReceiver({
      async onRequest() {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        total += 1;
        return { headers: total % 3 === 0 ? { connection: 'close' } : { connection: 'keep-alive' } };
      },
    }),
  );
  const sender = cleanup.add(await createTestSender({ maxConnectionsPerEndpoint: 4 }));
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => post(sender, receiver.url())));
  expect(outcomes.filter((outcome) => !outcome.ok || outcome.resent)).toEqual([]);
  expect(most).toBeLessThanOrEqual(4);
  expect(sender.stats().openConnections).toBeLessThanOrEqual(4);
});

test('an endpoint at its connection limit does not delay another', async () => {
  const silent = cleanup.add(await startReceiver({ onRequest: () => 'hang' }));
  const receiver = cleanup.add(await startReceiver());
  const sender = cleanup.add(await createTestSender({ maxConnectionsPerEndpoint: 2, deadlineMs: 400 }));
  const stuck = Promise.all(Array.from({ length: 6 }, () => post(sender, silent.url())));
  await silent.waitFor((requests) => requests.length === 2);
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true });
  expect((await stuck).map((outcome) => outcome.errorClass)).toEqual(Array(6).fill('timeout'));
});

test('tenants with hanging requests do not make another tenant of the same host wait for a connection', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<200>();
  const receiver = cleanup.add(
    await startReceiver({ onRequest: ({ path }) => (path.startsWith('/hang') ? released : 200) }),
  );
  const sender = cleanup.add(await createTestSender());
  let endedCount = 0;
  // As many requests as one host gets connections, and as many again that wait for one.
  const stuck = Array.from({ length: 128 }, (_, index) =>
    post(sender, receiver.url(`/hang/${index % 64}`), `tenant ${index % 64}`).finally(() => (endedCount += 1)),
  );
  await receiver.waitFor((requests) => requests.length === 64);
  for (let count = 0; count < 10; count += 1) {
    expect(await post(sender, receiver.url('/healthy'), 'healthy')).toMatchObject({ ok: true });
  }
  expect(endedCount).toBe(0);
  release(200);
  expect((await Promise.all(stuck)).filter((outcome) => !outcome.ok)).toEqual([]);
});

test('failed connections free their slots for waiting requests', async () => {
  const receiver = await startTlsReceiver(() => {});
  await receiver.close();
  const sender = cleanup.add(await createTestSender({ maxConnectionsPerEndpoint: 1, deadlineMs: 1000 }));
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => post(sender, receiver.url())));
  expect(outcomes.map((outcome) => outcome.errorClass)).toEqual(Array(5).fill('connect'));
  expect(sender.stats().openConnections).toBe(0);
});

test('connections that the receiver closed while idle cost no attempt', async () => {
  const sender = cleanup.add(await createTestSender());
  const receiver = cleanup.add(await startReceiver());
  await post(sender, receiver.url());
  receiver.dropConnections();
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true, reusedConnection: false });
  expect(receiver.requests).toHaveLength(2);
});

test.each([
  ['FIN', (socket: Socket) => socket.end()],
  ['RST', reset],
])(
  'connections that the receiver closes (%s) as the request arrives are replaced once, on a fresh one',
  async (_name, hangUp) => {
    const served = new WeakMap<object, number>();
    const receiver = cleanup.add(
      await startTlsReceiver((socket) => {
        const count = (served.get(socket) ?? 0) + 1;
        served.set(socket, count);
        if (count === 1) socket.write(OK);
        else hangUp(socket);
      }),
    );
    const sender = cleanup.add(await createTestSender());
    expect(await post(sender, receiver.url())).toMatchObject({ ok: true, resent: false });
    expect(await post(sender, receiver.url())).toMatchObject({ ok: true, resent: true, reusedConnection: false });
    expect(receiver.acceptedCount).toBe(2);
  },
);

test('an answer sent before the request was written is not trusted, and a fresh connection is used', async () => {
  const farewell = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
  let sayFarewell = (): Promise<void> => Promise.resolve();
  const receiver = cleanup.add(
    await startTlsReceiver((socket) => {
      socket.write(OK);
      sayFarewell = () => new Promise((resolve) => socket.end(farewell, () => resolve()));
    }),
  );
  const sender = cleanup.add(await createTestSender());
  await post(sender, receiver.url());
  await sayFarewell();
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true, reusedConnection: false, resent: false });
});

test.each([
  ['while nobody asks', false],
  ['as the request arrives', true],
])('connections that receive non-TLS data, %s, are replaced once', async (_when, isAnswer) => {
  const receiver = cleanup.add(await startReceiver());
  const meddler = cleanup.add(await startMeddler(receiver.url()));
  const sender = cleanup.add(await createTestSender());
  expect(await post(sender, meddler.front.url())).toMatchObject({ ok: true, resent: false });
  if (isAnswer) meddler.answerNext();
  else {
    meddler.interrupt();
    await meddler.front.allClosed();
  }
  const outcome = await post(sender, meddler.front.url());
  expect(outcome).toMatchObject({ ok: true, reusedConnection: false, resent: isAnswer });
  expect(receiver.requests).toHaveLength(2);
  expect(meddler.front.acceptedCount).toBe(2);
});

test.each([
  ['chunks', true, 'transfer-encoding: chunked\r\n\r\n4;x=y\r\nfine\r\n0\r\ntrailer: z\r\n\r\n'],
  ['a length', true, 'content-length: 4\r\n\r\nfine'],
  ['a farewell', false, 'connection: close\r\ncontent-length: 4\r\n\r\nfine'],
  ['no end but the connection’s', false, '\r\nfine'],
  ['more behind it than was asked for', false, 'content-length: 4\r\n\r\nfine or not'],
  ['an idle time too short to be used', false, 'keep-alive: timeout=1\r\ncontent-length: 4\r\n\r\nfine'],
])('connections after an answer with %s are reused: %s', async (_name, isReused, rest) => {
  const receiver = cleanup.add(await startTlsReceiver((socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`)));
  const sender = cleanup.add(await createTestSender());
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true, answer: 'fine' });
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true, answer: 'fine', reusedConnection: isReused });
});

test('unused connections are closed by the sender, earlier if the receiver announced an earlier close', async () => {
  const announced = OK.replace('\r\n', '\r\nkeep-alive: timeout=2\r\n');
  const usual = cleanup.add(await startTlsReceiver((socket) => socket.write(OK)));
  const hasty = cleanup.add(await startTlsReceiver((socket) => socket.write(announced)));
  const sender = cleanup.add(await createTestSender());
  for (const receiver of [usual, hasty]) expect(await post(sender, receiver.url())).toMatchObject({ ok: true });
  const first = await Promise.race([usual.allClosed().then(() => 'usual'), hasty.allClosed().then(() => 'hasty')]);
  expect(first).toBe('hasty');
  await usual.allClosed();
});

test('a connection with a request still being written is not reused', async () => {
  const receiver = cleanup.add(
    await startTlsSocketReceiver((socket) => {
      socket.once('data', () => socket.pause().write(OK));
    }),
  );
  const sender = cleanup.add(await createTestSender());
  const large = { url: receiver.url(), body: 'x'.repeat(16_000_000), headers: {} };
  expect(await sender.send(large)).toMatchObject({ ok: true, status: 200 });
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true, reusedConnection: false });
});

test('an attempt whose connection cannot be replaced fails with the error of the replacement', async () => {
  let answered = 0;
  const receiver = await startTlsReceiver((socket) => {
    answered += 1;
    if (answered === 1) socket.write(OK);
    else void receiver.close();
  });
  const sender = cleanup.add(await createTestSender());
  await post(sender, receiver.url());
  const outcome = await post(sender, receiver.url());
  expect(outcome).toMatchObject({ errorClass: 'connect', reusedConnection: false, resent: true });
});

test('a request is not repeated after a first answer byte, nor on a fresh connection', async () => {
  let answered = 0;
  const receiver = cleanup.add(
    await startTlsReceiver((socket) => {
      answered += 1;
      if (answered === 1) socket.write(OK);
      else socket.end(answered === 2 ? 'H' : '');
    }),
  );
  const sender = cleanup.add(await createTestSender());
  await post(sender, receiver.url());
  const cut = await post(sender, receiver.url());
  expect(cut).toMatchObject({ errorClass: 'closed', reusedConnection: true, resent: false });
  expect(await post(sender, receiver.url())).toMatchObject({ errorClass: 'closed', reusedConnection: false });
  expect(answered).toBe(3);
});

test.for([
  { connection: 'fresh', before: 0 },
  { connection: 'kept', before: 1 },
])('a request withdrawn before it was written on a $connection connection is not sent', async ({ before }) => {
  const receiver = cleanup.add(await startReceiver());
  const sender = cleanup.add(await createTestSender());
  for (let count = 0; count < before; count += 1) await post(sender, receiver.url());
  const mayBegin = vi.fn<() => boolean>().mockReturnValueOnce(true).mockReturnValue(false);
  const outcome = await sender.send({ url: receiver.url(), body: BODY, headers: {}, mayBegin });
  expect(outcome).toMatchObject({ ok: false, status: null, errorClass: 'withdrawn' });
  expect(await post(sender, receiver.url())).toMatchObject({ ok: true });
  expect(receiver.requests).toHaveLength(before + 1);
});
