// The planner in a real service with 1,000 open orders and 300 moving couriers: the time from an order's commit until
// it is in a stored plan, and the effect of planning on other API calls.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { Pool } from 'undici';
import type { NodeRole } from '../../src/settings/parsers.ts';
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
import { summarize } from '../../harness/measure/statistics.ts';
import { StolenTime, takeTurns } from '../../harness/measure/stolen-time.ts';

export interface PlanningOptions {
  undo: UndoList;
  profileFolder: string | undefined;
  /** How many times the API is measured with and without planning. */
  repetitions: number;
  size: CitySize;
  newOrders: number;
  /** Duration of one API measurement. */
  seconds: number;
}

/** Separate processes, divided as by `serve`. */
const SERVING: readonly NodeRole[] = ['api', 'deliver'];
const PLANNING: readonly NodeRole[] = ['plan'];

/** A till's orders wait for approval, so they are in no plan and measure the API alone. */
const API_RATE_PER_SECOND = 200;
const CONNECTIONS = 64;
/** Background activity in the city during a measurement. */
const NEW_ORDERS_PER_SECOND = 2;
const MOVES_PER_SECOND = 1;
/** One in five couriers moves at a time, so each reports about every five seconds. */
const MOVING_SHARE = 5;
/** Until then much code is not compiled, above all the planner's, and connections have few prepared statements. */
const WARM_UP_SECONDS = 15;
/**
 * Wait after pausing or resuming the planner. A planner that missed half a minute is busiest right after it resumes:
 * three times as many API requests were slow in the first five seconds, and hardly more than usual after fifteen.
 */
const SETTLE_SECONDS = 15;
const WARM_UP_ORDERS = 10;
/** Random pause between orders, so that they arrive at any point of the planner's cycle. */
const PAUSE_MS = { least: 100, spread: 500 };
const LOOK_INTERVAL_MS = 2;
/** Without the planner, orders are routed after the same delay as with it. */
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
 * Alternates between planning off and on, so that other load on the machine affects both. The same processes run
 * throughout. While planning is off, the planner is paused and another process routes the new orders, so that they
 * cause the same number of events and webhooks. One turn's p99 depends on few requests, so the ratio covers all turns.
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
  const load = { ...orderLoad(address, till), ratePerSecond: API_RATE_PER_SECOND, maxConnections: CONNECTIONS };
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
    return summarize(Float64Array.from(turns.flatMap((turn) => [...turn[name]]))).p99Ms;
  };
  const off = p99Of('off');
  report.add('planning.api.ratio', 'of without', p99Of('on') / off);
}

/** Places orders one by one. Measures from each commit until the order is in a stored plan, and the solver's share. */
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

/** Background activity while the API is measured, the same with and without planning. */
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
  throw new Error(`no plan within ${PLAN_LIMIT_MS / 1000} s`);
}
