// The wiring: everything that one node consists of is built here and nowhere else.
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createRequestAdmission } from './actions/restaurants/admit-request.ts';
import { createOrderChanger, type OrderChanger } from './actions/orders/change-order.ts';
import { expireOrders } from './actions/orders/expire-orders.ts';
import { CLOCK_CHECK_MS, createDueTimeCheck } from './actions/webhooks/bring-forward-due-times.ts';
import { closedOutbox, type Outbox, type Transition } from './actions/orders/event-outbox.ts';
import { prepareVault } from './actions/upkeep/check-master-key.ts';
import type { CommitReadiness } from './actions/upkeep/commit-readiness.ts';
import { createOrderPlacer, type OrderPlacer } from './actions/orders/place-order.ts';
import { createSetAside } from './actions/upkeep/set-aside.ts';
import { poolSizesFor } from './nodes/connection-budget.ts';
import { createCredentialCache } from './http/integrator/credential-cache.ts';
import { listenShared } from './http/protocol/listen.ts';
import { createLivePage } from './http/live/page.ts';
import type { LiveSource } from './http/live/stream.ts';
import { createMetricsEndpoint } from './http/metrics-access.ts';
import { createMetrics, type CountedMetrics, type Metrics } from './http/metrics/metrics.ts';
import type { PanelDeps } from './http/panel/route.ts';
import { createPanelFiles, PANEL_FOLDER } from './http/panel/static-files.ts';
import { createServer } from './http/server.ts';
import { createChangeNotifier } from './planning/change-notifier.ts';
import { createPlanThreads } from './planning/threads/plan-threads.ts';
import { Planner } from './planning/planner.ts';
import { buildPanel } from './panel-wiring.ts';
import { buildReadiness } from './readiness-wiring.ts';
import type { SetAside } from './domain/upkeep/set-aside.ts';
import type { Platform } from './platform.ts';
import type { NodeRole } from './settings/parsers.ts';
import type { Database } from './store/database/database.ts';
import { followDatabaseTime } from './store/database/database-time.ts';
import { DUE_CHANNEL } from './store/webhooks/deliveries.ts';
import type { CommitProbe } from './store/upkeep/commit-probe.ts';
import { readGauges } from './store/upkeep/gauges.ts';
import { insertPlacedOrders, updateOrders } from './store/orders/writes.ts';
import { PLAN_CHANNEL, readPlanNotice } from './store/planning/areas.ts';
import { openPools, type Pools, type PoolSizes } from './store/database/pools.ts';
import { readUpkeepGauges } from './store/upkeep/upkeep-gauges.ts';
import { everyMs, Supervisor, type Worker } from './runtime/supervisor.ts';
import { listUpkeepWorkers } from './upkeep-workers.ts';
import { DeliveryEngine } from './webhooks/queue/engine.ts';
import { Presence } from './webhooks/queue/node-presence.ts';
import { AttemptRecorder } from './webhooks/queue/result-recorder.ts';
import { createSender, type Sender } from './webhooks/client/sender.ts';
import { TargetCache } from './webhooks/client/targets.ts';
import { createVault, type Vault } from './secrets/vault.ts';
import type { Config } from './settings/config.ts';

export interface AppSetup {
  config: Config;
  /** The roles of this process, if several processes share a node's roles. */
  roles?: readonly NodeRole[];
  databaseUrl: string;
  /** Defaults to the largest useful sizes. */
  connections?: PoolSizes;
  masterKey: Buffer;
  platform: Platform;
  /** Demo only: shows every order at `/demo` to anyone. */
  live?: LiveSource | undefined;
  /** Another process of the node started first and serves the metrics. */
  isFurther?: boolean;
  /** The metrics counted by the node's other processes. */
  countOthers?: () => Promise<CountedMetrics[]>;
  /** The folder of the built pages, if not panel/dist. */
  panelFolder?: string;
  /** Parts that a test replaces in order to break them. */
  parts?: { insertPlaced?: typeof insertPlacedOrders; updateOrders?: typeof updateOrders } & Pick<PanelDeps, 'routes'>;
}

export interface App extends Platform {
  config: Config;
  databaseUrl: string;
  pools: Pools;
  /** The pool for background work. */
  db: Database;
  vault: Vault;
  placer: OrderPlacer;
  changer: OrderChanger;
  setAside: SetAside;
  readiness: CommitReadiness;
  sender: Sender;
  engine: DeliveryEngine;
  server: FastifyInstance;
  count: Metrics['count'];
  /** Adds workers that run as long as the app. */
  supervise(workers: readonly Worker[]): void;
  /** Starts working; returns the address on which it listens. */
  start(): Promise<string>;
  /** Serves as before, but is no longer ready, and closes connections after each answer. */
  beginDraining(): void;
  /** Stops in order: accepts nothing new, finishes work in flight, returns leases. */
  stop(): Promise<void>;
}

type PlanNotice = (payload: string) => void;

const CONFIG_CHANNEL = 'waybill_config';
const EXPIRY_INTERVAL_MS = 1_000;

export function buildApp(setup: AppSetup): App {
  const { config, platform, databaseUrl, parts = {} } = setup;
  const base = openBase(setup);
  const { roles, pools } = base;
  const intake: Base = { ...base, db: pools.intake };
  const onPlanNotice: PlanNotice = (payload) => planner?.wake(readPlanNotice(payload));
  const sending = buildSending({ ...setup, ...base, onPlanNotice });
  const outbox: Outbox = roles.includes('deliver') ? sending.engine : closedOutbox;
  const notifier = createChangeNotifier(base.db);
  const onTransition = ({ serviceOrderId, change, actor }: Transition) => {
    sending.metrics.observeTransition(change.to);
    // The planner already knows its own changes.
    if (actor.role !== 'planner') notifier.note(serviceOrderId);
  };
  const { probe, startProbing, readiness, insertPlaced } = buildReadiness({
    ...platform,
    databaseUrl,
    insert: parts.insertPlaced ?? insertPlacedOrders,
  });
  const writing = { ...intake, outbox, onTransition, retryForMs: config.requestDeadlineMs };
  const placer = createOrderPlacer({ ...writing, insertPlaced });
  const changer = createOrderChanger({ ...writing, update: parts.updateOrders ?? updateOrders });
  const { threads, planner } = buildPlanning({ ...base, db: pools.planner, changer });
  const panelDb = { db: pools.panel, pool: pools.signIn };
  const panel = buildPanel({ ...base, ...parts, ...panelDb, changer, threads, sender: sending.sender });
  const { metricsAddress, metricsToken } = config;
  const metrics = createMetricsEndpoint({ ...base, metricsAddress, metricsToken, metrics: sending.metrics });
  let isStopping = false;
  const server = createServer({
    ...intake,
    environment: config.environment,
    credentials: sending.credentials,
    admission: createRequestAdmission(intake),
    placer,
    changer,
    metrics: sending.metrics,
    metricsAccess: metrics.accessHere,
    livePage: createLivePage({ ...base, db: pools.panel, live: setup.live }),
    panel,
    panelFiles: createPanelFiles(setup.panelFolder ?? PANEL_FOLDER, config.mapStyleUrl),
    readiness,
    isStopping: () => isStopping,
    trustedProxies: config.trustedProxies,
  });
  const supervisor = new Supervisor(platform.log);

  return {
    ...base,
    databaseUrl,
    placer,
    changer,
    readiness,
    server,
    sender: sending.sender,
    engine: sending.engine,
    count: () => sending.metrics.count(),
    supervise: (more) => supervisor.start(more),
    async start() {
      await Promise.all([followDatabaseTime(base.db, base.clock), prepareVault(base.db, base.vault)]);
      if (setup.isFurther !== true) await metrics.listen();
      supervisor.start(listWorkers({ ...base, changer, sending, planner }));
      if (!roles.includes('api')) return '';
      supervisor.start(await startProbing());
      return listenShared(server, config);
    },
    beginDraining: () => void (isStopping = true),
    async stop() {
      isStopping = true;
      await stopInOrder({ metrics, server, sending, probe, supervisor, threads, notifier, pools });
    },
  };
}

interface Stoppable {
  metrics: ReturnType<typeof createMetricsEndpoint>;
  server: FastifyInstance;
  sending: ReturnType<typeof buildSending>;
  probe: CommitProbe;
  supervisor: Supervisor;
  threads: ReturnType<typeof createPlanThreads>;
  notifier: ReturnType<typeof createChangeNotifier>;
  pools: Pools;
}

async function stopInOrder(parts: Stoppable): Promise<void> {
  const { metrics, server, sending, probe, supervisor, threads, notifier, pools } = parts;
  metrics.close();
  await server.close();
  sending.presence.beginRetiring();
  await sending.engine.stop();
  probe.close();
  await supervisor.stop();
  await threads.close();
  await sending.presence.retire().catch(() => undefined);
  await sending.sender.close();
  notifier.close();
  await pools.close();
}

interface Base extends Platform {
  config: Config;
  roles: readonly NodeRole[];
  pools: Pools;
  /** The pool for the purpose at hand. */
  db: Database;
  vault: Vault;
  setAside: SetAside;
}

function openBase({ config, roles = config.roles, platform, databaseUrl, ...setup }: AppSetup): Base {
  const onIdleError = (error: Error) => platform.log.warn({ event: 'database.connection_lost', reason: error.message });
  const pools = openPools({
    url: databaseUrl,
    sizes: setup.connections ?? poolSizesFor(roles),
    requestDeadlineMs: config.requestDeadlineMs,
    onIdleError,
  });
  const vault = createVault(setup.masterKey, platform.randomBytes);
  const setAside = createSetAside({ ...platform, db: pools.background });
  return { ...platform, config, roles, pools, db: pools.background, vault, setAside };
}

/** The planner is null if this node does not plan. In the test environment each order's script decides instead. */
function buildPlanning(parts: Base & { changer: OrderChanger }) {
  const { environment, routingUrl, dataDir } = parts.config;
  const settings = { routingUrl, roadsDir: path.join(dataDir, 'roads') };
  const threads = createPlanThreads({ ...parts, settings, onLearned: () => planner?.wake([]) });
  const planner = parts.roles.includes('plan') && environment !== 'test' ? new Planner({ ...parts, threads }) : null;
  return { threads, planner };
}

interface WorkerParts extends Base {
  changer: OrderChanger;
  sending: ReturnType<typeof buildSending>;
  planner: Planner | null;
}

function listWorkers(parts: WorkerParts): Worker[] {
  const { log, sending, planner } = parts;
  const expiry = everyMs('expiry', EXPIRY_INTERVAL_MS, { log, round: () => expireOrders(parts) });
  const dueTimes = everyMs('due times', CLOCK_CHECK_MS, { log, round: createDueTimeCheck(parts) });
  const workers: Worker[] = [{ name: 'presence', run: (signal) => sending.presence.run(signal) }, expiry, dueTimes];
  if (parts.roles.includes('deliver')) {
    workers.push({ name: 'deliver', run: (signal) => sending.engine.run(signal) }, ...listUpkeepWorkers(parts));
  }
  if (planner !== null) workers.push(planner);
  return workers;
}

/** The outbound half, including everything that listens to the database's notifications. */
function buildSending(deps: Base & Pick<AppSetup, 'databaseUrl' | 'countOthers'> & { onPlanNotice: PlanNotice }) {
  const { config } = deps;
  const credentials = createCredentialCache({ ...deps, db: deps.pools.intake });
  const targets = new TargetCache(deps);
  const metrics = createMetrics({
    clock: deps.clock,
    poolStats: () => deps.pools.stats(),
    ...(deps.countOthers && { countOthers: deps.countOthers }),
    collect: async () => {
      const now = deps.clock.now();
      const { metrics: db } = deps.pools;
      return { ...(await readGauges(db, now)), upkeep: await readUpkeepGauges(db, now) };
    },
  });
  const presence: Presence = new Presence(deps, {
    databaseUrl: deps.databaseUrl,
    isDelivering: deps.roles.includes('deliver'),
    roles: deps.roles,
    channels: [CONFIG_CHANNEL, DUE_CHANNEL, PLAN_CHANNEL],
    onNotification(channel, payload) {
      if (channel === DUE_CHANNEL) return engine.wake();
      if (channel === PLAN_CHANNEL) return deps.onPlanNotice(payload);
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
