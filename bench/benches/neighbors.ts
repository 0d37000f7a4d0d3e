// Checks that tenants do not slow each other down. Measures order latency while a script of another restaurant's staff
// sends fifty concurrent searches, and webhook latency to a healthy receiver while the endpoints of 64 restaurants on
// the same host hang. Each is compared with the same load without the neighbor, in the same run.
import { ordersApi } from '../../src/contract/panel/orders/orders.ts';
import { urlOf } from '../../src/contract/panel/route-url.ts';
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import { forgetDeliveries } from './fairness.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { orderLoad } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import { openSite } from '../stage/stage.ts';
import { percentile } from '../../harness/measure/statistics.ts';
import { takeTurns } from '../../harness/measure/stolen-time.ts';
import { settleTown } from '../stage/town.ts';

export interface NeighborsOptions {
  undo: UndoList;
  repetitions: number;
  /** Duration of one measurement. */
  seconds: number;
  /** Number of orders at the searched restaurant; a search examines 1,000 live and 1,000 finished ones. */
  searchedOrders: number;
}

const ORDERS_PER_SECOND = 50;
const MAX_CONNECTIONS = 32;
const SEARCHES_AT_ONCE = 50;
/** The others are live. */
const FINISHED_SHARE = 0.5;
const WARM_UP_SECONDS = 5;

export async function benchSearchingNeighbor(report: Report, options: NeighborsOptions): Promise<void> {
  const { undo, seconds } = options;
  const site = await openSite({ undo });
  const { node, address } = await site.startNode();
  const webhookUrl = site.webhookUrlAt('localhost');
  const till = await node.ask('addRestaurant', { isAutoApproving: false, webhookUrl });
  const searched = await node.ask('addRestaurant', { isAutoApproving: false, webhookUrl });
  await node.ask('placeOrders', { restaurantId: searched.restaurantId, count: options.searchedOrders });
  await site.receiver.ask('expect', { secret: searched.secret, count: Infinity, keepsArrivals: false });
  await node.ask('approveAll', 50);
  await node.ask('cancelFirst', Math.floor(options.searchedOrders * FINISHED_SHARE));
  await node.ask('settle');
  const cookie = await node.ask('signInStaff', searched.restaurantId);
  const generator = site.start<LoadCommands>('load-process.ts');
  const script = site.start<LoadCommands>('load-process.ts');
  const load = { ...orderLoad(address, till), ratePerSecond: ORDERS_PER_SECOND, maxConnections: MAX_CONNECTIONS };
  const measure = (forSeconds: number): Promise<Float64Array> =>
    generator.ask('open', { ...load, seconds: forSeconds });
  const search = (forSeconds: number): ReturnType<LoadCommands['read']> =>
    script.ask('read', {
      address,
      // Part of a phone number, which makes the search read every recent order.
      path: urlOf(ordersApi.list, { query: { q: '0000999' } }),
      headers: { cookie },
      connections: SEARCHES_AT_ONCE,
      seconds: forSeconds,
    });
  const measureBoth = async (forSeconds: number) => {
    const without = await measure(forSeconds);
    const [during, searches] = await Promise.all([measure(forSeconds), search(forSeconds)]);
    return { without, during, searches };
  };
  await measureBoth(WARM_UP_SECONDS);
  for (const { without, during, searches } of await takeTurns(options.repetitions, () => measureBoth(seconds))) {
    report.addLatencies('neighbors.search.without', without, ORDERS_PER_SECOND * seconds);
    report.addLatencies('neighbors.search.during', during, ORDERS_PER_SECOND * seconds);
    report.add('neighbors.search.answered', 'searches/s', searches.answered / seconds);
    report.add('neighbors.search.refused', 'searches/s', searches.refused / seconds);
    report.add('neighbors.search.ratio', 'of p99 without', p99Of(during) / p99Of(without));
  }
}

const HANGING_RESTAURANTS = 64;
const WEBHOOKS_PER_SECOND = 50;
const ARRIVAL_LIMIT_MS = 120_000;
/**
 * Until an endpoint is known to be silent, each of its webhooks takes a connection and needs a handshake: two
 * milliseconds of the only thread, which has no effect a few seconds later. Reported, but not part of the ratio.
 */
const AT_FIRST_SECONDS = 15;

export async function benchHangingNeighbors(report: Report, options: NeighborsOptions): Promise<void> {
  const { undo, seconds } = options;
  const site = await openSite({ undo });
  const { node } = await site.startNode();
  const healthyUrl = site.webhookUrlAt('localhost');
  const healthy = await node.ask('addRestaurant', { isAutoApproving: false, webhookUrl: healthyUrl });
  const urlOf = (index: number, kind: 'hang' | 'other'): string => new URL(`/${kind}/${index}`, healthyUrl).href;
  const others = await settleTown(
    node,
    Array.from({ length: HANGING_RESTAURANTS }, (_, index) => urlOf(index, 'other')),
  );
  const point = async (kind: 'hang' | 'other' | null): Promise<void> => {
    for (const [index, { restaurantId }] of others.entries()) {
      await node.ask('setWebhookUrl', { restaurantId, url: kind === null ? null : urlOf(index, kind) });
    }
  };
  /** Alternates webhooks of the healthy restaurant with those of the others. */
  const measure = async (forSeconds: number): Promise<Float64Array> => {
    const count = WEBHOOKS_PER_SECOND * forSeconds;
    const restaurantIds = others.flatMap(({ restaurantId }) => [healthy.restaurantId, restaurantId]);
    await node.ask('placeOrdersAcross', { restaurantIds, count: 2 * count });
    await site.receiver.ask('expect', { secret: healthy.secret, count, keepsArrivals: true });
    const [commits, { arrivals }] = await Promise.all([
      node.ask('approveAtRate', { ratePerSecond: 2 * WEBHOOKS_PER_SECOND, count: 2 * count }),
      site.receiver.ask('complete', ARRIVAL_LIMIT_MS),
    ]);
    const arrivedAtMs = new Map(arrivals);
    return Float64Array.from(
      commits.filter(({ restaurantId }) => restaurantId === healthy.restaurantId),
      ({ orderId, committedAtMs }) => (arrivedAtMs.get(orderId) ?? Number.NaN) - committedAtMs,
    );
  };
  const rounds = await withClient(site.cluster.url, async (client) => {
    const measureBoth = async (forSeconds: number) => {
      const without = await measure(forSeconds);
      await point('hang');
      const atFirst = await measure(AT_FIRST_SECONDS);
      const during = await measure(forSeconds);
      await point(null);
      await forgetDeliveries({ client, node }, others);
      await point('other');
      return { without, atFirst, during };
    };
    await measureBoth(WARM_UP_SECONDS);
    return takeTurns(options.repetitions, () => measureBoth(seconds));
  });
  const count = WEBHOOKS_PER_SECOND * seconds;
  for (const { without, atFirst, during } of rounds) {
    report.addLatencies('neighbors.hanging.without', without, count);
    report.addLatencies('neighbors.hanging.at_first', atFirst, WEBHOOKS_PER_SECOND * AT_FIRST_SECONDS);
    report.addLatencies('neighbors.hanging.during', during, count);
    report.add('neighbors.hanging.ratio', 'of p99 without', p99Of(during) / p99Of(without));
  }
}

/** Computed per turn, because one disturbed turn would otherwise dominate the percentile of all turns. */
function p99Of(latenciesMs: Float64Array): number {
  return percentile(latenciesMs, 0.99);
}
