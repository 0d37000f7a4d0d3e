import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openOsrm } from './osrm.ts';
import { NO_ROUTE } from './travel-times.ts';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/`;
}

const FROM = { latitude: 41.15, longitude: -8.61 };
const TO = { latitude: 41.16, longitude: -8.62 };
const TILE = { vehicle: 'BICYCLE', sources: [FROM], targets: [TO, FROM] } as const;

test('a tile is requested as a table, longitude first, and gaps in the answer stay gaps', async () => {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ code: 'Ok', durations: [[312.4, null]] }));
  });
  expect(await openOsrm(url).measure(TILE)).toEqual(Int32Array.of(312, NO_ROUTE));
  expect(asked).toEqual([
    '/table/v1/bike/-8.610000,41.150000;-8.620000,41.160000;-8.610000,41.150000' +
      '?sources=0&destinations=1;2&annotations=duration',
  ]);
});

test('an invalid or missing answer is a failure that describes it', async () => {
  const answers: [status: number, body: string, problem: RegExp][] = [
    [500, 'oops', /responded with status 500/],
    [200, '{"code":"InvalidQuery"}', /is not a table of durations/],
    [200, 'not json', /JSON/],
  ];
  for (const [status, body, problem] of answers) {
    const url = await serve((_, response) => response.writeHead(status).end(body));
    await expect(openOsrm(url).measure(TILE)).rejects.toThrow(problem);
    server?.close();
  }
});

test('a redirect is not followed', async () => {
  let asked = 0;
  const url = await serve((request, response) => {
    asked += 1;
    response.writeHead(302, { location: request.url ?? '' }).end();
  });
  await expect(openOsrm(url).measure(TILE)).rejects.toThrow(/responded with status 302/);
  expect(asked).toBe(1);
});

test('an endless answer is aborted at the size limit, long before the deadline', async () => {
  const hungUp = Promise.withResolvers<void>();
  const url = await serve((_, response) => {
    const write = (): unknown => response.destroyed || (response.write(' '.repeat(65_536)) ? setImmediate(write) : 0);
    response.on('drain', write).on('close', hungUp.resolve);
    write();
  });
  await expect(openOsrm(url).measure(TILE)).rejects.toThrow(/too large/);
  await hungUp.promise;
});

test('a user and password in the URL are sent as a header and stay out of error messages', async () => {
  const headers: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    headers.push(request.headers.authorization);
    response.end(JSON.stringify({ code: 'Ok', durations: [[1, 2]] }));
  });
  const secret = url.replace('//', '//us%20er:canary%3Aone@');
  await openOsrm(secret).measure(TILE);
  await openOsrm(url).measure(TILE);
  expect(headers).toEqual([`Basic ${Buffer.from('us er:canary:one').toString('base64')}`, undefined]);
  server?.closeAllConnections();
  server?.close();
  const failure = await openOsrm(secret)
    .measure(TILE)
    .catch((error: unknown) => String(error));
  expect(failure).toMatch(/^Error: the routing service cannot be reached: \w/);
  expect(failure).not.toContain('canary');
});

test('a service that never answers or drips its answer is aborted after three seconds', async () => {
  const url = await serve((_, response) => {
    response.write('{');
    const dripping = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(dripping));
  });
  const startedMs = performance.now();
  await expect(openOsrm(url).measure(TILE)).rejects.toThrow(/timeout/);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});
