// THE wiring: everything that works together in one node is built here and nowhere else.
import type { FastifyInstance } from 'fastify';
import { createRequestAdmission } from './actions/admit-request.ts';
import { createOrderChanger, type OrderChanger } from './actions/change-order.ts';
import { expireOrders } from './actions/expire-orders.ts';
import { closedOutbox, type Outbox } from './actions/outbox.ts';
import { createOrderPlacer, type OrderPlacer } from './actions/place-order.ts';
import type { Config } from './config.ts';
import type { OrderState } from './domain/order.ts';
import { createCredentialCache } from './http/credential-cache.ts';
import { createLivePage } from './http/live-page.ts';
import type { LiveSource } from './http/live-stream.ts';
import { createMetrics } from './http/metrics.ts';
import { createServer } from './http/server.ts';
import type { Platform } from './platform.ts';
import { openDatabase, type Database } from './store/database.ts';
import { DUE_CHANNEL } from './store/deliveries.ts';
import { readGauges } from './store/gauges.ts';
import { auditNewestEvents } from './store/no-loss-audit.ts';
import { insertPlacedOrders, updateOrders } from './store/order-writes.ts';
import { everyMs, Supervisor, type Worker } from './supervisor.ts';
import { DeliveryEngine } from './webhooks/engine.ts';
import { Presence } from './webhooks/presence.ts';
import { AttemptRecorder } from './webhooks/recorder.ts';
import { createSender, type Sender } from './webhooks/sender.ts';
import { TargetBook } from './webhooks/targets.ts';
import { createVault, type Vault } from './vault.ts';

export type AppConfig = Pick<Config, 'host' | 'port' | 'roles' | 'environment' | 'webhookAllowCidrs' | 'webhookCa'>;

export interface AppSetup {
  config: AppConfig;
  databaseUrl: string;
  masterKey: Buffer;
  platform: Platform;
  /** With the demo alone: every order is then shown at `/`, to whoever opens it. */
  live?: LiveSource | undefined;
  /** What a test replaces in order to break it on purpose. */
  parts?: { insertPlaced?: typeof insertPlacedOrders; updateOrders?: typeof updateOrders };
}

export interface App extends Platform {
  config: AppConfig;
  databaseUrl: string;
  db: Database;
  vault: Vault;
  placer: OrderPlacer;
  changer: OrderChanger;
  sender: Sender;
  engine: DeliveryEngine;
  server: FastifyInstance;
  /** Takes further workers in, for as long as the app runs. */
  supervise(workers: readonly Worker[]): void;
  /** Begins to work; gives the address on which it listens. */
  start(): Promise<string>;
  /** Ends in order: nothing new, what is under way is finished, leases are given back. */
  stop(): Promise<void>;
}

const CONFIG_CHANNEL = 'waybill_config';
const EXPIRY_INTERVAL_MS = 1_000;

export function buildApp(setup: AppSetup): App {
  const { config, platform, databaseUrl, parts = {} } = setup;
  const isDelivering = config.roles.includes('deliver');
  const db = openDatabase({
    url: databaseUrl,
    onIdleError: (error) => platform.log.warn({ event: 'database.connection_lost', reason: error.message }),
  });
  const base = { ...platform, db, vault: createVault(setup.masterKey, platform.randomBytes) };
  const sending = buildSending({ ...base, databaseUrl, config, isDelivering });
  const outbox: Outbox = isDelivering ? sending.engine : closedOutbox;
  const onTransition = (to: OrderState) => sending.metrics.observeTransition(to);
  const placer = createOrderPlacer({
    ...base,
    outbox,
    onTransition,
    insertPlaced: parts.insertPlaced ?? insertPlacedOrders,
  });
  const changer = createOrderChanger({ ...base, outbox, onTransition, update: parts.updateOrders ?? updateOrders });
  let isStopping = false;
  const server = createServer({
    ...base,
    environment: config.environment,
    credentials: sending.credentials,
    admission: createRequestAdmission(base),
    placer,
    changer,
    metrics: sending.metrics,
    livePage: createLivePage({ ...base, live: setup.live }),
    isStopping: () => isStopping,
  });
  const supervisor = new Supervisor(platform.log);
  const expiry = everyMs('expiry', EXPIRY_INTERVAL_MS, {
    log: platform.log,
    round: () => expireOrders({ ...base, changer }),
  });
  const workers: Worker[] = [{ name: 'presence', run: (signal) => sending.presence.run(signal) }, expiry];
  if (isDelivering) workers.push({ name: 'deliver', run: (signal) => sending.engine.run(signal) });

  return {
    ...base,
    config,
    databaseUrl,
    placer,
    changer,
    server,
    sender: sending.sender,
    engine: sending.engine,
    supervise: (more) => supervisor.start(more),
    async start() {
      supervisor.start(workers);
      if (!config.roles.includes('api')) return '';
      await server.listen({ host: config.host, port: config.port });
      return addressOf(server);
    },
    async stop() {
      isStopping = true;
      await server.close();
      sending.presence.beginRetiring();
      await sending.engine.drop();
      await supervisor.stop();
      await sending.presence.retire().catch(() => undefined);
      await sending.sender.close();
      await db.close();
    },
  };
}

type SendingDeps = Platform & {
  db: Database;
  vault: Vault;
  databaseUrl: string;
  config: AppConfig;
  isDelivering: boolean;
};

/** The outbound half, with everything that listens to the database's notices. */
function buildSending(deps: SendingDeps) {
  const { config } = deps;
  const credentials = createCredentialCache(deps);
  const targets = new TargetBook(deps);
  const metrics = createMetrics({
    poolStats: () => deps.db.stats(),
    collect: async () => {
      const [gauges, audit] = await Promise.all([readGauges(deps.db, deps.clock.now()), auditNewestEvents(deps.db)]);
      return { ...gauges, missingDeliveries: audit.eventsWithoutDelivery + audit.changesWithoutEvent };
    },
  });
  const presence: Presence = new Presence(deps, {
    databaseUrl: deps.databaseUrl,
    isDelivering: deps.isDelivering,
    channels: [CONFIG_CHANNEL, DUE_CHANNEL],
    onNotification(channel, payload) {
      if (channel === DUE_CHANNEL) return engine.wake();
      credentials.dropRestaurant(payload);
      targets.drop(payload);
    },
    onConnected() {
      credentials.dropAll();
      targets.dropAll();
      engine.wake();
    },
    onLost: () => engine.drop(),
  });
  const sender = createSender({
    clock: deps.clock,
    allowCidrs: config.webhookAllowCidrs,
    ...(config.webhookCa !== null && { caFile: config.webhookCa }),
  });
  const engine = new DeliveryEngine({
    ...deps,
    presence,
    sender,
    targets,
    recorder: new AttemptRecorder(deps),
    onAttempt: (endpoint, outcome) =>
      metrics.observeAttempt({ endpoint, outcome: outcome.ok ? 'delivered' : 'failed', durationMs: outcome.totalMs }),
  });
  return { credentials, metrics, presence, sender, engine };
}

function addressOf(server: FastifyInstance): string {
  const bound = server.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address');
  const { address, port, family } = bound;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
