// The environment of a run: PostgreSQL, three nodes, receivers and clients in separate processes, and a proxy on each
// connection between them. Faults act on it; the checks read its state at the end.
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addCourier } from '../../src/actions/couriers/add-courier.ts';
import { buildApp, type App } from '../../src/app.ts';
import { createPlatform } from '../../src/platform.ts';
import { issueServerCertificate } from '../../src/robots/certificates.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import type { Damage } from '../../harness/nodes/sender-damage.ts';
import { createFastClock, type ClockSpeed } from '../../harness/clocks/fast-clock.ts';
import type { NodeMistake } from '../../harness/nodes/mistakes.ts';
import { startNode, type NodeProcess } from '../../harness/nodes/node.ts';
import { getTestAuthority } from '../../harness/receivers/receiver.ts';
import { addTestRestaurant, type TestRestaurant } from '../../harness/service/restaurant.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import type { ClientsSettings } from './clients-process.ts';
import { answersWell, type ClockStep, type Span } from '../../harness/evidence/evidence.ts';
import { startFaultProxy, type FaultProxy } from '../../harness/network/connection-proxy.ts';
import { Postgres } from '../../harness/postgres/breakable-postgres.ts';
import { startProgram, type Program } from '../../harness/program.ts';
import type { ReceiversSettings, Temper } from '../../harness/receivers/receivers-process.ts';

export interface StageOptions {
  seed: number;
  /** The database's folder; by default inside the run's own folder. */
  dataDir?: string;
  /** One per node. */
  damages?: readonly Damage[];
  mistake?: NodeMistake;
  splitForMs?: number;
  /** Minimum response time of the slow receiver. */
  slowMs?: number;
  /** Variables that load libfaketime, for every process that reads the wall clock. */
  clockEnv?: Record<string, string>;
}

export interface StageReceiver extends TestRestaurant {
  name: string;
  temper: Temper;
}

/** A place for a node: its successors are reached through the same two ports. */
interface Slot {
  node: NodeProcess | undefined;
  api: FaultProxy;
  commands: FaultProxy;
}

const NODES = 3;
const POSTERS = 4;
/** With this factor the first retry delay takes 1 second and the fourth takes 1 minute. */
const FACTOR = 60;

export class Stage {
  readonly options: StageOptions;
  readonly clockSpeed: ClockSpeed = { since: Date.now(), factor: FACTOR };
  readonly folder: string;
  readonly postgres: Postgres;
  readonly admin: App;
  readonly database: FaultProxy;
  receivers: StageReceiver[] = [];
  slots: Slot[] = [];
  repeats = 0;
  /** Nodes that exited unexpectedly. */
  readonly crashes: string[] = [];
  readonly clockSteps: ClockStep[] = [];
  /** Periods in which nodes were stopped gracefully and no other fault occurred. */
  readonly orderlyStops: Span[] = [];
  #masterKey: Buffer;
  #databaseUrl: string;
  #receivers: Program<Record<string, number>> | undefined;
  #clients: Program<unknown> | undefined;

  private constructor(made: Pick<Stage, 'options' | 'folder' | 'postgres' | 'database'>, databaseUrl: string) {
    this.options = made.options;
    this.folder = made.folder;
    this.postgres = made.postgres;
    this.database = made.database;
    this.#databaseUrl = databaseUrl;
    this.#masterKey = randomBytes(32);
    const { since, factor } = this.clockSpeed;
    this.admin = buildApp({
      config: testConfig({ roles: ['plan'] }),
      databaseUrl: made.postgres.url,
      masterKey: this.#masterKey,
      platform: createPlatform(undefined, createFastClock({ since, factor })),
    });
  }

  static async open(options: StageOptions): Promise<Stage> {
    const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-'));
    const postgres = await Postgres.start(options.dataDir ?? path.join(folder, 'data'));
    await migrate(postgres.url);
    const socketFolder = path.join(folder, 'line');
    await mkdir(socketFolder);
    const { folder: realFolder, file } = postgres.socket;
    const database = await startFaultProxy({
      listen: { path: path.join(socketFolder, file) },
      findTarget: () => ({ path: path.join(realFolder, file) }),
    });
    const url = new URL(postgres.url);
    url.searchParams.set('host', socketFolder);
    const stage = new Stage({ options, folder, postgres, database }, url.href);
    await stage.#set();
    return stage;
  }

  get receiverFile(): string {
    return path.join(this.folder, 'receivers.jsonl');
  }

  get clientFile(): string {
    return path.join(this.folder, 'clients.jsonl');
  }

  async #set(): Promise<void> {
    const tempers: Temper[] = ['good', 'slow', 'failing', 'hostile'];
    const receivers = tempers.map((temper, index) => ({ name: `receiver-${index}`, temper }));
    const authority = await getTestAuthority();
    const certificate = await issueServerCertificate(authority, { names: ['localhost'], now: Date.now() });
    const settings: ReceiversSettings = {
      file: this.receiverFile,
      certificate: { cert: certificate.chainPem, key: certificate.privateKeyPem },
      seed: this.options.seed,
      receivers,
      ...(this.options.slowMs !== undefined && { slowMs: this.options.slowMs }),
    };
    this.#receivers = await startProgram('receivers/receivers-process.ts', {
      ...this.options.clockEnv,
      WAYBILL_CHAOS_RECEIVERS: JSON.stringify(settings),
    });
    const ports = this.#receivers.ready;
    for (const receiver of receivers) {
      const registered = { url: (urlPath: string) => `https://localhost:${ports[receiver.name]}${urlPath}` };
      const restaurant = await addTestRestaurant(this.admin, {
        receiver: registered,
        hasSecret: true,
        autoApprove: true,
        // A week on the fast clock: the System must not cancel an order that a client is still working on.
        courierWaitLimitMinutes: 7 * 24 * 60,
      });
      this.receivers.push({ ...receiver, ...restaurant });
    }
    for (let index = 0; index < NODES; index += 1) {
      const portOf = (address: string | undefined) =>
        address === undefined ? undefined : { host: '127.0.0.1', port: Number(new URL(address).port) };
      const listen = { host: '127.0.0.1', port: 0 };
      const slot: Slot = {
        node: undefined,
        api: await startFaultProxy({ listen, findTarget: () => portOf(slot.node?.address) }),
        commands: await startFaultProxy({ listen, findTarget: () => portOf(slot.node?.commandAddress) }),
      };
      this.slots.push(slot);
    }
    await Promise.all(this.slots.map((_, index) => this.startNode(index)));
  }

  async startNode(index: number): Promise<void> {
    const { damages, mistake, splitForMs, clockEnv } = this.options;
    const damage = damages?.[index];
    const node = await startNode({
      databaseUrl: this.#databaseUrl,
      masterKey: this.#masterKey,
      clockSpeed: this.clockSpeed,
      ...(clockEnv && { env: clockEnv }),
      ...(damage && { damage }),
      ...(mistake && { mistake }),
      ...(splitForMs !== undefined && { splitForMs }),
    });
    const slot = this.#slot(index);
    slot.node = node;
    void this.#noticeCrash(index, node);
  }

  async #noticeCrash(index: number, node: NodeProcess): Promise<void> {
    await node.ended;
    if (this.#slot(index).node !== node) return;
    this.crashes.push(`node ${index} crashed`);
    await this.startNode(index);
  }

  /** Kills the node immediately; clients get connection errors until a new one is started. */
  async killNode(index: number): Promise<void> {
    const slot = this.#slot(index);
    const { node } = slot;
    slot.node = undefined;
    await node?.kill();
  }

  async stopNode(index: number): Promise<void> {
    const slot = this.#slot(index);
    const { node } = slot;
    slot.node = undefined;
    await node?.stop();
  }

  async startLoad(): Promise<void> {
    const added = await addCourier(this.admin, {
      name: 'Ada',
      phone: null,
      latitude: null,
      longitude: null,
      restaurantId: null,
      onDuty: true,
      actor: { name: 'chaos' },
    });
    if (added.kind === 'refused') throw new Error(added.refusal.code);
    const settings: ClientsSettings = {
      file: this.clientFile,
      seed: this.options.seed,
      nodes: this.slots.map(({ api, commands }) => ({
        address: `http://127.0.0.1:${api.port}`,
        commandAddress: `http://127.0.0.1:${commands.port}`,
      })),
      restaurants: this.receivers.map(({ restaurantId, apiKey }) => ({ restaurantId, apiKey })),
      courierId: added.courier.id,
      postersPerRestaurant: POSTERS,
    };
    this.#clients = await startProgram('../chaos/stage/clients-process.ts', {
      WAYBILL_CHAOS_CLIENTS: JSON.stringify(settings),
    });
  }

  /** Lets the clients finish their current orders. */
  async stopLoad(): Promise<void> {
    const child = this.#clients?.child;
    if (child === undefined || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.once('message', (last: { repeats: number }) => (this.repeats = last.repeats));
    child.send('finish');
    await exited;
  }

  /** Waits until the good receivers have all their deliveries; returns false on timeout. */
  async drain(withinMs: number): Promise<boolean> {
    const good = this.receivers.filter(answersWell).map((receiver) => receiver.id);
    const until = performance.now() + withinMs;
    while (performance.now() < until) {
      const [row] = await this.admin.db.query<{ count: string }>(
        'select count(*) from deliveries where restaurant_id = any($1::uuid[])',
        [good],
      );
      if (Number(row?.count) === 0) return true;
      await pause(200);
    }
    return false;
  }

  /** Stops all activity, so the data does not change while it is read. */
  async stopNodes(): Promise<void> {
    await Promise.all(this.slots.map((_, index) => this.killNode(index)));
  }

  async close(): Promise<void> {
    this.#clients?.child.kill('SIGKILL');
    this.#receivers?.child.kill('SIGKILL');
    await this.stopNodes();
    for (const slot of this.slots) await Promise.all([slot.api.close(), slot.commands.close()]);
    await this.database.close();
    await this.admin.stop();
    await this.postgres.stop();
    for (const folder of [this.folder, this.options.dataDir ?? this.folder]) {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #slot(index: number): Slot {
    const slot = this.slots[index];
    if (slot === undefined) throw new Error(`There is no node ${index}`);
    return slot;
  }
}
