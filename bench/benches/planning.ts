// The planner in a real service with 1,000 open orders and 300 couriers who move: how long after its commit a new order
// has its place in a stored plan, and what the API's other callers notice of the planning.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { Pool } from 'undici';
import type { NodeRole } from '../../src/setting-values.ts';
import { City, type CitySize } from '../stage/city.ts';
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { measureCpu, readCpuSeconds } from '../../harness/measure/cpu-time.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import type { BenchRestaurant } from '../processes/node-process.ts';
import { atRate } from '../processes/open-loop.ts';
import { orderLoad } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import { openSite, type BenchNode, type Site } from '../stage/stage.ts';
import { summarise } from '../../harness/measure/statistics.ts';
import { StolenTime, takeTurns } from '../../harness/measure/stolen-time.ts';

export interface PlanningOptions {
  undo: UndoList;
  profileFolder: string | undefined;
  /** How often the API is measured with planning and without. */
  repetitions: number;
  size: CitySize;
  newOrders: number;
  /** Of one measurement of the API. */
  seconds: number;
}

/** In processes of their own, as `serve` divides them. */
const SERVING: readonly NodeRole[] = ['api', 'deliver'];
const PLANNING: readonly NodeRole[] = ['plan'];

/** A till's orders wait for approval: they are no part of any plan, and measure the API alone. */
const API_RATE_PER_SECOND = 200;
const CONNECTIONS = 64;
/** What changes in the city meanwhile. */
const NEW_ORDERS_PER_SECOND = 2;
const MOVES_PER_SECOND = 1;
/** A courier is heard of every five seconds. */
const MOVING_SHARE = 5;
/** Until then much code is not compiled yet, the planner's above all, and few statements are known to every connection. */
const WARM_UP_SECONDS = 15;
/**
 * After the planner was halted or let go. One that missed half a minute has more to do in its first seconds than in any
 * others: of the API's requests three times as many were slow in the first five, and hardly more than usual after fifteen.
 */
const SETTLE_SECONDS = 15;
const WARM_UP_ORDERS = 10;
/** Between two orders, drawn, so that they come at any moment of the planner's own rhythm. */
const PAUSE_MS = { least: 100, spread: 500 };
const LOOK_INTERVAL_MS = 2;
/** Without the planner orders are routed as long after their commit as with it. */
const ROUTED_AFTER_MS = 15;
const PLAN_LIMIT_MS = 60_000;

export async function benchPlanning(report: Report, options: PlanningOptions): Promise<void> {
  const { size, undo, profileFolder } = options;
  const site = await openSite({ undo });
  const { url } = site.cluster;
  const city = new City(url);
  const webhookUrl = site.webhookUrlAt('localhost');
  const serving = await site.startNode({ roles: SERVING });
  const planning = await site.startNode({ roles: PLANNING, profileFolder });
  const restaurant = await serving.node.ask('addRestaurant', { isAutoApproving: true, webhookUrl });
  const till = await serving.node.ask('addRestaurant', { isAutoApproving: false, webhookUrl });
  await site.receiver.ask('expect', { secret: restaurant.secret, count: Infinity, keepsArrivals: false });
  await city.settle([restaurant.id, till.id], size.couriers);
  await city.placeOrders(serving.address, restaurant, size.orders);
  await withClient(url, async (client) => {
    const scene = { site, city, client, restaurant };
    await waitForPlan(client, 'select count(*)::integer >= $1 as is_done from order_plans', [size.orders]);
    await city.acceptFirstStops();
    await reportReplans(report, { ...scene, serving, planning }, options);
    const dispatching = await site.startNode({ roles: [] });
    await reportApi(report, { ...scene, serving, planning, dispatching, till }, options);
  });
}

interface Scene {
  city: City;
  client: Client;
  restaurant: BenchRestaurant;
}

interface ServedScene extends Scene {
  address: string;
}

async function reportReplans(
  report: Report,
  scene: Scene & { site: Site; serving: BenchNode; planning: BenchNode },
  { newOrders }: PlanningOptions,
): Promise<void> {
  const { site, serving, planning } = scene;
  const { node, address } = serving;
  const meters = {
    service: () => readCpuSeconds(node.pid),
    planner: () => readCpuSeconds(planning.node.pid),
    postgres: site.cluster.meter,
  };
  await measureReplans({ ...scene, address }, WARM_UP_ORDERS);
  await node.ask('watchLoop');
  const { result, cpu } = await measureCpu(meters, () => measureReplans({ ...scene, address }, newOrders));
  for (const [name, tookMs] of Object.entries(result)) report.addLatencies(`planning.${name}`, tookMs, newOrders);
  const loop = await node.ask('readLoop');
  report.add('planning.loop.p99', 'ms late', loop.p99Ms);
  report.add('planning.loop.max', 'ms late', loop.maxMs);
  report.addCpu('planning', cpu, newOrders);
}

/**
 * Without planning and with it, in turns, so that whatever else the machine does falls on both. The same processes run
 * throughout; the one that plans is halted meanwhile, and somebody else routes the new orders, so that as many events
 * and webhooks come of them. The 99th percentile of seconds is a matter of few requests: the ratio is that of all turns
 * together.
 */
async function reportApi(
  report: Report,
  scene: Scene & {
    site: Site;
    serving: BenchNode;
    planning: BenchNode;
    dispatching: BenchNode;
    till: BenchRestaurant;
  },
  { size, repetitions, seconds }: PlanningOptions,
): Promise<void> {
  const { site, city, planning, dispatching, till } = scene;
  const { address } = scene.serving;
  const generator = site.start<LoadCommands>('load-process.ts');
  const load = { ...orderLoad(address, till), ratePerSecond: API_RATE_PER_SECOND, mostConnections: CONNECTIONS };
  const routeByHand = async (orderId: string): Promise<void> => {
    await delay(ROUTED_AFTER_MS);
    await dispatching.node.ask('route', orderId);
  };
  const run = async (forSeconds: number, onOrder?: (orderId: string) => Promise<void>): Promise<Float64Array> => {
    const stirring = stir({ ...scene, address }, forSeconds, onOrder);
    const latenciesMs = await generator.ask('open', { ...load, seconds: forSeconds });
    await stirring;
    return latenciesMs;
  };
  await run(WARM_UP_SECONDS);
  const turns = await takeTurns(repetitions, async () => {
    process.kill(planning.node.pid, 'SIGSTOP');
    await city.keepOrders(size.orders);
    await run(SETTLE_SECONDS, routeByHand);
    const off = await run(seconds, routeByHand);
    await city.keepOrders(size.orders);
    process.kill(planning.node.pid, 'SIGCONT');
    await run(SETTLE_SECONDS);
    const on = await run(seconds);
    return { off, on };
  });
  const p99Of = (name: 'off' | 'on'): number => {
    for (const turn of turns) report.addLatencies(`planning.api.${name}`, turn[name], API_RATE_PER_SECOND * seconds);
    return summarise(Float64Array.from(turns.flatMap((turn) => [...turn[name]]))).p99Ms;
  };
  const off = p99Of('off');
  report.add('planning.api.ratio', 'of without', p99Of('on') / off);
}

/** New orders one by one: from the commit of each until its place in a plan is stored, and what the solver took of it. */
async function measureReplans(
  { city, client, address, restaurant }: ServedScene,
  count: number,
): Promise<Record<'replan' | 'solve', Float64Array>> {
  const pool = new Pool(address, { connections: 1 });
  const stolen = new StolenTime();
  const spans: { fromMs: number; toMs: number; solvedMs: number }[] = [];
  let lastMoveAtMs = 0;
  for (let index = 0; index < count; index += 1) {
    if (monotonicMs() - lastMoveAtMs > 1_000 / MOVES_PER_SECOND) {
      lastMoveAtMs = monotonicMs();
      await city.moveCouriers(client, MOVING_SHARE);
    }
    await delay(city.drawPauseMs(PAUSE_MS));
    const orderId = await city.placeOrder(pool, restaurant);
    stolen.look();
    const committedAtMs = monotonicMs();
    await waitForPlan(
      client,
      'select exists (select from order_plans where order_id = $1 and courier_id is not null) as is_done',
      [orderId],
    );
    const plannedAtMs = monotonicMs();
    stolen.look();
    const { rows } = await client.query<{ ms: number }>(
      `select (summary ->> 'durationMs')::integer as ms from planning_areas where summary is not null`,
    );
    spans.push({ fromMs: committedAtMs, toMs: plannedAtMs, solvedMs: rows[0]?.ms ?? Number.NaN });
  }
  await pool.close();
  const undisturbed = spans.filter(({ fromMs, toMs }) => stolen.isUndisturbed(fromMs, toMs));
  return {
    replan: Float64Array.from(undisturbed, ({ fromMs, toMs }) => toMs - fromMs),
    solve: Float64Array.from(undisturbed, ({ solvedMs }) => solvedMs),
  };
}

/** What goes on in the city while the API is measured, the same with planning and without. */
async function stir(
  { city, client, address, restaurant }: ServedScene,
  seconds: number,
  onOrder: ((orderId: string) => Promise<void>) | undefined,
): Promise<void> {
  const pool = new Pool(address, { connections: 4 });
  await Promise.all([
    atRate(NEW_ORDERS_PER_SECOND, NEW_ORDERS_PER_SECOND * seconds, async () => {
      const orderId = await city.placeOrder(pool, restaurant);
      await onOrder?.(orderId);
    }),
    atRate(MOVES_PER_SECOND, MOVES_PER_SECOND * seconds, () => city.moveCouriers(client, MOVING_SHARE)),
  ]);
  await pool.close();
}

async function waitForPlan(client: Client, question: string, values: unknown[]): Promise<void> {
  const startedAtMs = monotonicMs();
  while (monotonicMs() - startedAtMs < PLAN_LIMIT_MS) {
    const { rows } = await client.query<{ is_done: boolean }>(question, values);
    if (rows[0]?.is_done === true) return;
    await delay(LOOK_INTERVAL_MS);
  }
  throw new Error(`there was no plan within ${PLAN_LIMIT_MS / 1000} s`);
}
