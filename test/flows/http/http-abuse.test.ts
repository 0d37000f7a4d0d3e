// Peers that do not behave like HTTP clients: broken framing, odd headers, slow reads and early disconnects. Written to
// raw sockets, because no client library would send this.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRequestAdmission } from '../../../src/actions/restaurants/admit-request.ts';
import { createCredentialCache } from '../../../src/http/integrator/credential-cache.ts';
import { GUESSES_PER_MINUTE } from '../../../src/http/integrator/guess-budget.ts';
import { createMetrics } from '../../../src/http/metrics/metrics.ts';
import { createServer } from '../../../src/http/server.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

let service: TestService;
let restaurant: TestRestaurant;

beforeAll(async () => {
  service = await startService();
  restaurant = await service.addRestaurant();
});
afterAll(() => service.stop());

interface RawAnswer {
  status: number;
  head: string;
  body: { code?: string; requestId?: string; [key: string]: unknown };
}

function open(address = service.address): Socket {
  const { hostname, port } = new URL(address);
  return connect({ host: hostname, port: Number(port) });
}

/** Reads everything until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function parse(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  return { status, head, body: JSON.parse(body || '{}') as RawAnswer['body'] };
}

async function send(text: string): Promise<RawAnswer> {
  const socket = open();
  socket.write(Buffer.from(text, 'latin1'));
  return parse(await readAll(socket));
}

function order(id: string): string {
  return JSON.stringify({ orderId: id, restaurantId: restaurant.restaurantId });
}

function request(headers: string[], body: string, start = 'POST /webhook/third-party/order HTTP/1.1'): string {
  return [start, ...headers, 'Connection: close', '', body].join('\r\n');
}

function usual(body: string): string[] {
  return [
    'Host: waybill',
    `X-API-Key: ${restaurant.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
}

function chunkedAs(coding: string, body: string): string {
  const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return request(usual(body).with(3, `Transfer-Encoding: ${coding}`), chunk);
}

/** Status and code, if the answer has the common error format. */
function summarize({ status, head, body }: RawAnswer): string {
  const hasText = typeof body['error'] === 'string' && typeof body['message'] === 'string';
  const hasId = head.toLowerCase().includes(`x-request-id: ${String(body.requestId)}`);
  return hasText && hasId ? `${status} ${String(body.code)}` : `${status} in another shape`;
}

test('control: a handwritten request is served', async () => {
  const body = order('by-hand');
  expect(await send(request(usual(body), body))).toMatchObject({ status: 201, body: { orderId: 'by-hand' } });
});

test('a chunked body is served like any other', async () => {
  const body = order('chunked');
  const headers = usual(body).with(3, 'Transfer-Encoding: chunked');
  const chunks = body.replaceAll(/./g, (letter) => `1\r\n${letter}\r\n`);
  expect(await send(request(headers, `${chunks}0\r\n\r\n`))).toMatchObject({ status: 201 });
});

test.each<[string, (body: string) => string]>([
  ['a length together with chunks', (body) => request([...usual(body), 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
  ['two lengths that differ', (body) => request([...usual(body), 'Content-Length: 3'], body)],
  ['a length that is no number', (body) => request(usual(body).with(3, 'Content-Length: 1e2'), body)],
  ['a negative length', (body) => request(usual(body).with(3, 'Content-Length: -1'), body)],
  ['an unknown transfer coding', (body) => request(usual(body).with(3, 'Transfer-Encoding: xchunked'), body)],
  ['identity before chunks', (body) => chunkedAs('identity, chunked', body)],
  ['chunks named twice', (body) => chunkedAs('chunked\r\nTransfer-Encoding: chunked', body)],
  ['an empty transfer coding before chunks', (body) => chunkedAs(', chunked', body)],
  ['a transfer coding with parameters', (body) => chunkedAs('chunked;a=b', body)],
  ['chunks in HTTP/1.0', (body) => chunkedAs('chunked', body).replace('HTTP/1.1', 'HTTP/1.0')],
  ['a chunk of no size', (body) => request(usual(body).with(3, 'Transfer-Encoding: chunked'), 'zz\r\n')],
  ['a chunk longer than it says', (body) => request(usual(body).with(3, 'Transfer-Encoding: chunked'), `1\r\n${body}`)],
  ['two Hosts', (body) => request([...usual(body), 'Host: elsewhere'], body)],
  ['no Host', (body) => request(usual(body).slice(1), body)],
  ['a header with a blank before the colon', (body) => request([...usual(body), 'X-Odd : 1'], body)],
  ['a header with NUL', (body) => request([...usual(body), 'X-Odd: a\0b'], body)],
  ['a folded header', (body) => request([...usual(body), 'X-Odd: a', ' b'], body)],
  ['line feeds without carriage returns', (body) => request(usual(body), body).replaceAll('\r\n', '\n')],
  ['a method that is none', (body) => request(usual(body), body, 'P@ST /webhook/third-party/order HTTP/1.1')],
  ['HTTP/3.0', (body) => request(usual(body), body, 'POST /webhook/third-party/order HTTP/3.0')],
  ['no HTTP at all', () => 'hello\r\n\r\n'],
  ['TLS', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  [
    'an address that cannot be decoded',
    () => request(['Host: waybill'], '', 'GET /webhook/third-party/order/%ff HTTP/1.1'),
  ],
])('400 REQ_001: %s', async (_, make) => {
  expect(summarize(await send(make(order('never'))))).toBe('400 REQ_001');
  expect((await service.get(restaurant, 'order/never')).status).toBe(404);
});

test.each<[string, (body: string) => string]>([
  ['headers of 20,000 bytes', (body) => request([...usual(body), `X-Odd: ${'a'.repeat(20_000)}`], body)],
  ['an address of 20,000 bytes', () => request(['Host: waybill'], '', `GET /${'a'.repeat(20_000)} HTTP/1.1`)],
  ['101 headers', (body) => request([...usual(body), ...Array.from({ length: 96 }, (__, n) => `X-${n}: 1`)], body)],
  ['1,500 headers', (body) => request([...usual(body), ...Array.from({ length: 1_500 }, (__, n) => `X${n}:`)], body)],
  [
    'a length beyond the limit, before any of it is sent',
    (body) => request(usual(body).with(3, 'Content-Length: 262145'), ''),
  ],
])('413 REQ_003: %s', async (_, make) => {
  expect(summarize(await send(make(order('never'))))).toBe('413 REQ_003');
});

test('413 REQ_003: chunks beyond the limit are refused, and the connection stays usable', async () => {
  const socket = open();
  const headers = usual('').with(3, 'Transfer-Encoding: chunked').join('\r\n');
  socket.write(`POST /webhook/third-party/order HTTP/1.1\r\n${headers}\r\n\r\n`);
  for (let sent = 0; sent < 400; sent += 1) socket.write(`2000\r\n${'x'.repeat(0x2000)}\r\n`);
  socket.write('0\r\n\r\n');
  socket.write(request(['Host: waybill'], '', 'GET /healthz HTTP/1.1'));
  const text = await readAll(socket);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});

/** Without `Connection: close`, so more requests may follow. */
function oneOfMany(headers: string[], body: string, start?: string): string {
  return request(headers, body, start).replace('Connection: close\r\n', '');
}

async function sendMany(...parts: string[]): Promise<RawAnswer[]> {
  const socket = open();
  socket.write(Buffer.from(parts.join(''), 'latin1'));
  const text = await readAll(socket);
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(Boolean)
    .map(parse);
}

test.each<[string, string]>([
  ['garbage', 'hello\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['a request with two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['a broken chunk', 'POST /webhook/third-party/order HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('requests pipelined before %s get their own answers, and the invalid one gets 400', async (name, garbage) => {
  const first = order(`before ${name}`);
  const second = order(`also before ${name}`);
  const answers = await sendMany(oneOfMany(usual(first), first), oneOfMany(usual(second), second), garbage);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 400]);
  expect(answers.map(({ body }) => body['orderId'])).toEqual([`before ${name}`, `also before ${name}`, undefined]);
  expect(summarize(answers[2] ?? parse(''))).toBe('400 REQ_001');
});

test('a request that closes the connection is the last one answered', async () => {
  const body = order('last');
  const answers = await sendMany(request(usual(body), body), 'hello\r\n\r\n');
  expect(answers.map(({ status }) => status)).toEqual([201]);
});

test('100 headers are accepted', async () => {
  const body = order('many-headers');
  const headers = [...usual(body), ...Array.from({ length: 95 }, (_, n) => `X-${n}: 1`)];
  expect(await send(request(headers, body))).toMatchObject({ status: 201 });
});

test.each([
  ['no content type', undefined],
  ['an empty content type', 'Content-Type:'],
  ['another type', 'Content-Type: text/json'],
  ['another charset', 'Content-Type: application/json; charset=utf-16'],
  ['two charsets', 'Content-Type: application/json; charset=utf-8; charset=latin1'],
  ['two content types', 'Content-Type: application/json\r\nContent-Type: application/json'],
  ['gzip', 'Content-Type: application/json\r\nContent-Encoding: gzip'],
  ['identity and gzip', 'Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip'],
])('415 REQ_002: %s', async (_, line) => {
  const body = order('never');
  const headers = usual(body).filter((header) => !header.startsWith('Content-Type'));
  expect(summarize(await send(request(line === undefined ? headers : [...headers, line], body)))).toBe('415 REQ_002');
});

test.each(['application/json;charset=UTF-8', 'Application/JSON ; charset="utf-8"', 'application/json; v=1'])(
  'application/json is accepted in another spelling: %s',
  async (type) => {
    const body = order(type);
    expect(await send(request(usual(body).with(2, `Content-Type: ${type}`), body))).toMatchObject({ status: 201 });
  },
);

test('401 AUTH_004: a repeated credential header is refused, even with the same value', async () => {
  const body = order('never');
  const key = `X-API-Key: ${restaurant.apiKey}`;
  expect(summarize(await send(request([...usual(body), key], body)))).toBe('401 AUTH_004');
  const basic = 'Authorization: Basic YTpi';
  expect(summarize(await send(request([...usual(body).toSpliced(1, 1), basic, basic], body)))).toBe('401 AUTH_004');
  expect(summarize(await send(request([...usual(body), basic], body)))).toBe('401 AUTH_004');
});

test('credentials are checked before the body: a wrong key reveals no other error', async () => {
  const headers = ['Host: waybill', 'X-API-Key: wrong', 'Content-Type: text/plain', 'Content-Length: 999999999'];
  expect(summarize(await send(request(headers, 'not json')))).toBe('401 AUTH_001');
});

test.each([
  ['GET', '/nowhere'],
  ['POST', '/nowhere'],
  ['DELETE', '/webhook/third-party/order'],
  ['PUT', '/webhook/third-party/order/A1'],
  ['OPTIONS', '/webhook/third-party/order'],
  ['GET', '//webhook/third-party/order'],
  ['GET', '/webhook/third-party/../../etc/passwd'],
  ['PROPFIND', '/healthz'],
])('404 REQ_005: %s %s', async (method, path) => {
  const headers = ['Host: waybill', 'Content-Type: text/html', 'Content-Length: 2'];
  expect(summarize(await send(request(headers, '{}', `${method} ${path} HTTP/1.1`)))).toBe('404 REQ_005');
});

test('a caller’s request id is echoed, and a hostile one is not', async () => {
  const ask = (id: string) => send(request(['Host: waybill', `X-Request-Id: ${id}`], '', 'GET /nowhere HTTP/1.1'));
  expect((await ask('Order-1.a_B')).body.requestId).toBe('Order-1.a_B');
  for (const id of ['', 'a b', 'a'.repeat(65), '<script>', 'a\r\nX-Request-Id: b']) {
    expect((await ask(id)).body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('an unknown Expect header is ignored, and 100-continue is answered', async () => {
  const body = order('expecting');
  expect(await send(request([...usual(body), 'Expect: the-unexpected'], body))).toMatchObject({ status: 201 });
  const socket = open();
  const again = order('expecting');
  const head = request([...usual(again), 'Expect: 100-continue'], '');
  socket.write(head);
  await once(socket, 'data');
  socket.write(again);
  expect(parse(await readAll(socket))).toMatchObject({ status: 200 });
});

test('a client that disconnects in the middle of a body stores nothing and affects no other request', async () => {
  const body = order('left');
  const socket = open();
  socket.write(request(usual(body), body.slice(0, 10)));
  await once(socket, 'connect');
  socket.resetAndDestroy();
  const next = order('stayed');
  expect(await send(request(usual(next), next))).toMatchObject({ status: 201 });
  expect((await service.get(restaurant, 'order/left')).status).toBe(404);
});

test('slow headers, slow bodies and idle connections time out; requests that are in time are served', async () => {
  const { app } = service;
  const server = createServer({
    ...app,
    environment: 'live',
    credentials: createCredentialCache(app),
    admission: createRequestAdmission(app),
    metricsAccess: { token: null },
    trustedProxies: [],
    metrics: createMetrics({
      collect: () => Promise.reject(new Error('not asked')),
      clock: app.clock,
      poolStats: () => app.pools.stats(),
    }),
    isStopping: () => false,
    timeouts: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const body = order('slow');
    const [silent, slowHead, slowBody, inTime] = [open(address), open(address), open(address), open(address)];
    slowHead.write('POST /webhook/third-party/order HTTP/1.1\r\nHost: waybill\r\n');
    slowBody.write(request(usual(body), body.slice(0, -1)));
    inTime.write(request(usual(body), body));
    const texts = await Promise.all([silent, slowHead, slowBody, inTime].map(readAll));
    expect(texts[0]).toBe('');
    expect(summarize(parse(texts[1] ?? ''))).toBe('400 REQ_001');
    expect(summarize(parse(texts[2] ?? ''))).toBe('400 REQ_001');
    expect(parse(texts[3] ?? '').status).toBe(201);
  } finally {
    await server.close();
  }
});

test('429 RATE_001: a client that guesses keys too often is limited, and an honest one beside it is served', async () => {
  const own = await startService();
  try {
    const honest = await own.addRestaurant();
    const guess = (index: number) =>
      fetch(`${own.address}/webhook/third-party/events`, {
        headers: { 'x-api-key': `wb_live_${String(index).padStart(43, '0')}` },
      });
    const statuses: number[] = [];
    for (let index = 0; index < GUESSES_PER_MINUTE + 20; index += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, offset) => guess(index + offset)));
      statuses.push(...answers.map((answer) => answer.status));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(GUESSES_PER_MINUTE);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const waiting = await guess(1_000);
    expect([waiting.headers.get('retry-after'), await waiting.json()]).toMatchObject(['60', { code: 'RATE_001' }]);
    // This node sees the key for the first time, and still accepts it.
    expect((await own.post(honest, { orderId: 'A1' })).status).toBe(201);
  } finally {
    await own.stop();
  }
});
