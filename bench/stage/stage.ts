// Everything a bench runs against: its own database, a node, a receiver and the baselines. Each is a separate process
// on loopback and ends with the bench.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createAuthority, issueServerCertificate, type Authority } from '../../src/robots/certificates.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { startChild, type Child } from '../processes/child.ts';
import { openCluster, type Cluster, type UndoList } from '../../harness/postgres/cluster.ts';
import type { Commands } from '../processes/messages.ts';
import { readCpuSeconds, type Meter } from '../../harness/measure/cpu-time.ts';
import type { BenchRestaurant, NodeCommands, NodeSetup } from '../processes/node-process.ts';
import type { ReceiverCommands } from '../processes/receiver-process.ts';

/** For benches that start and stop nodes themselves. */
export interface Site {
  cluster: Cluster;
  authority: Authority;
  caPem: string;
  receiver: Child<ReceiverCommands>;
  /** The receiver's webhook URL under one of its hostnames. */
  webhookUrlAt(hostname: string): string;
  /** Starts another process that ends with the bench. */
  start<Known extends Commands>(file: string): Child<Known>;
  startNode(options?: NodeOptions): Promise<BenchNode>;
}

export interface NodeOptions extends Partial<
  Pick<NodeSetup, 'databaseUrl' | 'roles' | 'nameServer' | 'workers' | 'port'>
> {
  profileFolder?: string | undefined;
}

export interface BenchNode {
  node: Child<NodeCommands>;
  address: string;
  stop(): Promise<void>;
}

export interface Stage extends Site {
  databaseUrl: string;
  /** The service, in the requested number of processes on one port. */
  nodes: readonly [Child<NodeCommands>, ...Child<NodeCommands>[]];
  address: string;
  webhookUrl: string;
  addRestaurant(wanted: { isAutoApproving: boolean }): Promise<BenchRestaurant>;
  /** Resolves when every webhook created so far is delivered and recorded. */
  settle(): Promise<void>;
  meters: { service: Meter; postgres: Meter; receiver: Meter };
}

export interface SiteOptions {
  undo: UndoList;
  /** Hostnames in the receiver's certificate, in addition to localhost. */
  receiverNames?: readonly string[];
}

export interface StageOptions extends SiteOptions {
  /** Number of service processes, as set by WAYBILL_WORKERS. */
  processes: number;
  /** Output folder for a CPU profile of the node. */
  profileFolder?: string | undefined;
}

export async function openSite({ undo, receiverNames = [] }: SiteOptions): Promise<Site> {
  const cluster = await openCluster(undo);
  await migrate(cluster.url);
  const authority = await createAuthority('Waybill bench authority', { now: Date.now() });
  const caPem = authority.certificatePem;
  const certificate = await issueServerCertificate(authority, {
    names: ['localhost', ...receiverNames],
    now: Date.now(),
  });
  const start = <Known extends Commands>(file: string): Child<Known> => {
    const child = startChild<Known>(file);
    undo.push(() => child.stop());
    return child;
  };
  const receiver = start<ReceiverCommands>('receiver-process.ts');
  const { chainPem, privateKeyPem } = certificate;
  const port = await receiver.ask('start', { chainPem, privateKeyPem });
  const setup = {
    databaseUrl: cluster.url,
    masterKey: randomBytes(32).toString('hex'),
    caPem,
    logFile: path.join(cluster.folder, 'waybill.log'),
  };
  return {
    cluster,
    authority,
    caPem,
    receiver,
    webhookUrlAt: (hostname) => `https://${hostname}:${port}/webhooks/status`,
    start,
    async startNode({ profileFolder, ...options } = {}) {
      const node = startChild<NodeCommands>('node-process.ts', { profileFolder });
      const stop = async (): Promise<void> => {
        await node.ask('stop').catch(() => undefined);
        await node.stop();
      };
      undo.push(stop);
      return { node, address: await node.ask('start', { ...setup, ...options }), stop };
    },
  };
}

export async function openStage({ profileFolder, processes: workers, ...options }: StageOptions): Promise<Stage> {
  const site = await openSite(options);
  const first = await site.startNode({ profileFolder, workers });
  const { address } = first;
  const nodes: [Child<NodeCommands>, ...Child<NodeCommands>[]] = [first.node];
  while (nodes.length < workers) {
    nodes.push((await site.startNode({ workers, port: Number(new URL(address).port) })).node);
  }
  const webhookUrl = site.webhookUrlAt('localhost');
  return {
    ...site,
    databaseUrl: site.cluster.url,
    nodes,
    address,
    webhookUrl,
    async addRestaurant(wanted) {
      const added = await first.node.ask('addRestaurant', { ...wanted, webhookUrl });
      for (const node of nodes.slice(1)) await node.ask('meetRestaurant', added.restaurant);
      return added;
    },
    async settle() {
      await Promise.all(nodes.map((node) => node.ask('settle')));
    },
    meters: {
      service: sumOf(nodes.map((node) => () => readCpuSeconds(node.pid))),
      postgres: site.cluster.meter,
      receiver: () => readCpuSeconds(site.receiver.pid),
    },
  };
}

function sumOf(meters: readonly Meter[]): Meter {
  return async () => {
    const read = await Promise.all(meters.map((meter) => meter()));
    return read.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
  };
}
