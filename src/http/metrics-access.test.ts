import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../harness/service/service.ts';

const TOKEN = 'a-token-of-this-test-0123456789';
let port: number;
let service: TestService;

beforeAll(async () => {
  port = await findFreePort();
  const config = { metricsAddress: { host: '127.0.0.1', port }, metricsToken: TOKEN };
  service = await startService({ config });
});
afterAll(() => service.stop());

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port: found } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

const read = (path: string, authorization?: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: authorization === undefined ? {} : { authorization } });

test('with a separate metrics address, only metrics are served there', async () => {
  const answer = await read('/metrics', `Bearer ${TOKEN}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect(await answer.text()).toMatch(/^waybill_database_up 1$/m);
  expect((await read('/healthz', `Bearer ${TOKEN}`)).status).toBe(404);
  expect((await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(
    404,
  );
});

test.each([undefined, '', 'Bearer', `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN])(
  'metrics with a token are refused to a client that sends %s',
  async (authorization) => {
    const answer = await read('/metrics', authorization);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      code: 'AUTH_003',
      message: expect.stringContaining('Bearer') as string,
    });
  },
);

test('a token also protects metrics on the service port', async () => {
  const guarded = await startService({ config: { metricsToken: TOKEN } });
  expect((await fetch(`${guarded.address}/metrics`)).status).toBe(401);
  const answer = await fetch(`${guarded.address}/metrics`, { headers: { authorization: `bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  await guarded.stop();
});
