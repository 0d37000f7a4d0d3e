// A rolling restart behind a load balancer: a node that is stopped leaves the balancer before it stops listening.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { MAIN, serveSettings, START_LIMIT_MS } from '../../processes/serve.ts';
import { commandOf, serveFrom, type ServedNode } from '../../../harness/nodes/served-node.ts';
import { isInstalled, startBalancer } from '../../servers/reverse-proxy.ts';
import { CHECK_INTERVAL_MS, startRoundRobin } from '../../servers/round-robin.ts';

const PACE_MS = 10;
/** Many times the interval at which the balancers check, because the machine may be busy. */
const DRAIN = '4';

let database: TestDatabase;
let folder: string;
let settings: Record<string, string>;
let apiKey: string;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-draining-'));
  settings = serveSettings({ databaseUrl: database.url, folder });
  const named = ['--name', 'Kebap', '--restaurant-id', 'R', '--rate-limit', '100000'];
  await commandOf(MAIN, settings, ['restaurant', 'add', ...named]);
  apiKey = String((await commandOf(MAIN, settings, ['key', 'create', '--restaurant', 'R']))['apiKey']);
}, START_LIMIT_MS);
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function serveTwo(first: Record<string, string>): Promise<[ServedNode, ServedNode]> {
  const own = { ...settings, WAYBILL_ROLES: 'api' };
  const nodes = await Promise.all([serveFrom(MAIN, { ...own, ...first }), serveFrom(MAIN, own)]);
  for (const node of nodes) endings.push(() => node.stop());
  return nodes;
}

interface Load {
  failures: string[];
  count(): number;
  stop(): Promise<void>;
}

/** Open loop: a request every 10 ms, regardless of earlier ones, on new and on kept connections in turn. */
function startLoad(port: number): Load {
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const under = new Set<Promise<void>>();
  let sent = 0;
  const ask = async (number: number): Promise<void> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const target = { host: '127.0.0.1', port, path: '/webhook/third-party/order', method: 'POST' };
    const asked = request({ ...target, headers, agent: number % 2 === 0 ? agent : false });
    asked.end(JSON.stringify({ orderId: `${port}-${number}`, restaurantId: 'R' }));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    if (answer.statusCode !== 201) failures.push(`${number}: ${answer.statusCode} ${text}`);
  };
  const pace = setInterval(() => {
    sent += 1;
    const number = sent;
    const asking = ask(number).catch((error: unknown) => void failures.push(`${number}: ${String(error)}`));
    under.add(asking);
    void asking.finally(() => under.delete(asking));
  }, PACE_MS);
  return {
    failures,
    count: () => sent,
    async stop() {
      clearInterval(pace);
      await Promise.all(under);
      agent.destroy();
    },
  };
}

async function stopFirstUnderLoad(first: ServedNode, load: Load): Promise<void> {
  await expect.poll(load.count, { timeout: 30_000 }).toBeGreaterThan(100);
  expect(load.failures).toEqual([]);
  await first.stop();
  const after = load.count() + 50;
  await expect.poll(load.count, { timeout: 30_000 }).toBeGreaterThan(after);
  await load.stop();
}

describe.each([
  ['one process', { WAYBILL_DRAIN_SECONDS: DRAIN }],
  ['several processes behind one port', { WAYBILL_DRAIN_SECONDS: DRAIN, WAYBILL_WORKERS: '2' }],
])('a node of %s', (_name, first) => {
  test('is stopped without a failed request', { timeout: START_LIMIT_MS }, async () => {
    const [stopped, other] = await serveTwo(first);
    const proxy = await startRoundRobin([stopped.address, other.address]);
    endings.push(() => proxy.stop());
    const load = startLoad(proxy.port);
    await stopFirstUnderLoad(stopped, load);
    expect(load.failures).toEqual([]);
    expect(proxy.seen.get(stopped.address)).toContain(503);
    expect(load.count()).toBeGreaterThan(CHECK_INTERVAL_MS / PACE_MS);
  });
});

test('control: without draining, requests fail', { timeout: START_LIMIT_MS }, async () => {
  const [stopped, other] = await serveTwo({ WAYBILL_DRAIN_SECONDS: '0' });
  const proxy = await startRoundRobin([stopped.address, other.address]);
  endings.push(() => proxy.stop());
  const load = startLoad(proxy.port);
  await stopFirstUnderLoad(stopped, load);
  expect(load.failures.length).toBeGreaterThan(0);
  expect(proxy.seen.get(stopped.address)).not.toContain(503);
});

const isAbsent = !isInstalled('haproxy');
test.skipIf(isAbsent)(
  `behind HAProxy, a node is stopped without a failed request${isAbsent ? ' (skipped: not installed)' : ''}`,
  { timeout: START_LIMIT_MS },
  async () => {
    const [stopped, other] = await serveTwo({ WAYBILL_DRAIN_SECONDS: DRAIN });
    const proxy = await startBalancer([stopped.address, other.address], CHECK_INTERVAL_MS);
    endings.push(() => proxy.stop());
    const load = startLoad(proxy.port);
    await stopFirstUnderLoad(stopped, load);
    expect(load.failures).toEqual([]);
  },
);

describe('while a node drains', () => {
  test(
    'it serves new connections and asks to close them; a second signal skips the rest',
    { timeout: START_LIMIT_MS },
    async () => {
      const node = await serveFrom(MAIN, { ...settings, WAYBILL_ROLES: 'api', WAYBILL_DRAIN_SECONDS: '20' });
      const startedAtMs = performance.now();
      const stopped = node.stop();
      await expect.poll(async () => (await fetch(`${node.address}/readyz`)).status).toBe(503);
      const answer = await fetch(`${node.address}/docs`);
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      // A second signal counts only after two seconds: one signal may arrive twice.
      await expect.poll(() => performance.now() - startedAtMs, { timeout: 10_000 }).toBeGreaterThan(2_500);
      void node.stop();
      await stopped;
      expect(performance.now() - startedAtMs).toBeLessThan(15_000);
    },
  );

  test('control: Ctrl-C does not wait', { timeout: START_LIMIT_MS }, async () => {
    const node = await serveFrom(MAIN, { ...settings, WAYBILL_ROLES: 'api', WAYBILL_DRAIN_SECONDS: '20' });
    const startedAtMs = performance.now();
    await node.stop('SIGINT');
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  });
});
