// Checks that bad receivers do not delay healthy ones: webhook latency to healthy endpoints when 30% of all endpoints
// are dead, and while one has a large backlog, compared with the same load on healthy endpoints only.
import type { Client } from 'pg';
import { issueSelfSignedCertificate, issueServerCertificate } from '../../src/robots/certificates.ts';
import type { BadReceiverCommands, BadReceivers } from '../processes/bad-receivers-process.ts';
import type { Child } from '../processes/child.ts';
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import { measureCpu, readCpuSeconds, type CpuUse, type Meter } from '../../harness/measure/cpu-time.ts';
import { Filler } from '../stage/fill.ts';
import type { NodeCommands } from '../processes/node-process.ts';
import type { Report } from '../report/report.ts';
import { openSite, type Site } from '../stage/stage.ts';
import { percentile } from '../../harness/measure/statistics.ts';
import { MAX_TURNS_FOR_ONE, StolenTime, takeTurns } from '../../harness/measure/stolen-time.ts';
import { certificateNameOf, hostnamesOf, secretsOf, settleTown, type TownRestaurant } from '../stage/town.ts';

export interface FairnessOptions {
  undo: UndoList;
  repetitions: number;
  restaurants: number;
  /** Duration of one measurement. */
  seconds: number;
  /** Number of due deliveries at the backlogged endpoint. */
  backlog: number;
}

const BAD_SHARE = 0.3;
/** Initial backlog per bad endpoint: more than is sent concurrently to an endpoint whose health is still unknown. */
const BAD_BACKLOG = 20;
/** For all restaurants together, like a town at dinner time. */
const RATE_PER_SECOND = 200;
/** Below the number of new connections that a node opens per second. */
const GREETINGS_PER_SECOND = 100;
/** For each kind of measurement, including dead endpoints: longer than the timeout for a hanging endpoint. */
const WARM_UP_SECONDS = 8;
const ARRIVAL_LIMIT_MS = 60_000;

const KINDS = ['without', 'with_bad', 'with_backlog'] as const;
type Kind = (typeof KINDS)[number];

/** The groups at the one receiver that responds immediately. */
const GOOD_KINDS = ['healthy', 'down'];

interface Town {
  /** The measured restaurants. */
  healthy: TownRestaurant[];
  /** Healthy until their endpoints are switched to bad ones. */
  down: TownRestaurant[];
  /** Responds correctly but slowly, and has a huge backlog. */
  overdue: TownRestaurant[];
}

export async function benchFairness(report: Report, options: FairnessOptions): Promise<void> {
  const { undo, repetitions, seconds } = options;
  const site = await openSite({ undo, receiverNames: GOOD_KINDS.map(certificateNameOf) });
  const receivers = await startBadReceivers(site);
  const { node } = await site.startNode({ nameServer: receivers.nameServer });
  const badCount = Math.round(options.restaurants * BAD_SHARE);
  const goodUrls = (kind: string, count: number): string[] => hostnamesOf(kind, count).map(site.webhookUrlAt);
  const town: Town = {
    healthy: await settleTown(node, goodUrls('healthy', options.restaurants - badCount)),
    down: await settleTown(node, goodUrls('down', badCount)),
    overdue: await settleTown(node, [`https://restaurant-0.tardy.localhost:${receivers.tardy}/webhooks/status`]),
  };
  const meters = {
    service: () => readCpuSeconds(node.pid),
    postgres: site.cluster.meter,
    receiver: () => readCpuSeconds(site.receiver.pid),
  };
  const point = async (urls: readonly (string | null)[]): Promise<void> => {
    for (const [index, { restaurantId }] of town.down.entries()) {
      await node.ask('setWebhookUrl', { restaurantId, url: urls[index] ?? null });
    }
  };
  const rounds = await withClient(site.cluster.url, async (client) => {
    const maxRounds = 1 + repetitions * MAX_TURNS_FOR_ONE;
    const filler = new Filler(client, maxRounds * (badCount * BAD_BACKLOG + options.backlog));
    const forget = (some: readonly TownRestaurant[]): Promise<void> => forgetDeliveries({ client, node }, some);
    const measure = async (kind: Kind, forSeconds: number): Promise<Measured> => {
      // Otherwise dead rows and dirty pages of one measurement would be cleaned up during the next.
      await client.query('vacuum analyze');
      await client.query('checkpoint');
      return measureHealthy({ site, node, meters, town, areAllHealthy: kind !== 'with_bad' }, forSeconds);
    };
    const measureRound = async (forSeconds: number): Promise<Record<Kind, Measured>> => {
      const without = await measure('without', forSeconds);
      await point(badUrls(receivers, badCount));
      await filler.addWaiting(idsOf(town.down), badCount * BAD_BACKLOG, { dueInSeconds: -60 });
      const withBad = await measure('with_bad', forSeconds);
      await point([]);
      await forget(town.down);
      await point(goodUrls('down', badCount));
      await filler.addWaiting(idsOf(town.overdue), options.backlog, { dueInSeconds: -60 });
      const withBacklog = await measure('with_backlog', forSeconds);
      await forget(town.overdue);
      return { without, with_bad: withBad, with_backlog: withBacklog };
    };
    // Warm-up: first-time work is slow in a process, for failed deliveries as well as for successful ones.
    await measureRound(WARM_UP_SECONDS);
    return takeTurns(repetitions, () => measureRound(seconds));
  });
  // One measurement's p99 depends on few webhooks, so the comparison combines all rounds.
  const latencies: Record<Kind, number[]> = { without: [], with_bad: [], with_backlog: [] };
  for (const round of rounds) {
    for (const kind of KINDS) {
      const { undisturbedMs, sent, cpu } = round[kind];
      report.addLatencies(`fairness.${kind}`, undisturbedMs, sent);
      report.addCpu(`fairness.${kind}`, cpu, RATE_PER_SECOND * seconds);
      latencies[kind].push(...undisturbedMs);
    }
  }
  const p99Of = (kind: Kind): number => percentile(Float64Array.from(latencies[kind]), 0.99);
  const aloneMs = p99Of('without');
  report.add('fairness.ratio', 'of all healthy', p99Of('with_bad') / aloneMs);
  report.add('fairness.backlog.ratio', 'of all healthy', p99Of('with_backlog') / aloneMs);
}

function idsOf(town: readonly TownRestaurant[]): string[] {
  return town.map(({ id }) => id);
}

async function startBadReceivers(site: Site): Promise<BadReceivers> {
  const names = ['tardy', 'bad'].map(certificateNameOf);
  const trusted = await issueServerCertificate(site.authority, { names, now: Date.now() });
  const untrusted = await issueSelfSignedCertificate({ names, now: Date.now() });
  return site.start<BadReceiverCommands>('bad-receivers-process.ts').ask('start', { trusted, untrusted });
}

/** Cycles through the kinds of bad endpoints, each under its own hostname; the last kind's name never resolves. */
function badUrls(receivers: BadReceivers, count: number): string[] {
  const { hanging, dripping, untrusted, silent, refused } = receivers;
  const ports = [hanging, dripping, untrusted, silent, refused];
  return hostnamesOf('bad', count).map((hostname, index) => {
    const port = ports[index % (ports.length + 1)];
    return port === undefined
      ? `https://restaurant-${index}.slow-name.test/webhooks/status`
      : `https://${hostname}:${port}/webhooks/status`;
  });
}

interface Measurement {
  site: Site;
  node: Child<NodeCommands>;
  meters: Record<string, Meter>;
  town: Town;
  /** Whether webhooks to restaurants whose receiver will fail arrive too. */
  areAllHealthy: boolean;
}

interface Measured {
  undisturbedMs: Float64Array;
  sent: number;
  cpu: CpuUse;
}

/** Latency from commit to receiver, for the healthy restaurants' webhooks only. */
async function measureHealthy(
  { site, node, meters, town, areAllHealthy }: Measurement,
  seconds: number,
): Promise<Measured> {
  const { healthy, down } = town;
  const all = [...healthy, ...down];
  const rounds = Math.max(1, Math.round((RATE_PER_SECOND * seconds) / all.length));
  // One extra webhook per restaurant opens a connection that outlives the measurement. Otherwise opening hundreds of
  // connections would dominate the figures.
  await site.receiver.ask('hangUp');
  await node.ask('placeOrdersAcross', {
    restaurantIds: all.map(({ restaurantId }) => restaurantId),
    count: (1 + rounds) * all.length,
  });
  const reached = areAllHealthy ? all : healthy;
  const expected = { count: (1 + rounds) * reached.length, keepsArrivals: true, ...secretsOf(reached) };
  await site.receiver.ask('expect', expected);
  await node.ask('approveAtRate', { ratePerSecond: GREETINGS_PER_SECOND, count: all.length });
  const stolen = new StolenTime();
  stolen.start();
  const { result, cpu } = await measureCpu(meters, () =>
    Promise.all([
      node.ask('approveAtRate', { ratePerSecond: RATE_PER_SECOND, count: rounds * all.length }),
      site.receiver.ask('complete', ARRIVAL_LIMIT_MS),
    ]),
  );
  stolen.stop();
  const [commits, { arrivals }] = result;
  const arrivedAtMs = new Map(arrivals);
  const looked = new Set(healthy.map(({ restaurantId }) => restaurantId));
  const spans = commits
    .filter(({ restaurantId }) => looked.has(restaurantId))
    .map(({ orderId, committedAtMs: fromMs }) => ({ fromMs, toMs: arrivedAtMs.get(orderId) ?? Number.NaN }));
  const undisturbed = spans.filter(({ fromMs, toMs }) => stolen.isUndisturbed(fromMs, toMs));
  return {
    undisturbedMs: Float64Array.from(undisturbed, ({ fromMs, toMs }) => toMs - fromMs),
    sent: spans.length,
    cpu,
  };
}

/** Deletes deliveries so that none is due in a later measurement: unleased ones first, then those in flight. */
export async function forgetDeliveries(
  { client, node }: { client: Client; node: Child<NodeCommands> },
  town: readonly TownRestaurant[],
): Promise<void> {
  const forget = (): Promise<unknown> =>
    client.query('delete from deliveries where leased_by is null and restaurant_id = any($1::uuid[])', [idsOf(town)]);
  await forget();
  await node.ask('settle');
  await forget();
}
