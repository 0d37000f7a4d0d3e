import fastify from 'fastify';
import { expect, test } from 'vitest';
import { openApiDocument } from '../contract/integrator/openapi.ts';
import { docsRoutes } from './docs.ts';

function createApp() {
  const app = fastify();
  for (const route of docsRoutes) app.route(route);
  return app;
}

test('every file the page requests is served locally with its content type', async () => {
  const app = createApp();
  const page = await app.inject('/docs');
  const urls = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
  expect(urls.length).toBeGreaterThanOrEqual(5);
  const types = { js: 'text/javascript', css: 'text/css', png: 'image/png', json: 'application/json' };
  for (const url of urls) {
    const answer = await app.inject(url);
    const extension = Object.entries(types).find(([name]) => url.endsWith(name));
    expect([url, answer.statusCode]).toEqual([url, 200]);
    expect(answer.headers['content-type']).toContain(extension?.[1]);
    expect(answer.rawPayload.length).toBeGreaterThan(100);
  }
});

test('the page contains no inline script or external address, and its policy allows only own scripts', async () => {
  const page = await createApp().inject('/docs');
  expect(page.body).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(page.body).not.toMatch(/\son\w+=|https?:\/\//);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; ");
});

test('/openapi.json serves the OpenAPI document', async () => {
  const answer = await createApp().inject('/openapi.json');
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test.each([
  '/docs/package.json',
  '/docs/swagger-ui-bundle.js',
  '/docs/../package.json',
  '/docs/%2e%2e/package.json',
  '/docs/',
])('files outside the viewer’s assets are not served: %s', async (url) => {
  expect((await createApp().inject(url)).statusCode).toBe(404);
});
