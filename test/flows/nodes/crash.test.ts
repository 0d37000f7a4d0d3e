// Nodes are killed with SIGKILL at random moments while they take orders and commands and send webhooks. Two of them
// share the database, so that there is always work under way; each is restarted as soon as it is dead.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readQueuedMs } from '../../../harness/measure/queued-time.ts';
import { readStolenMs } from '../../../harness/measure/stolen-time.ts';
import { createChance, newSeed } from '../../../harness/chance.ts';
import { startLoad, type Reachable } from '../../../harness/load/load.ts';
import { createHistory, findLosses, type History } from '../../../harness/load/loss-check.ts';
import { startNode, type NodeProcess } from '../../../harness/nodes/node.ts';
import { startReceiver, type Receiver } from '../../../harness/receivers/receiver.ts';
import { startService, type TestRestaurant, type TestService } from '../../../harness/service/service.ts';

/** Fewer on an external server: its version affects statements, but has little effect on the deaths of nodes. */
const KILLS = process.env['WAYBILL_TEST_DATABASE_URL'] === undefined ? 100 : 30;
const SLOTS = 2;
const POSTERS = 24;
const MAX_LIFE_MS = 600;
/** Less than the 10 s after which the leases of a dead node are freed: a start must not wait for that. */
const READY_WITHIN_MS = 9_000;

const seed = newSeed();

interface Run {
  admin: TestService;
  receiver: Receiver;
  history: History;
  restaurant: TestRestaurant;
  courierId: string;
}

let real: Run;
let control: Run;

beforeAll(async () => {
  [real, control] = await Promise.all([prepare(), prepare()]);
});

afterAll(async () => {
  for (const { admin, receiver } of [real, control]) {
    await admin.stop();
    await receiver.close();
  }
});

async function prepare(): Promise<Run> {
  const history = createHistory();
  const chance = createChance(seed);
  const receiver = await startReceiver({
    onRequest: (request) => {
      history.received.push(request.body.toString());
      return { delayMs: chance.below(30) };
    },
  });
  // Only for administration and observation: it neither takes orders nor sends webhooks.
  const admin = await startService({ roles: ['plan'] });
  const restaurant = await admin.addRestaurant({ receiver, hasSecret: true, autoApprove: true });
  return { admin, receiver, history, restaurant, courierId: await admin.addCourier() };
}

/** Kills and restarts nodes this many times; returns the duration of each start. */
async function killAgainAndAgain(run: Run, kills: number, splitForMs?: number) {
  const chance = createChance(seed);
  const nodes = new Map<number, Reachable>();
  let onNode: (() => void)[] = [];
  const starts: number[] = [];
  let begun = 0;

  /** Resolves once the node has acknowledged an order, so that every kill hits real work, however slow the machine is. */
  const start = async (slot: number): Promise<NodeProcess> => {
    const stolenBeforeMs = readStolenMs();
    const node = await startNode({ ...run.admin, ...(splitForMs !== undefined && { splitForMs }) });
    // Excludes the CPU time that the host of a virtual machine or other processes took away during the start.
    starts.push(node.readyAfterMs - readQueuedMs(node.pid) - (readStolenMs() - stolenBeforeMs));
    await new Promise<void>((resolve) => {
      const post: Reachable['post'] = async (...given) => {
        const answer = await node.post(...given);
        if (answer.ok) resolve();
        return answer;
      };
      nodes.set(slot, { ...node, post });
      for (const proceed of onNode.splice(0)) proceed();
    });
    return node;
  };
  const findNode = async (): Promise<Reachable> => {
    while (nodes.size === 0) await new Promise<void>((resolve) => onNode.push(resolve));
    return chance.pick([...nodes.values()]);
  };
  const keepKilling = async (slot: number): Promise<void> => {
    while (begun < kills) {
      begun += 1;
      const node = await start(slot);
      await pause(chance.below(MAX_LIFE_MS));
      // Clients that have already picked this node send to a dead one.
      const killing = node.kill();
      nodes.delete(slot);
      await killing;
    }
  };

  const load = startLoad({ ...run, seed, posters: POSTERS, findNode });
  await Promise.all(Array.from({ length: SLOTS }, (_, slot) => keepKilling(slot)));
  const survivor = await start(0);
  await load.stop();
  return { load, starts, survivor };
}

async function isEachAcknowledgedOrderThere(run: Run, address: string): Promise<void> {
  for (const [orderId, serviceOrderId] of run.history.orders) {
    const answer = await fetch(`${address}/webhook/third-party/order/${orderId}`, {
      headers: { 'x-api-key': run.restaurant.apiKey },
    });
    expect(await answer.json()).toMatchObject({ orderId, serviceOrderId });
  }
}

test(`${KILLS} kills under load lose, invent and reorder nothing (seed ${seed})`, async () => {
  const { admin, history } = real;
  const { load, starts, survivor } = await killAgainAndAgain(real, KILLS);
  const countDeliveries = async (): Promise<number> => (await admin.app.db.query('select from deliveries')).length;
  await expect.poll(countDeliveries, { timeout: 30_000, interval: 200 }).toBe(0);

  expect(load.complaints).toEqual([]);
  expect(await findLosses(admin.app.db, history)).toEqual([]);
  await isEachAcknowledgedOrderThere(real, survivor.address);
  await survivor.kill();
  // Checks every start. The time for which other processes had the processor is not counted.
  expect(starts.filter((startMs) => startMs > READY_WITHIN_MS)).toEqual([]);
  // The kills hit real work: some requests had to be repeated and some webhooks were sent twice.
  expect(starts).toHaveLength(KILLS + 1);
  expect(history.orders.size).toBeGreaterThan(KILLS);
  expect(load.repeats).toBeGreaterThan(KILLS / 2);
  const duplicates = history.received.length - new Set(history.received).size;
  console.log({
    orders: history.orders.size,
    changes: history.changes.length,
    webhooks: history.received.length,
    duplicates,
    repeats: load.repeats,
    medianStartMs: Math.round(starts.sort((a, b) => a - b)[KILLS / 2] ?? 0),
    slowestStartMs: Math.round(Math.max(...starts)),
  });
}, 300_000);

test('control: the same check detects orders committed apart from their events', async () => {
  const { admin, history } = control;
  const { survivor } = await killAgainAndAgain(control, 4, 200);
  await survivor.kill();
  expect(await findLosses(admin.app.db, history)).not.toEqual([]);
}, 60_000);
