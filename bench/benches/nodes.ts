// What more nodes and more processes of a node bring on one machine: orders taken, webhooks delivered, and the
// connections to the database that each node opens for it.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { measureCpu, readCpuSeconds, readTreeCpuSeconds } from '../../harness/measure/cpu-time.ts';
import { median } from '../../harness/measure/statistics.ts';
import { takeTurns } from '../../harness/measure/stolen-time.ts';
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import type { Child } from '../processes/child.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { orderLoad } from '../processes/orders.ts';
import { serveNodes, type ServedNodes } from '../processes/served-nodes.ts';
import type { Report } from '../report/report.ts';
import { openSite, type Site } from '../stage/stage.ts';

interface Shape {
  nodes: number;
  workers: number;
}

const SHAPES: readonly Shape[] = [1, 2, 3].flatMap((nodes) => [1, 2].map((workers) => ({ nodes, workers })));

/** Of all nodes together, so that each shape gets the same load. */
const CONNECTIONS = 252;
const ARRIVAL_LIMIT_MS = 100_000;
const LOOK_INTERVAL_MS = 100;
const RATE_LIMIT = '1000000';

interface Till {
  restaurantId: string;
  apiKey: string;
  secret: string;
}

interface Measured {
  ordersPerSecond: number;
  webhooksPerSecond: number;
  connectionsPerNode: number;
}

export interface NodesOptions {
  undo: UndoList;
  repetitions: number;
  seconds: number;
  /** Webhooks to deliver in each repetition. */
  webhooks: number;
  say: (line: string) => void;
}

export async function benchNodes(report: Report, options: NodesOptions): Promise<void> {
  const { undo, repetitions, say } = options;
  const site = await openSite({ undo });
  const settings = await settingsFor(site);
  const manual = await addTill(site, { settings, name: 'manual', isAutoApproving: false });
  const quick = await addTill(site, { settings, name: 'quick', isAutoApproving: true });
  const generator = site.start<LoadCommands>('load-process.ts');
  const taken = new Map<Shape, Measured[]>(SHAPES.map((shape) => [shape, []]));
  const measure = async (shape: Shape): Promise<Measured> => {
    const { folder } = site.cluster;
    const served = await serveNodes({ count: shape.nodes, workers: shape.workers, settings, folder, undo });
    const bench = { ...options, site, served, generator, report };
    const measured = await measureShape(bench, { manual, quick, prefix: prefixOf(shape) });
    await served.stop();
    return measured;
  };
  // Each shape in turn, because the speed of the machine changes from minute to minute.
  const turns = await takeTurns(repetitions, async () => {
    for (const shape of SHAPES) taken.get(shape)?.push(await measure(shape));
  });
  say(describe(taken, turns.length));
}

interface ShapeBench extends NodesOptions {
  site: Site;
  served: ServedNodes;
  generator: Child<LoadCommands>;
  report: Report;
}

async function measureShape(
  { site, served, generator, report, seconds, webhooks }: ShapeBench,
  { manual, quick, prefix }: { manual: Till; quick: Till; prefix: string },
): Promise<Measured> {
  const { nodes } = served;
  const connections = Math.floor(CONNECTIONS / nodes.length);
  const eachNode = <Result>(ask: (address: string) => Promise<Result>): Promise<Result[]> =>
    Promise.all(nodes.map(({ address }) => ask(address)));
  const take = (forSeconds: number) =>
    eachNode((address) => generator.ask('closed', { ...orderLoad(address, manual), seconds: forSeconds, connections }));
  const deliver = async (count: number): Promise<number> => {
    const share = Math.floor(count / nodes.length);
    await site.receiver.ask('expect', { secret: quick.secret, count: share * nodes.length, keepsArrivals: false });
    const [sent, { lastAtMs }] = await Promise.all([
      eachNode((address) => generator.ask('counted', { ...orderLoad(address, quick), count: share, connections })),
      site.receiver.ask('complete', ARRIVAL_LIMIT_MS),
    ]);
    return (share * nodes.length * 1_000) / (lastAtMs - Math.min(...sent.map(({ startedAtMs }) => startedAtMs)));
  };
  // Warm-up: at first, much code is not compiled yet.
  await take(seconds);
  const peak = watchConnections(site.cluster.url);
  const meters = {
    service: async () => {
      const read = await Promise.all(nodes.map(({ pid }) => readTreeCpuSeconds(pid)));
      return read.reduce((sum: number, value) => sum + (value ?? 0), 0);
    },
    postgres: site.cluster.meter,
    generator: () => readCpuSeconds(generator.pid),
  };
  const { result: answered, cpu } = await measureCpu(meters, () => take(seconds));
  const ordersPerSecond = answered.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const webhooksPerSecond = await deliver(webhooks);
  const connectionsPerNode = (await peak.stop()) / nodes.length;
  report.add(`${prefix}.intake.rate`, 'orders/s', ordersPerSecond);
  report.addCpu(
    `${prefix}.intake`,
    cpu,
    answered.reduce((sum, one) => sum + one.answered, 0),
  );
  report.add(`${prefix}.delivery.rate`, 'webhooks/s', webhooksPerSecond);
  report.add(`${prefix}.connections`, 'per node', connectionsPerNode);
  return { ordersPerSecond, webhooksPerSecond, connectionsPerNode };
}

function prefixOf({ nodes, workers }: Shape): string {
  return `nodes.${nodes}x${workers}`;
}

async function settingsFor({ cluster, caPem }: Site): Promise<Record<string, string>> {
  const caFile = path.join(cluster.folder, 'authority.pem');
  await writeFile(caFile, caPem);
  return {
    DATABASE_URL: cluster.url,
    WAYBILL_MASTER_KEY: randomBytes(32).toString('base64'),
    WAYBILL_DATA_DIR: cluster.folder,
    // Without planning, because there are thousands of orders and no couriers.
    WAYBILL_ROLES: 'api,deliver',
    WAYBILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WAYBILL_WEBHOOK_CA_FILE: caFile,
  };
}

async function addTill(
  site: Site,
  { settings, name, isAutoApproving }: { settings: Record<string, string>; name: string; isAutoApproving: boolean },
): Promise<Till> {
  const restaurant = ['--restaurant', name];
  const named = ['--name', name, '--restaurant-id', name, '--rate-limit', RATE_LIMIT];
  const approving = isAutoApproving ? ['--auto-approve'] : [];
  await command(settings, ['restaurant', 'add', ...named, ...approving]);
  const { apiKey } = await command(settings, ['key', 'create', ...restaurant]);
  const url = site.webhookUrlAt('localhost');
  await command(settings, ['webhook', 'set', ...restaurant, '--status-url', url, '--cancel-url', url]);
  const { secret } = await command(settings, ['webhook', 'secret', ...restaurant]);
  return { restaurantId: name, apiKey: String(apiKey), secret: String(secret) };
}

async function command(settings: Record<string, string>, words: readonly string[]): Promise<Record<string, unknown>> {
  const said = { out: '', error: '' };
  const code = await runCommandLine([...words, '--json'], {
    env: settings,
    out: (text) => (said.out += text),
    error: (text) => (said.error += text),
  });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${said.error}`);
  return JSON.parse(said.out) as Record<string, unknown>;
}

/** The most connections that all nodes had at the same time. */
function watchConnections(url: string): { stop(): Promise<number> } {
  const watch = { isOver: false };
  const watched = withClient(url, async (client) => {
    let most = 0;
    while (!watch.isOver) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where application_name like 'waybill%'`,
      );
      most = Math.max(most, rows[0]?.count ?? 0);
      await pause(LOOK_INTERVAL_MS);
    }
    return most;
  });
  return {
    stop() {
      watch.isOver = true;
      return watched;
    },
  };
}

/** As docs/high-availability.md shows it. */
function describe(taken: ReadonlyMap<Shape, readonly Measured[]>, turns: number): string {
  const show = (values: readonly number[]): string => Math.round(median(values)).toLocaleString('en-US');
  const rows = [...taken].map(([{ nodes, workers }, measured]) => {
    const orders = show(measured.map((one) => one.ordersPerSecond));
    const webhooks = show(measured.map((one) => one.webhooksPerSecond));
    const connections = show(measured.map((one) => one.connectionsPerNode));
    return `| ${nodes} | ${workers} | ${orders} | ${webhooks} | ${connections} |`;
  });
  return [
    `Medians of ${turns} turns:`,
    '',
    '| nodes | `WAYBILL_WORKERS` | orders/s | orders with webhook/s | connections per node |',
    '| ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}
