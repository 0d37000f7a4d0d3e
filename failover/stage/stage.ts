// An installation on the cluster: a database of its own, three nodes behind HAProxy, receivers, and the load.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildApp, type App } from '../../src/app.ts';
import { createPlatform, silentLog } from '../../src/platform.ts';
import { issueServerCertificate } from '../../src/robots/certificates.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { answersWell, gatherEvidence, type Evidence, type Span } from '../../harness/evidence/evidence.ts';
import { startFaultProxy, type FaultProxy } from '../../harness/network/connection-proxy.ts';
import { withClient } from '../../harness/postgres/cluster.ts';
import { startProgram, type Program } from '../../harness/program.ts';
import { getTestAuthority } from '../../harness/receivers/receiver.ts';
import type { ReceiversSettings } from '../../harness/receivers/receivers-process.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { startNodeBalancer, type NodeBalancer } from '../cluster/balancers.ts';
import { queryMember } from '../cluster/cluster.ts';
import { findFreePorts } from '../cluster/ports.ts';
import { until } from '../cluster/until.ts';
import { foundWithApp, foundWithCommands, RECEIVERS, type Founded, type StageReceiver } from './founding.ts';
import type { LoadOrder, LoadSettings, LoadTotals } from './load-process.ts';
import { placeNodes } from './node-places.ts';
import { NODE_NAMES, Nodes } from './nodes.ts';
import type { StageOptions } from './stage-options.ts';

const READY = { limitMs: 60_000, pollMs: 200 };
const DRAINED_WITHIN_MS = 60_000;
const FINISH_LIMIT_MS = 60_000;

export class Stage {
  readonly options: StageOptions;
  readonly folder: string;
  readonly nodes: Nodes;
  /** In front of the database connections of one node. */
  readonly databaseLine: FaultProxy;
  readonly orderlyStops: Span[] = [];
  receivers: StageReceiver[] = [];
  /** Whether all that was begun was acknowledged soon after the last event. */
  isSettled = true;
  totals: LoadTotals = { delivered: 0, abandoned: 0 };
  readonly #balancer: NodeBalancer;
  readonly #masterKey: Buffer;
  readonly #closings: (() => unknown)[];
  #load: Program<unknown> | undefined;

  private constructor(
    made: Pick<Stage, 'options' | 'folder' | 'nodes' | 'databaseLine'>,
    more: { balancer: NodeBalancer; masterKey: Buffer; closings: (() => unknown)[] },
  ) {
    this.options = made.options;
    this.folder = made.folder;
    this.nodes = made.nodes;
    this.databaseLine = made.databaseLine;
    this.#balancer = more.balancer;
    this.#masterKey = more.masterKey;
    this.#closings = more.closings;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const { cluster, name, program } = options;
    const closings: (() => unknown)[] = [];
    try {
      const folder = path.join(cluster.folder, name);
      await mkdir(folder);
      await queryMember(await cluster.getPrimary(), `create database ${name}`);
      if (!program.isPrevious) await migrate(cluster.urlOf(name));
      await withClient(cluster.urlOf(name), async (client) => {
        for (const statement of options.statements ?? []) await client.query(statement);
      });
      const target = new URL(cluster.urlOf(name));
      const databaseLine = await startFaultProxy({
        listen: { host: '127.0.0.1', port: 0 },
        findTarget: () => ({ host: target.hostname, port: Number(target.port) }),
      });
      closings.push(() => databaseLine.close());
      const [balancerPort = 0, ...nodePorts] = await findFreePorts(1 + NODE_NAMES.length);
      const masterKey = randomBytes(32);
      const places = await placeNodes({ options, folder, masterKey, nodePorts, linePort: databaseLine.port });
      const balancer = await startNodeBalancer(
        { folder, programs: cluster.programs },
        { port: balancerPort, nodes: places },
      );
      closings.push(() => balancer.stop());
      const nodes = new Nodes(places, balancer, program);
      closings.push(() => nodes.killAll());
      const stage = new Stage({ options, folder, nodes, databaseLine }, { balancer, masterKey, closings });
      await stage.#set();
      return stage;
    } catch (error) {
      for (const close of closings.toReversed()) await close();
      throw error;
    }
  }

  get historyFile(): string {
    return path.join(this.folder, 'clients.jsonl');
  }

  get answersFile(): string {
    return path.join(this.folder, 'answers.jsonl');
  }

  get #receiverFile(): string {
    return path.join(this.folder, 'receivers.jsonl');
  }

  async #set(): Promise<void> {
    const ports = await this.#startReceivers();
    const { receivers, ...customers } = await this.#found(ports);
    this.receivers = receivers;
    await Promise.all(NODE_NAMES.map((name) => this.nodes.start(name)));
    await this.waitUntilReady();
    const { seed, ordersPerSecond } = this.options;
    const { historyFile, answersFile } = this;
    const load: LoadSettings = {
      ...customers,
      historyFile,
      answersFile,
      seed,
      ordersPerSecond,
      port: this.#balancer.port,
    };
    this.#load = await startProgram('../failover/stage/load-process.ts', {
      WAYBILL_FAILOVER_LOAD: JSON.stringify(load),
    });
    const { child } = this.#load;
    this.#closings.push(() => child.kill('SIGKILL'));
  }

  #found(ports: Record<string, number>): Promise<Founded> {
    const { program } = this.options;
    if (!program.isPrevious) return this.#withAdmin((admin) => foundWithApp(admin, ports));
    return foundWithCommands(program.main, this.nodes.settingsOf(NODE_NAMES[0]), ports);
  }

  async #startReceivers(): Promise<Record<string, number>> {
    const authority = await getTestAuthority();
    const { chainPem, privateKeyPem } = await issueServerCertificate(authority, {
      names: ['localhost'],
      now: Date.now(),
    });
    const settings: ReceiversSettings = {
      file: this.#receiverFile,
      certificate: { cert: chainPem, key: privateKeyPem },
      seed: this.options.seed,
      receivers: [...RECEIVERS],
    };
    const program = await startProgram<Record<string, number>>('receivers/receivers-process.ts', {
      WAYBILL_CHAOS_RECEIVERS: JSON.stringify(settings),
    });
    this.#closings.push(() => program.child.kill('SIGKILL'));
    return program.ready;
  }

  setRate(ordersPerSecond: number): void {
    this.#load?.child.send({ kind: 'rate', ordersPerSecond } satisfies LoadOrder);
  }

  /** All nodes that should be running take orders. */
  async waitUntilReady(): Promise<void> {
    await until('all nodes are ready', READY, () => this.nodes.areReady());
  }

  /** The clients finish what they began, the webhooks arrive, and everything is read. */
  async conclude({ drainedWithinMs = DRAINED_WITHIN_MS } = {}): Promise<Evidence> {
    await this.#finishLoad();
    return this.#withAdmin(async (admin) => {
      const isDrained = await this.#drain(admin, drainedWithinMs);
      await this.nodes.killAll();
      return gatherEvidence(
        {
          admin,
          clientFile: this.historyFile,
          receiverFile: this.#receiverFile,
          receivers: this.receivers,
          crashes: this.nodes.crashes,
          clockSpeed: { factor: 1 },
          clockSteps: [],
          orderlyStops: this.orderlyStops,
        },
        isDrained,
      );
    });
  }

  async #finishLoad(): Promise<void> {
    const child = this.#load?.child;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.once('message', (totals: LoadTotals) => (this.totals = totals));
    child.send({ kind: 'finish' } satisfies LoadOrder);
    const isLate = await Promise.race([exited.then(() => false), pause(FINISH_LIMIT_MS, true, { ref: false })]);
    this.isSettled = !isLate;
    if (isLate) child.kill('SIGKILL');
  }

  /** Waits for the webhooks to receivers that answer well. */
  async #drain(admin: App, withinMs: number): Promise<boolean> {
    const good = this.receivers.filter(answersWell).map(({ id }) => id);
    const endsAtMs = performance.now() + withinMs;
    while (performance.now() < endsAtMs) {
      const [row] = await admin.db.query<{ count: string }>(
        'select count(*) from deliveries where restaurant_id = any($1::uuid[])',
        [good],
      );
      if (Number(row?.count) === 0) return true;
      await pause(200);
    }
    return false;
  }

  /** Direct access to the database, as the service itself has it. */
  async #withAdmin<Result>(work: (admin: App) => Promise<Result>): Promise<Result> {
    const { cluster, name } = this.options;
    const admin = buildApp({
      config: testConfig({ roles: ['plan'] }),
      databaseUrl: cluster.urlOf(name),
      masterKey: this.#masterKey,
      platform: createPlatform(silentLog),
    });
    try {
      return await work(admin);
    } finally {
      await admin.stop();
    }
  }

  async close(): Promise<void> {
    for (const close of this.#closings.toReversed()) await close();
  }
}
