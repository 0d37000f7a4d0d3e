// A rolling upgrade: while the previous version serves, this one migrates the same database and serves beside it.
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../../src/store/schema/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { openBrowser } from '../../../harness/service/panel-client.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { MAIN, START_LIMIT_MS } from '../../processes/serve.ts';
import { commandOf, serveFrom, type ServedNode } from '../../../harness/nodes/served-node.ts';
import { whyNoPreviousVersion, writePreviousVersion } from '../../../harness/nodes/previous-version.ts';

const reason = whyNoPreviousVersion();

let folder: string;
let previousMain: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waybill-previous-'));
  if (reason === undefined) previousMain = writePreviousVersion(path.join(folder, 'previous'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.skipIf(reason !== undefined)(
  `the previous version beside this one${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let database: TestDatabase;
    let receiver: Receiver;
    let settings: Record<string, string>;
    let previous: ServedNode;
    let current: ServedNode | undefined;
    let load: Load;

    beforeAll(async () => {
      database = await createTestDatabase();
      await query('drop schema public cascade; create schema public');
      receiver = await startReceiver();
      settings = await settingsFor(database, receiver);
      previous = await serveFrom(previousMain, settings);
      load = await startLoad(previous, await setUp(settings, receiver));
    }, START_LIMIT_MS);

    afterAll(async () => {
      await load?.stop();
      await Promise.all([previous?.stop(), current?.stop()]);
      await receiver?.close();
      await database?.drop();
    });

    async function query(text: string): Promise<Record<string, unknown>[]> {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    }

    test(
      'no request fails on either node during and after the migration to this version',
      { timeout: START_LIMIT_MS },
      async () => {
        await load.finishRounds(1);
        current = await serveFrom(MAIN, settings);
        load.addNode(current);
        await load.finishRounds(2);
        expect(load.failures).toEqual([]);
        expect({ previous: previous.errors, current: current.errors }).toEqual({ previous: [], current: [] });
        // Both nodes send webhooks, and the first webhook of each order arrives.
        await receiver.waitFor(() => new Set(receiver.requests.map(({ body }) => orderOf(body))).size >= load.placed());
      },
    );

    test('control: a migration that removes a column is detected at once', async () => {
      const broken = path.join(folder, 'broken');
      await cp(MIGRATIONS_FOLDER, broken, { recursive: true });
      await writeFile(path.join(broken, '9001_rename.sql'), 'alter table orders rename column warnings to warned');
      await migrate(database.url, { folder: broken });
      await expect.poll(() => load.failures.length).toBeGreaterThan(0);
    });
  },
);

describe.skipIf(reason !== undefined)(
  `a data folder of the previous version${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    test('is opened by this version with all its data', { timeout: START_LIMIT_MS }, async () => {
      const settings = { WAYBILL_DATA_DIR: path.join(folder, 'data'), WAYBILL_PORT: '0' };
      const before = await serveFrom(previousMain, settings);
      await commandOf(previousMain, settings, ['restaurant', 'add', '--name', 'N', '--restaurant-id', 'R']);
      const { apiKey } = await commandOf(previousMain, settings, ['key', 'create', '--restaurant', 'R']);
      const headers = { 'x-api-key': String(apiKey), 'content-type': 'application/json' };
      const orders = '/webhook/third-party/order';
      const body = JSON.stringify({ orderId: 'kept', restaurantId: 'R' });
      const placed = await fetch(`${before.address}${orders}`, { method: 'POST', headers, body });
      expect(placed.status).toBe(201);
      await before.stop();
      const after = await serveFrom(MAIN, settings);
      const repeated = await fetch(`${after.address}${orders}`, { method: 'POST', headers, body });
      expect(repeated.status).toBe(200);
      expect(await repeated.json()).toEqual(await placed.json());
      expect((await fetch(`${after.address}${orders}/kept`, { headers })).status).toBe(200);
      await after.stop();
    });
  },
);

function orderOf(body: Buffer | string): string {
  return (JSON.parse(String(body)) as { orderId: string }).orderId;
}

async function settingsFor(database: TestDatabase, receiver: Receiver): Promise<Record<string, string>> {
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, receiver.caPem);
  return {
    DATABASE_URL: database.url,
    WAYBILL_MASTER_KEY: randomBytes(32).toString('base64'),
    WAYBILL_PORT: '0',
    WAYBILL_DATA_DIR: path.join(folder, 'external'),
    WAYBILL_WEBHOOK_CA_FILE: caFile,
    WAYBILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  };
}

interface Installation {
  apiKey: string;
  owner: { email: string; password: string };
  operator: { email: string; password: string };
}

const PLACE = ['--lat', '41', '--lng', '29'];

/** Uses the commands of the previous version, because only they match its schema. */
async function setUp(settings: Record<string, string>, receiver: Receiver): Promise<Installation> {
  const run = (...words: string[]) => commandOf(previousMain, settings, words);
  const name = ['--name', 'Kebap', '--restaurant-id', 'R', '--rate-limit', '100000', '--auto-approve'];
  await run('restaurant', 'add', ...name, ...PLACE);
  const urls = ['--status-url', receiver.url('/status'), '--cancel-url', receiver.url('/cancel')];
  const login = async (email: string, ...words: string[]) => {
    const { password } = await run('user', 'add', '--email', email, ...words);
    return { email, password: String(password) };
  };
  const [key, owner, operator] = await Promise.all([
    run('key', 'create', '--restaurant', 'R'),
    login('owner@example.com', '--role', 'owner', '--restaurant', 'R'),
    login('operator@example.com', '--role', 'operator'),
    run('webhook', 'set', '--restaurant', 'R', ...urls).then(() => run('webhook', 'secret', '--restaurant', 'R')),
    run('courier', 'add', '--name', 'Ada', ...PLACE),
  ]);
  return { apiKey: String(key['apiKey']), owner, operator };
}

const OWNER_PAGES = [
  '/api/orders',
  '/api/map',
  '/api/integration',
  '/api/restaurant',
  '/api/team',
  '/api/planning/alarms',
  '/api/webhooks',
  '/api/webhooks?outcome=waiting',
  '/api/webhooks/health',
  '/api/webhooks/figures?range=24h',
];
const OPERATOR_PAGES = [
  '/api/operator/overview',
  '/api/operator/map',
  '/api/operator/audit',
  '/api/operator/restaurants',
  '/api/operator/couriers',
  '/api/operator/users',
  '/api/operator/support-cases',
  '/api/operator/planning/areas',
  '/api/operator/planning/orders',
];

const PACE_MS = 10;

interface Load {
  /** Each request that did not succeed. */
  failures: string[];
  placed(): number;
  addNode(node: ServedNode): void;
  /** Resolves after every page was read and orders were placed this many more times on each node. */
  finishRounds(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** An integrator who places orders and reads the feed, and people who open every page, alternating between nodes. */
async function startLoad(first: ServedNode, { apiKey, owner, operator }: Installation): Promise<Load> {
  const nodes = [first];
  const failures: string[] = [];
  const stopping = new AbortController();
  let placed = 0;
  let rounds = 0;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };

  async function ask(node: ServedNode, page: string, init: RequestInit): Promise<unknown> {
    // A paced load leaves CPU time for starting nodes.
    await pause(PACE_MS);
    try {
      const answer = await fetch(`${node.address}${page}`, init);
      const text = await answer.text();
      if (!answer.ok) failures.push(`${nodes.indexOf(node)} ${page}: ${answer.status} ${text}`);
      return answer.ok ? JSON.parse(text) : undefined;
    } catch (error) {
      failures.push(`${nodes.indexOf(node)} ${page}: ${String(error)}`);
      return undefined;
    }
  }

  async function placeOrders(): Promise<void> {
    while (!stopping.signal.aborted) {
      placed += 1;
      const node = nodes[placed % nodes.length] ?? first;
      const orderId = `order-${placed}`;
      const dropoff = { location: { latitude: 41.01, longitude: 29.01 } };
      const body = JSON.stringify({ orderId, restaurantId: 'R', dropoff });
      await ask(node, '/webhook/third-party/order', { method: 'POST', headers, body });
      const other = nodes[(placed + 1) % nodes.length] ?? first;
      await ask(other, `/webhook/third-party/order/${orderId}`, { headers });
      if (placed % 5 > 0) continue;
      const reason = JSON.stringify({ cancelReasonId: 'CUSTOMER_REQUEST' });
      await ask(other, `/webhook/third-party/order/${orderId}/cancel`, { method: 'POST', headers, body: reason });
    }
  }

  /** A cursor from one node is valid on every other node. */
  async function readFeed(): Promise<void> {
    let cursor = '';
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      const after = cursor === '' ? '' : `&after=${cursor}`;
      const node = nodes[turn % nodes.length] ?? first;
      const page = await ask(node, `/webhook/third-party/events?limit=10${after}`, { headers });
      cursor = (page as { nextCursor: string | null } | undefined)?.nextCursor ?? cursor;
    }
  }

  async function signIn(login: { email: string; password: string }): Promise<Record<string, string>> {
    const browser = openBrowser(first.address);
    expect((await browser.signIn(login)).status).toBe(200);
    return { cookie: browser.cookieHeader(), 'sec-fetch-site': 'same-origin' };
  }

  async function readPages(asOwner: Record<string, string>, asOperator: Record<string, string>): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const node of nodes) {
        for (const page of OWNER_PAGES) await ask(node, page, { headers: asOwner });
        for (const page of OPERATOR_PAGES) await ask(node, page, { headers: asOperator });
      }
      rounds += 1;
    }
  }

  const reading = readPages(await signIn(owner), await signIn(operator));
  const working = [placeOrders(), readFeed(), reading];
  return {
    failures,
    placed: () => placed,
    addNode: (node) => nodes.push(node),
    finishRounds: async (count) => {
      const goal = rounds + count + 1;
      await expect.poll(() => rounds >= goal || failures.length > 0, { timeout: START_LIMIT_MS }).toBe(true);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(working);
    },
  };
}
