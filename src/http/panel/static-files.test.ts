import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { beginRequest } from '../protocol/request-context.ts';
import { createPlatform, systemClock } from '../../platform.ts';
import { createPanelFiles } from './static-files.ts';

let folder: string;
const servers: FastifyInstance[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-panel-'));
  await mkdir(path.join(folder, 'dist', 'assets'), { recursive: true });
  await writeFile(path.join(folder, 'secret.txt'), 'not for you');
  await writeFile(path.join(folder, 'dist', '.stamp'), 'not for you');
  await writeFile(path.join(folder, 'dist', 'index.html'), '<title>the panel</title>');
  await writeFile(path.join(folder, 'dist', 'assets', 'main-1a2b.js'), 'plain');
  await writeFile(path.join(folder, 'dist', 'assets', 'main-1a2b.js.br'), 'brotli');
  await writeFile(path.join(folder, 'dist', 'assets', 'main-1a2b.js.gz'), 'gzip');
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

function serve(dist: string, mapStyleUrl: string | null = null): FastifyInstance {
  const app = Fastify();
  servers.push(app);
  app.decorateRequest('context');
  const metrics = createMetrics({
    clock: systemClock,
    poolStats: () => [],
    collect: () => Promise.reject(),
  });
  app.addHook('onRequest', (request, reply, next) => {
    beginRequest({ ...createPlatform(), metrics, readClientAddress: () => '192.0.2.1' }, request, reply);
    next();
  });
  for (const route of createPanelFiles(path.join(folder, dist), mapStyleUrl).routes) app.route(route);
  return app;
}

const page = { accept: 'text/html,*/*' };

test('every application URL serves the page, which is revalidated each time', async () => {
  const app = serve('dist');
  for (const url of ['/', '/orders', '/orders/0198de30-0000-7000-8000-000000000001', '/settings/team?tab=a.b']) {
    const answer = await app.inject({ url, headers: page });
    expect([url, answer.statusCode, answer.body]).toEqual([url, 200, '<title>the panel</title>']);
    expect(answer.headers['cache-control']).toBe('no-cache');
    const again = await app.inject({ url, headers: { ...page, 'if-none-match': String(answer.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  }
});

test('the page has no external or inline scripts and styles, and cannot be framed', async () => {
  const { headers } = await serve('dist').inject({ url: '/', headers: page });
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'self'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("worker-src 'self' blob:");
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('with a map style only its origin is allowed for data and images', async () => {
  const policyOf = async (styleUrl: string | null, url: string) =>
    String((await serve('dist', styleUrl).inject({ url, headers: page })).headers['content-security-policy']);
  const plain = await policyOf(null, '/map');
  expect(plain).toContain("img-src 'self' data: blob:; connect-src 'self';");
  // The map worker's script is a file as well, and the policy sent with that file applies to it.
  for (const url of ['/map', '/assets/main-1a2b.js']) {
    const policy = await policyOf('https://tiles.example:8443/styles/streets.json?key=public', url);
    expect(policy.replaceAll(' https://tiles.example:8443', '')).toBe(plain);
    expect(policy).toContain("img-src 'self' data: blob: https://tiles.example:8443; ");
    expect(policy).toContain("connect-src 'self' https://tiles.example:8443; ");
  }
});

test('a file with a hash in its name is cached forever, in the best encoding the browser accepts', async () => {
  const app = serve('dist');
  for (const [encoding, body] of [
    ['gzip, deflate, br', 'brotli'],
    ['gzip', 'gzip'],
    ['', 'plain'],
  ] as const) {
    const answer = await app.inject({ url: '/assets/main-1a2b.js', headers: { 'accept-encoding': encoding } });
    expect([answer.statusCode, answer.body]).toEqual([200, body]);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  }
});

test('the service worker and the manifest are revalidated each time, with their content types', async () => {
  await writeFile(path.join(folder, 'dist', 'sw.js'), 'worker');
  await writeFile(path.join(folder, 'dist', 'manifest.webmanifest'), '{}');
  const app = serve('dist');
  for (const [url, type] of [
    ['/sw.js', 'text/javascript; charset=utf-8'],
    ['/manifest.webmanifest', 'application/manifest+json'],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url, headers: { accept: '*/*' } });
    expect([url, statusCode, headers['content-type'], headers['cache-control']]).toEqual([url, 200, type, 'no-cache']);
  }
});

test('404, never the page: a missing asset, the API, and programs that do not accept HTML', async () => {
  const app = serve('dist');
  for (const url of ['/assets/old-9z.js', '/api/nothing', '/webhook/third-party/nothing', '/live/stream', '/api']) {
    expect([url, (await app.inject({ url, headers: page })).statusCode]).toEqual([url, 404]);
  }
  expect((await app.inject({ url: '/orders', headers: { accept: '*/*' } })).statusCode).toBe(404);
});

test('no file outside the folder and no hidden file is served', async () => {
  const app = serve('dist');
  for (const url of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/.stamp',
  ]) {
    expect([url, (await app.inject({ url })).body.includes('not for you')]).toEqual([url, false]);
  }
});

test('before the panel is built, the page explains how to build it', async () => {
  const answer = await serve('nothing').inject({ url: '/' });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('npm start');
});
