// The database is killed and disconnected under load. The service answers 503 and nothing incorrect, and recovers as
// soon as the database is back.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { clearAway, makeDataDir, start } from '../../processes/embedded.ts';
import { createHistory, findLosses } from '../../../harness/load/loss-check.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

const POSTERS = 10;
const KILLS = 3;
/** Acknowledged between two kills, so that each kill hits a service that has recovered. */
const ORDERS_BETWEEN_KILLS = 40;

let dataDir: string;
let server: Awaited<ReturnType<typeof start>>;
let service: TestService;
let receiver: Receiver;
let restaurant: TestRestaurant;
/** Shared by all tests, because they share the database. */
const history = createHistory();
let lastOrder = 0;

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await start(dataDir);
  await migrate(server.url);
  receiver = await startReceiver({
    onRequest: (request) => {
      history.received.push(request.body.toString());
      return 200;
    },
  });
  service = await startService({ databaseUrl: server.url });
  restaurant = await service.addRestaurant({ receiver, autoApprove: true });
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
  await server.stop();
  await clearAway({ keepPrepared: false });
});

async function signalServer(signal: NodeJS.Signals): Promise<void> {
  const [pid = ''] = (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), signal);
}

/** Posts until it is stopped, each order until it is acknowledged. Returns all answers. */
function startPosting(): { statuses: Map<number, number>; complaints: string[]; stop(): Promise<unknown> } {
  const statuses = new Map<number, number>();
  const complaints: string[] = [];
  const stopping = new AbortController();
  const post = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      lastOrder += 1;
      const orderId = `trouble-${lastOrder}`;
      for (let isAcknowledged = false; !isAcknowledged;) {
        const answer = await service.post(restaurant, { orderId });
        const text = await answer.text();
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        isAcknowledged = answer.status === 201 || answer.status === 200;
        if (isAcknowledged)
          history.orders.set(orderId, (JSON.parse(text) as { serviceOrderId: string }).serviceOrderId);
        const isPolite = answer.status === 503 && Number(answer.headers.get('retry-after')) > 0;
        if (!isAcknowledged && !isPolite) complaints.push(`${answer.status} ${text}`);
      }
    }
  };
  const posting = Array.from({ length: POSTERS }, post);
  return {
    statuses,
    complaints,
    stop: () => {
      stopping.abort();
      return Promise.all(posting);
    },
  };
}

async function waitForOrders(count: number): Promise<void> {
  await expect.poll(() => history.orders.size, { timeout: 60_000, interval: 10 }).toBeGreaterThanOrEqual(count);
}

async function expectNothingLost(): Promise<void> {
  const { db } = service.app;
  const countDeliveries = async (): Promise<number> => (await db.query('select from deliveries')).length;
  await expect.poll(countDeliveries, { timeout: 30_000, interval: 100 }).toBe(0);
  expect(await findLosses(db, history)).toEqual([]);
}

test('killing PostgreSQL under load: 503, no false 2xx, automatic recovery, nothing lost', async () => {
  const posting = startPosting();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await waitForOrders(history.orders.size + ORDERS_BETWEEN_KILLS);
    await signalServer('SIGKILL');
    const seen = posting.statuses.get(503) ?? 0;
    await expect.poll(() => posting.statuses.get(503) ?? 0, { timeout: 10_000 }).toBeGreaterThan(seen);
    expect((await fetch(`${service.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.address}/healthz`)).status).toBe(200);
    server = await start(dataDir);
  }
  await waitForOrders(history.orders.size + ORDERS_BETWEEN_KILLS);
  await posting.stop();
  expect(posting.complaints).toEqual([]);
  expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
  await expectNothingLost();
}, 180_000);

test('the server repeatedly closes every connection under load: nothing lost', async () => {
  const posting = startPosting();
  for (let cut = 1; cut <= 10; cut += 1) {
    await waitForOrders(history.orders.size + 20);
    await service.app.db
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      .catch(() => undefined);
  }
  await waitForOrders(history.orders.size + 20);
  await posting.stop();
  expect(posting.complaints).toEqual([]);
  await expectNothingLost();
}, 180_000);
