import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp, type App } from '../../app.ts';
import { createPlatform } from '../../platform.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openEventStream } from '../../../test/clients/event-stream.ts';
import { testConfig } from '../../../harness/service/test-config.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const ORDER_ID = 'nobody-elses-business';

describe('without the demo', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    const restaurant = await service.addRestaurant();
    await service.post(restaurant, { orderId: ORDER_ID });
  });
  afterAll(() => service.stop());

  test('no stream exposes orders', async () => {
    for (const url of ['/demo', '/live/stream', '/live/page.js', '/live/', '/live']) {
      const answer = await fetch(`${service.address}${url}`);
      expect(answer.status).toBe(404);
      expect(await answer.text()).not.toContain(ORDER_ID);
    }
  });
});

describe('with the demo', () => {
  let database: TestDatabase;
  let app: App;
  let address: string;
  const webhooks = [{ id: 1, orderId: 'w' }];
  beforeAll(async () => {
    database = await createTestDatabase();
    app = buildApp({
      config: testConfig(),
      databaseUrl: database.url,
      masterKey: Buffer.alloc(32, 3),
      platform: createPlatform(),
      live: { listWebhooks: () => webhooks, curlLine: () => 'curl' },
    });
    address = await app.start();
  });
  afterAll(async () => {
    await app.stop();
    await database.drop();
  });

  test('every file of the page is served, with a policy that blocks foreign and inline scripts', async () => {
    for (const url of ['/demo', '/live/page.css', '/live/page.js', '/live/elements.js', '/live/icon.svg']) {
      const answer = await fetch(`${address}${url}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const html = readFileSync(path.join(import.meta.dirname, 'browser', 'page.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/);
  });

  test('page scripts set text and never markup', () => {
    for (const name of ['page.js', 'elements.js']) {
      const script = readFileSync(path.join(import.meta.dirname, 'browser', name), 'utf8');
      expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    }
  });

  test('a page gets a full snapshot first, then updates, and each webhook once', async () => {
    const stream = await openEventStream(`${address}/live/stream`);
    await stream.waitFor(() => stream.webhooks.length === 1);
    expect(stream.first).toBe('snapshot');
    webhooks.push({ id: 2, orderId: 'x' });
    await stream.waitFor(() => stream.webhooks.length === 2);
    expect(stream.webhooks).toEqual([
      { id: 1, orderId: 'w' },
      { id: 2, orderId: 'x' },
    ]);
    const second = await openEventStream(`${address}/live/stream`);
    await second.waitFor(() => second.webhooks.length === 2);
    stream.close();
    second.close();
  });

  test('the fifty-first page is refused, and a slot is free again when one has left', async () => {
    const pages = await Promise.all(Array.from({ length: 50 }, () => openEventStream(`${address}/live/stream`)));
    const surplus = await openEventStream(`${address}/live/stream`);
    expect(surplus.status).toBe(503);
    for (const page of pages) page.close();
    await Promise.all(pages.map((page) => page.ended));
    await expect
      .poll(async () => {
        const page = await openEventStream(`${address}/live/stream`);
        page.close();
        return page.status;
      })
      .toBe(200);
  });
});
