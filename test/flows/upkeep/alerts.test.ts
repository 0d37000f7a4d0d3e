// The alert rules on a real Prometheus that scrapes real nodes. The faults are caused, each alert fires, the faults are
// repaired, and each alert clears. The rules are those of deploy/prometheus with every duration divided by the same
// number: a fault that must last for ten minutes lasts for four seconds here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poolSizesFor } from '../../../src/nodes/connection-budget.ts';
import { createDatabaseClock } from '../../../src/runtime/database-clock.ts';
import { createPlatform, silentLog, systemClock } from '../../../src/platform.ts';
import type { Database } from '../../../src/store/database/database.ts';
import { insertPlacedOrders } from '../../../src/store/orders/writes.ts';
import { enqueueMail } from '../../../src/store/people/mail-outbox.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startService, type ServiceOptions, type TestService } from '../../../harness/service/service.ts';
import { accelerate, listAlerts, readRules } from '../../monitoring/rules-file.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../servers/database-proxy.ts';
import { findFreePort } from '../../servers/free-port.ts';
import { startMailServer, type MailServer } from '../../servers/mail-server.ts';
import { isPrometheusInstalled, startPrometheus, type Prometheus } from '../../servers/prometheus.ts';

const INTERVAL_MS = 200;
const FACTOR = 150;
/** Nodes read the database for their metrics every five seconds, and some alerts compare with 12 s before. */
const PATIENCE = { timeout: 60_000, interval: 100 };
const SLOW_SECONDS = 1.1;
const OUTAGE_ID = '00000000-0000-7000-8000-00000000000b';

const isAbsent = !isPrometheusInstalled();
const SKIPPED = isAbsent ? ' (skipped: the package prometheus is not installed)' : '';

let database: TestDatabase;
let proxy: DatabaseProxy;
let receiver: Receiver;
let mailServer: MailServer;
let prometheus: Prometheus;
let ports: { intake: number; delivering: number };
const nodes: TestService[] = [];

let insertSeconds = 0;
let clockAheadMs = 0;

beforeAll(async () => {
  if (isAbsent) return;
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  receiver = await startReceiver();
  mailServer = await startMailServer();
  ports = { intake: await findFreePort(), delivering: await findFreePort() };
  prometheus = await startPrometheus({
    targets: [ports.intake, ports.delivering].map((port) => `127.0.0.1:${port}`),
    rules: accelerate(readRules(), FACTOR),
    intervalMs: INTERVAL_MS,
  });
});
afterAll(async () => {
  if (isAbsent) return;
  for (const node of nodes.splice(0)) await node.stop();
  await prometheus.stop();
  await mailServer.close();
  await receiver.close();
  await proxy.close();
  await database.drop();
});

async function startNode(options: ServiceOptions): Promise<TestService> {
  const [first] = nodes;
  const node = await startService({ ...options, ...(first && { masterKey: first.masterKey }) });
  nodes.push(node);
  return node;
}

/** Takes orders. Tests delay its commits, set its clock and cut its connections to the database. */
function startIntake(): Promise<TestService> {
  const clock = createDatabaseClock({ ...systemClock, now: () => systemClock.now() + clockAheadMs });
  return startNode({
    roles: ['api'],
    databaseUrl: proxy.url,
    config: { port: ports.intake },
    platform: createPlatform(silentLog, clock),
    parts: {
      insertPlaced: async (db, write) => {
        if (insertSeconds > 0) await db.query('select pg_sleep($1)', [insertSeconds]);
        return insertPlacedOrders(db, write);
      },
    },
  });
}

/** Sends webhooks and mail, and runs the audit. */
function startDelivering(): Promise<TestService> {
  return startNode({
    roles: ['deliver'],
    databaseUrl: database.url,
    config: { metricsAddress: { host: '127.0.0.1', port: ports.delivering }, smtpUrl: mailServer.url },
  });
}

async function listFiring(): Promise<string[]> {
  const firing = await prometheus.query('count by (alertname) (ALERTS{alertstate="firing"})');
  return firing.map(({ labels }) => labels['alertname'] ?? '').toSorted();
}

/** Since the start. Some alerts clear although the fault lasts, because they compare with a while ago. */
async function listFired(): Promise<string[]> {
  const fired = await prometheus.query('count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[10m]))');
  return fired.map(({ labels }) => labels['alertname'] ?? '');
}

async function waitUntilFired(names: readonly string[], meanwhile: () => Promise<unknown> = async () => undefined) {
  const listMissing = async () => {
    await meanwhile();
    const fired = await listFired();
    return names.filter((name) => !fired.includes(name));
  };
  await expect.poll(listMissing, PATIENCE).toEqual([]);
}

/** Keeps this many requests at a pool until the returned function is called. */
function overload(pool: Database, requests: number): () => Promise<void> {
  const over = new AbortController();
  // Shorter than a request waits for a connection, so none fails.
  const keepBusy = async (): Promise<void> => {
    while (!over.signal.aborted) await pool.query('select pg_sleep(2)');
  };
  const running = Array.from({ length: requests }, keepBusy);
  return async () => {
    over.abort();
    await Promise.all(running);
  };
}

/** What an endpoint that failed for a day, a lost event, a bad record and a refused address leave in the database. */
async function damageRecords({ app }: TestService, restaurantId: string): Promise<void> {
  const { db, vault, clock, newId } = app;
  const statements = [
    `update endpoints set failing_since = now() - interval '25 h', last_error = 'status 503'
     where restaurant_id = $1 and kind = 'status'`,
    `insert into failing_spells (id, restaurant_id, endpoint, failing_since, told_at)
     values ('${OUTAGE_ID}', $1, 'status', now() - interval '25 h', now() - interval '24 h')`,
    `insert into support_cases (id, restaurant_id, endpoint, spell_id, failing_since, opened_at)
     values ('${OUTAGE_ID}', $1, 'status', '${OUTAGE_ID}', now() - interval '25 h', now())`,
    `insert into audit_differences (kind, subject, restaurant_id, detail, first_seen_at, last_seen_pass)
     values ('sequence_gap', 'planted', $1, 'planted', now(), 0)`,
    `insert into set_aside (work, kind, id, reason, first_failed_at, last_failed_at)
     values ('planning', 'restaurant', $1, 'planted', now(), now() + interval '1 h')`,
  ];
  for (const statement of statements) await db.query(statement, [restaurantId]);
  await db.query(
    `insert into audit_progress (is_only, last_pass_ended_at, last_pass_seconds) values (true, now() - interval '1 day', 5)`,
  );
  for (const to of ['waiting@example.com', 'wrong@example.com']) {
    await enqueueMail(db, vault, { id: newId(), to, subject: 's', text: 't', now: clock.now() - 3_600_000 });
  }
  await db.query(`update mail_outbox set refused_at = now() where to_address = 'wrong@example.com'`);
}

test.skipIf(isAbsent)(
  `every alert fires when its fault is caused and clears when it is repaired${SKIPPED}`,
  async () => {
    // No node has started yet.
    await waitUntilFired(['WaybillSilent', 'WaybillNodeDown']);

    const intake = await startIntake();
    const sending = await intake.addRestaurant({ receiver, autoApprove: true });
    const holding = await intake.addRestaurant({ autoApprove: true });
    // Alerts about growth compare with half an hour ago, which is 12 s.
    const before = `waybill_deliveries{state="held"} offset ${1_800_000 / FACTOR}ms`;
    await expect.poll(() => prometheus.query(before), PATIENCE).toMatchObject([{ value: 0 }]);
    // Control: with one healthy node, only the absence of the other one is reported.
    await expect.poll(listFiring, PATIENCE).toEqual(['WaybillNodeDown']);

    // No node sends webhooks, and one restaurant has no URL for them.
    for (const restaurant of [sending, holding]) {
      expect((await intake.post(restaurant, { orderId: 'first' })).status).toBe(201);
    }
    await damageRecords(intake, sending.id);
    clockAheadMs = 5_000;
    insertSeconds = SLOW_SECONDS;
    const endOverload = overload(intake.app.pools.panel, poolSizesFor(['api']).panel + 2);
    await waitUntilFired(['WaybillConnectionsWaiting']);
    await endOverload();
    let count = 0;
    const placeOrders = (): Promise<Response[]> =>
      Promise.all([1, 2, 3].map(() => intake.post(holding, { orderId: `order-${(count += 1)}` })));
    const ofTheDatabase = ['WaybillDatabaseDown', 'WaybillRequestsFailing'];
    const others = listAlerts()
      .map(({ name }) => name)
      .filter((name) => !ofTheDatabase.includes(name));
    await waitUntilFired(others, placeOrders);

    proxy.refuse(true);
    proxy.cutAll();
    await waitUntilFired(ofTheDatabase, placeOrders);

    proxy.refuse(false);
    insertSeconds = 0;
    clockAheadMs = 0;
    // The node that was missing sends the webhooks and the mail, and its audit does not find the difference.
    const delivering = await startDelivering();
    await delivering.app.db.query('delete from set_aside');
    await expect.poll(listFiring, PATIENCE).toEqual([]);
    expect(receiver.requests.length).toBeGreaterThan(0);
    expect(mailServer.mails.map(({ to }) => to)).toContainEqual(['waiting@example.com']);
  },
  240_000,
);
