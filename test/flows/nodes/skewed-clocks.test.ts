// Machines whose clocks differ by three minutes share one database; all times they write or compare are the database's.
import { afterEach, expect, test } from 'vitest';
import { createDatabaseClock } from '../../../src/runtime/database-clock.ts';
import { createPlatform, systemClock, type Clock, type Log, type LogLine } from '../../../src/platform.ts';
import { claimDueMail, enqueueMail } from '../../../src/store/people/mail-outbox.ts';
import { listNodes } from '../../../src/store/upkeep/node-health.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/service/database.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const SKEWS_MS = [90_000, -90_000, 0] as const;
const LIMIT = 5;

interface Node {
  service: TestService;
  lines: LogLine[];
}

let database: TestDatabase;
let receiver: Receiver;
let nodes: Node[] = [];

afterEach(async () => {
  for (const { service } of nodes) await service.stop();
  nodes = [];
  await receiver.close();
  await database.drop();
});

async function open(toClock: (machine: Clock) => Clock): Promise<void> {
  database = await createTestDatabase();
  receiver = await startReceiver({ onRequest: () => 500 });
  for (const skewMs of SKEWS_MS) {
    const clock = toClock({ ...systemClock, now: () => systemClock.now() + skewMs });
    const lines: LogLine[] = [];
    const keep = (line: LogLine): void => void lines.push(line);
    const log: Log = { info: keep, warn: keep, error: keep };
    const service = await startService({
      databaseUrl: database.url,
      platform: createPlatform(log, clock),
      roles: ['api', 'deliver'],
      ...(nodes[0] && { masterKey: nodes[0].service.masterKey }),
    });
    nodes.push({ service, lines });
  }
}

function first(): TestService {
  const [node] = nodes;
  if (node === undefined) throw new Error('no node was started');
  return node.service;
}

/** Every node sends a webhook that fails; counts retries sent within a minute by the database's clock. */
async function countEarlyRetries(): Promise<number> {
  const restaurant = await first().addRestaurant({ receiver, autoApprove: true });
  for (const [index, { service }] of nodes.entries()) {
    expect((await service.post(restaurant, { orderId: `order-${index}` })).status).toBe(201);
    await receiver.waitFor((requests) => requests.length > index);
    await service.app.engine.idle();
  }
  const early = await first().app.db.query(
    `select from deliveries d join attempts a on a.event_id = d.event_id
     where d.due_at < a.ended_at + interval '1 minute' or d.due_at < clock_timestamp() + interval '40 seconds'`,
  );
  for (const { service } of nodes) await service.app.engine.claim();
  for (const { service } of nodes) await service.app.engine.idle();
  return Math.max(early.length, receiver.requests.length - nodes.length);
}

async function countAdmitted(): Promise<number> {
  const restaurant = await first().addRestaurant({ rateLimitPerMinute: LIMIT });
  const statuses: number[] = [];
  for (let request = 0; request < 3 * LIMIT; request += 1) {
    const service = nodes[request % nodes.length]?.service ?? first();
    statuses.push((await service.post(restaurant, { orderId: `limited-${request}` })).status);
  }
  return statuses.filter((status) => status === 201).length;
}

/** Counts mails that another node claims although one node has just leased them for a minute. */
async function countStolenLeases(): Promise<number> {
  let stolen = 0;
  for (const { service } of nodes) {
    const { db, vault, clock, newId } = service.app;
    await enqueueMail(db, vault, { id: newId(), to: 'a@example.org', subject: 's', text: 't', now: clock.now() });
    const claimedBy = async (app: TestService['app']): Promise<number> =>
      (await claimDueMail(db, vault, { now: app.clock.now(), leaseMs: 60_000, limit: 10 })).length;
    expect(await claimedBy(service.app)).toBe(1);
    for (const other of nodes) if (other.service !== service) stolen += await claimedBy(other.service.app);
    await db.query('delete from mail_outbox');
  }
  return stolen;
}

test('nodes with clocks off by 90 seconds send nothing early, exceed no limit and steal no lease', async () => {
  await open(createDatabaseClock);
  const before = await listNodeIds();
  expect(before).toHaveLength(nodes.length);
  expect(await countEarlyRetries()).toBe(0);
  expect(await countAdmitted()).toBe(LIMIT);
  expect(await countStolenLeases()).toBe(0);
  expect(await listNodeIds()).toEqual(before);
});

test('control: nodes that use their own clocks violate all three', async () => {
  await open((machine) => machine);
  expect(await countEarlyRetries()).toBeGreaterThan(0);
  expect(await countAdmitted()).toBeGreaterThan(LIMIT);
  expect(await countStolenLeases()).toBeGreaterThan(0);
});

test('a wrong clock shows in the log, in the metrics and on the operator’s page', async () => {
  await open(createDatabaseClock);
  await listNodeIds();
  const seen = (await listNodes(first().app.db)).map(({ clockOffsetMs }) => Math.round(clockOffsetMs / 1_000));
  expect(seen.toSorted()).toEqual([-90, 0, 90].toSorted());
  for (const [index, { service, lines }] of nodes.entries()) {
    const skewMs = SKEWS_MS[index] ?? 0;
    const warnings = lines.filter(({ event }) => event === 'clock.differs');
    expect(warnings.map(({ offsetMs }) => Math.round(Number(offsetMs) / 1_000))).toEqual(
      skewMs === 0 ? [] : [skewMs / 1_000],
    );
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    const [, seconds] = /^waybill_clock_offset_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Number(seconds)).toBeCloseTo(skewMs / 1_000, 0);
  }
});

/** Waits until all nodes are registered. */
async function listNodeIds(): Promise<string[]> {
  const listIds = async () => (await listNodes(first().app.db)).flatMap(({ id }) => id ?? []);
  await expect.poll(async () => (await listIds()).length, { timeout: 10_000 }).toBe(nodes.length);
  return listIds();
}
