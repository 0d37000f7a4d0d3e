// The demo that `npm start` shows, on a test database and with a fast clock.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setWebhookUrls } from '../../../src/actions/webhooks/set-webhook-urls.ts';
import { buildApp, type App } from '../../../src/app.ts';
import { createPlatform, type Clock } from '../../../src/platform.ts';
import { prepareDemo, type Demo } from '../../../src/robots/demo.ts';
import { DEMO_RESTAURANT_ID } from '../../../src/robots/demo-setup.ts';
import { listApiKeys } from '../../../src/store/restaurants/credential-lists.ts';
import { listEndpointTargets } from '../../../src/store/webhooks/endpoints.ts';
import { findRestaurantByProviderId } from '../../../src/store/restaurants/restaurants.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { testConfig } from '../../../harness/service/test-config.ts';
import { openEventStream, type EventStream } from '../../clients/event-stream.ts';

const SPEED = 60;
const startedAt = Date.now();
const fastClock: Clock = {
  now: () => startedAt + Math.round((Date.now() - startedAt) * SPEED),
  monotonicMs: () => performance.now(),
};

let database: TestDatabase;
let dataDir: string;
const masterKey = Buffer.alloc(32, 7);

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'waybill-demo-'));
  return () => rm(dataDir, { recursive: true });
});

interface RunningDemo {
  demo: Demo;
  app: App;
  address: string;
  banner: string;
  curl: string;
  stop(): Promise<void>;
}

async function startDemo(): Promise<RunningDemo> {
  const platform = createPlatform(undefined, fastClock);
  const demo = await prepareDemo({ dataDir, clock: platform.clock });
  const config = testConfig({ dataDir, webhookAllowCidrs: demo.allowCidrs, webhookCa: demo.caPem });
  const app = buildApp({ config, databaseUrl: database.url, masterKey, platform, live: demo.live });
  const address = await app.start();
  let banner = '';
  await demo.start(app, { address, hasColors: false, show: (text) => (banner += text) });
  const curl = banner.split('\n').find((line) => line.startsWith('curl ')) ?? '';
  const stop = async () => {
    await app.stop();
    await demo.close();
  };
  return { demo, app, address, banner, curl, stop };
}

async function paste(line: string): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  return JSON.parse(stdout) as Record<string, string>;
}

async function withDemo(work: (running: RunningDemo) => Promise<void>): Promise<void> {
  const running = await startDemo();
  try {
    await work(running);
  } finally {
    await running.stop();
  }
}

const hasArrived = (orderId: string | undefined) => (stream: EventStream) =>
  stream.webhooks.some((webhook) => webhook['orderId'] === orderId && webhook['status'] === 'DELIVERED');

test('the pasted command places an order, robots deliver it, and the page shows every verified webhook', async () => {
  await withDemo(async ({ address, curl }) => {
    const stream = await openEventStream(`${address}/live/stream`);
    const placed = await paste(curl);
    expect(placed).toMatchObject({ restaurantId: DEMO_RESTAURANT_ID, status: 'VALIDATED', issues: [] });
    await stream.waitFor(hasArrived(placed['orderId']));
    const webhooks = stream.webhooks.filter((webhook) => webhook['orderId'] === placed['orderId']);
    expect(webhooks.map((webhook) => webhook['signature'])).toEqual(Array.from({ length: 7 }, () => 'verified'));
    await stream.waitFor(() => stream.orders.get(placed['serviceOrderId'] ?? '')?.['state'] === 'DELIVERED');
    expect(stream.first).toBe('snapshot');
    stream.close();
  });
});

test('an open page does not keep the service from stopping', async () => {
  const running = await startDemo();
  const stream = await openEventStream(`${running.address}/live/stream`);
  await stream.waitFor(() => stream.first !== undefined);
  await running.stop();
  await expect(stream.ended).resolves.toBeUndefined();
});

test('a second start shows the same credentials and port and keeps the orders of the first', async () => {
  let before = '';
  let keyCount = 0;
  let orderId: string | undefined;
  await withDemo(async ({ app, banner, curl }) => {
    before = banner;
    keyCount = await countKeys(app);
    ({ serviceOrderId: orderId } = await paste(curl));
  });
  const { mode } = await stat(path.join(dataDir, 'demo.json'));
  expect(mode & 0o777).toBe(0o600);
  await withDemo(async ({ app, banner, address }) => {
    expect(await countKeys(app)).toBe(keyCount);
    const withoutPort = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'here');
    expect(withoutPort(banner)).toBe(withoutPort(before));
    const stream = await openEventStream(`${address}/live/stream`);
    await stream.waitFor(() => stream.orders.has(orderId ?? ''));
    stream.close();
  });
});

async function countKeys(app: App): Promise<number> {
  const restaurant = await findRestaurantByProviderId(app.db, DEMO_RESTAURANT_ID);
  const keys = await listApiKeys(app.db, restaurant?.id ?? '');
  return keys.length;
}

test('a setup that was killed in the middle is completed, and the credentials it shows work', async () => {
  await withDemo(async () => undefined);
  const whole = JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as Record<string, unknown>;
  const steps = ['authority', 'receiverPort', 'apiKey', 'basic', 'logins'];
  expect(Object.keys(whole).sort()).toEqual([...steps].sort());
  for (const cut of ['{"half', ...steps.keys()]) {
    const kept = typeof cut === 'string' ? cut : JSON.stringify(pick(whole, steps.slice(0, cut)));
    await writeFile(path.join(dataDir, 'demo.json'), kept);
    await withDemo(async ({ address, banner, curl }) => {
      expect(await paste(curl)).toHaveProperty('serviceOrderId');
      const basic = /Basic user +(\S+)\n +password +(\S+)/.exec(banner)?.slice(1).join(':') ?? '';
      const authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
      const answer = await fetch(`${address}/webhook/third-party/events`, { headers: { authorization } });
      expect(answer.status).toBe(200);
    });
  }
});

function pick(whole: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, whole[name]]));
}

test('a custom webhook URL of the demo restaurant is kept', async () => {
  const own = 'https://hooks.example.com/status';
  await withDemo(async ({ app }) => {
    const restaurantId = (await findRestaurantByProviderId(app.db, DEMO_RESTAURANT_ID))?.id ?? '';
    await setWebhookUrls(app, { restaurantId, actor: { name: 'test' }, urls: { status: own } });
  });
  await withDemo(async ({ app, banner }) => {
    const restaurant = await findRestaurantByProviderId(app.db, DEMO_RESTAURANT_ID);
    const targets = await listEndpointTargets(app.db, [restaurant?.id ?? '']);
    expect(targets.find((target) => target.kind === 'status')?.url).toBe(own);
    expect(targets.find((target) => target.kind === 'cancel')?.url).toMatch(
      /^https:\/\/localhost:\d+\/waybill-demo\/cancel$/,
    );
    expect(banner).toContain(own);
    const restaurantId = restaurant?.id ?? '';
    await setWebhookUrls(app, { restaurantId, actor: { name: 'test' }, urls: { status: null } });
  });
});
