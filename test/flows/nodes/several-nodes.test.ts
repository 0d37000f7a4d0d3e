// Three nodes share one database: they share its work, and no delivery is sent by two nodes at the same time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChance, newSeed } from '../../../harness/chance.ts';
import { startLoad } from '../../../harness/load/load.ts';
import { createHistory, findLosses } from '../../../harness/load/loss-check.ts';
import { startNode, type NodeProcess } from '../../../harness/nodes/node.ts';
import {
  startReceiver,
  type Answer,
  type ReceivedRequest,
  type Receiver,
} from '../../../harness/receivers/receiver.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const seed = newSeed();
/** The same number follows after the kill, so that the takeover also happens under load. */
const ORDERS_BEFORE_A_KILL = 30;

let admin: TestService;
let receiver: Receiver;
const nodes: NodeProcess[] = [];
/** How the receiver answers; each test sets its own function. */
let respond: (request: ReceivedRequest) => Answer | Promise<Answer> = () => 200;

beforeAll(async () => {
  receiver = await startReceiver({ onRequest: (request) => respond(request) });
  admin = await startService({ roles: ['plan'] });
  nodes.push(...(await Promise.all([startNode(admin), startNode(admin), startNode(admin)])));
});

afterAll(async () => {
  for (const node of nodes) await node.kill();
  await admin.stop();
  await receiver.close();
});

async function countDeliveries(): Promise<number> {
  return (await admin.app.db.query('select from deliveries')).length;
}

function laneOf(request: ReceivedRequest): string {
  const { serviceOrderId } = JSON.parse(request.body.toString()) as { serviceOrderId: string };
  return `${request.path} ${serviceOrderId}`;
}

/** Detects two concurrent requests for the same order at one endpoint. */
function createOverlapWatch() {
  const underWay = new Set<string>();
  const overlaps: string[] = [];
  return {
    overlaps,
    enter: (request: ReceivedRequest): void => {
      const lane = laneOf(request);
      if (underWay.has(lane)) overlaps.push(request.body.toString());
      underWay.add(lane);
    },
    leave: (request: ReceivedRequest): void => void underWay.delete(laneOf(request)),
  };
}

test('control: the overlap watch detects an overlap', () => {
  const watch = createOverlapWatch();
  const request = { path: '/status', body: Buffer.from('{"serviceOrderId":"a"}') } as ReceivedRequest;
  watch.enter(request);
  watch.leave(request);
  watch.enter(request);
  expect(watch.overlaps).toEqual([]);
  watch.enter(request);
  expect(watch.overlaps).toHaveLength(1);
});

test(`commands across three nodes, one of them killed: one webhook at a time, in order (seed ${seed})`, async () => {
  const history = createHistory();
  const watch = createOverlapWatch();
  const chance = createChance(seed);
  respond = async (request) => {
    watch.enter(request);
    // Slow enough that a second concurrent sender would be detected.
    await new Promise((resolve) => setTimeout(resolve, 10 + chance.below(60)));
    watch.leave(request);
    history.received.push(request.body.toString());
    return 200;
  };
  const restaurant = await admin.addRestaurant({ receiver, autoApprove: true });
  const courierId = await admin.addCourier();
  const findNode = (): Promise<NodeProcess> => Promise.resolve(chance.pick(nodes));
  const load = startLoad({ seed, restaurant, courierId, history, posters: 10, findNode });
  await expect.poll(() => history.orders.size, { timeout: 15_000, interval: 20 }).toBeGreaterThan(ORDERS_BEFORE_A_KILL);
  const [victim] = nodes.splice(0, 1);
  await victim?.kill();
  const placed = history.orders.size;
  await expect
    .poll(() => history.orders.size - placed, { timeout: 15_000, interval: 20 })
    .toBeGreaterThan(ORDERS_BEFORE_A_KILL);
  await load.stop();
  await expect.poll(countDeliveries, { timeout: 30_000, interval: 200 }).toBe(0);

  expect(load.complaints).toEqual([]);
  expect(await findLosses(admin.app.db, history)).toEqual([]);
  expect(watch.overlaps).toEqual([]);
}, 60_000);

test('a frozen node loses its leases to another, and its late results are ignored', async () => {
  const [frozen, other] = nodes;
  if (frozen === undefined || other === undefined) throw new Error('Two nodes are needed');
  const answers: ((answer: Answer) => void)[] = [];
  respond = () => new Promise((resolve) => answers.push(resolve));
  const restaurant = await admin.addRestaurant({ receiver, autoApprove: true });
  const seenBefore = receiver.requests.length;
  const countSeen = (): number => receiver.requests.length - seenBefore;
  const { db } = admin.app;

  const placed = await frozen.post(restaurant, { orderId: 'frozen-1' });
  const { serviceOrderId } = (await placed.json()) as { serviceOrderId: string };
  await receiver.waitFor(() => countSeen() === 1);
  const lease = async (): Promise<string | undefined> => {
    const [row] = await db.query<{ leasedBy: string }>('select leased_by from deliveries where order_id = $1', [
      serviceOrderId,
    ]);
    return row?.leasedBy;
  };
  const formerLease = await lease();
  frozen.freeze();
  answers[0]?.(200);
  // The other node waits until the silence limit, takes over, and gets a late answer, so that both results compete.
  await receiver.waitFor(() => countSeen() === 2, 20_000);
  const newLease = await lease();
  expect(newLease).not.toBe(formerLease);

  const listNodes = async (): Promise<string[]> =>
    (await db.query<{ id: string }>('select id from nodes order by id')).map((row) => row.id);
  const living = await listNodes();
  frozen.thaw();
  // The node registers a new ID only after its old results have been processed.
  await expect.poll(async () => (await listNodes()).length, { timeout: 10_000 }).toBe(living.length + 1);
  expect(await lease()).toBe(newLease);
  expect(
    await db.query('select from attempts a join events e on e.id = a.event_id where e.order_id = $1', [serviceOrderId]),
  ).toEqual([]);

  answers[1]?.(200);
  await expect.poll(lease, { timeout: 10_000 }).toBeUndefined();
  const attempts = await db.query<{ number: number; outcome: string }>(
    'select a.number, a.outcome from attempts a join events e on e.id = a.event_id where e.order_id = $1',
    [serviceOrderId],
  );
  expect(attempts).toEqual([{ number: 1, outcome: 'delivered' }]);
  expect(countSeen()).toBe(2);
  // The node works again.
  respond = () => 200;
  expect((await frozen.post(restaurant, { orderId: 'frozen-2' })).status).toBe(201);
  await expect.poll(countDeliveries, { timeout: 10_000 }).toBe(0);
}, 60_000);
