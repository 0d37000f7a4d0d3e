// Runs one node: opens the database and the master key, starts the app, and stops in order on a signal.
import { access, constants, open } from 'node:fs/promises';
import path from 'node:path';
import { checkMasterKey, WRONG_MASTER_KEY } from './actions/upkeep/check-master-key.ts';
import { makeComingWeeks } from './actions/upkeep/keep-history.ts';
import { setUpCode } from './actions/people/set-up-operator.ts';
import { buildApp, type App } from './app.ts';
import type { Config } from './settings/config.ts';
import type { ConnectionBudget, NodeShape } from './nodes/connection-budget.ts';
import { giveToFolderOwner, openDataFolder } from './runtime/data-folder.ts';
import { createDatabaseClock } from './runtime/database-clock.ts';
import { EmbeddedPostgresError } from './embedded/postgres.ts';
import { openLog } from './runtime/log.ts';
import { MasterKeyError, obtainMasterKey } from './secrets/master-key.ts';
import { CannotServe, createWait, openStore, prepareDatabase, type Undo } from './nodes/node-database.ts';
import { createPlatform } from './platform.ts';
import { prepareDemo, type Demo } from './robots/demo.ts';
import { createTestRobots } from './robots/test-environment.ts';
import type { NodeRole } from './settings/parsers.ts';
import { SchemaError } from './store/schema/migrations.ts';
import type { PoolSizes } from './store/database/pools.ts';
import { hasOperator } from './store/people/users.ts';
import { pauseUntilNextSignal, waitForSignal } from './runtime/stop-signals.ts';
import type { Worker } from './runtime/supervisor.ts';
import { WorkerProcesses } from './nodes/worker-processes.ts';

const STOP_LIMIT_MS = 30_000;

export async function runService(config: Config): Promise<number> {
  // A closed output must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const undo: Undo[] = [];
  let exitCode = 0;
  try {
    await serveUntilSignal(config, undo);
  } catch (error) {
    if (!isForTheUser(error)) throw error;
    say(error.message);
    exitCode = 1;
  } finally {
    endInTime();
    for (const step of undo.reverse()) await step();
  }
  return exitCode;
}

/** The process ends even if a step hangs: no acknowledged work depends on these steps. */
function endInTime(): void {
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
}

/** Every process reports that it is not ready and keeps serving, until load balancers have noticed. */
async function drain(app: App, processes: WorkerProcesses): Promise<void> {
  const { drainSeconds, roles } = app.config;
  if (drainSeconds === 0 || !roles.includes('api')) return;
  app.beginDraining();
  processes.beginDraining();
  say(`Serving for ${drainSeconds} s more, until load balancers have noticed. Signal again to skip this.`);
  await pauseUntilNextSignal(drainSeconds * 1_000);
}

async function serveUntilSignal(config: Config, undo: Undo[]): Promise<void> {
  for (const warning of config.warnings) say(warning);
  await prepareDataFolder(config.dataDir);
  const stopSignal = waitForSignal();
  await prepareLogFile(config);
  const logging = openLog(logFileOf(config) ?? 1);
  undo.push(() => logging.close());
  const platform = createPlatform(logging.log, createDatabaseClock());
  const roles = divideRoles(config);
  const shape: NodeShape = { ...roles, workers: config.workers };
  const store = await openStore(config, shape, { undo, say });
  const { databaseUrl, workers } = store;
  const whenAvailable = createWait(store, { say, clock: platform.clock, stopSignal });
  const connections = await whenAvailable(() => prepareDatabase(databaseUrl, shape, say));
  if (connections === undefined) return;
  const masterKey = await obtainMasterKey(config, platform.randomBytes);
  const demo = config.demo ? await prepareDemo({ dataDir: config.dataDir, clock: platform.clock }) : undefined;
  if (demo !== undefined) undo.push(() => demo.close());
  const setup = { config: withDemo(config, demo), databaseUrl, masterKey };
  const processes: WorkerProcesses = new WorkerProcesses(() => app.count());
  const countOthers = () => processes.count();
  const own = { roles: roles.shared, connections: connections.shared };
  const app = buildApp({ ...setup, ...own, platform, live: demo?.live, countOthers });
  undo.push(() => app.stop());
  app.supervise(workers);
  if ((await whenAvailable(() => prepareApp(app))) === undefined) return;
  const address = await listen(app);
  app.supervise(listProcesses(processes, { ...setup, address, connections }, roles));
  platform.log.info({ event: 'service.started', address, roles: config.roles, environment: config.environment });
  if (config.environment === 'test') app.supervise(createTestRobots(app));
  if (demo === undefined) await sayReady(app, address);
  else await demo.start(app, { address, show, hasColors: process.stdout.isTTY && process.stdout.hasColors() });
  const signal = await stopSignal;
  say(`${signal} received, stopping. Requests in progress are finished first.`);
  platform.log.info({ event: 'service.stopping', signal });
  endInTime();
  // Ctrl-C comes from a person who waits. Other programs send SIGTERM, and may have a load balancer in front.
  if (signal === 'SIGTERM') await drain(app, processes);
}

async function prepareDataFolder(folder: string): Promise<void> {
  try {
    const warning = await openDataFolder(folder);
    if (warning !== undefined) say(warning);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new CannotServe(
      `Cannot use the data folder ${folder} (${code}). Make it a writable folder, or set WAYBILL_DATA_DIR to another one.`,
    );
  }
}

async function sayReady(app: App, address: string): Promise<void> {
  say(`Waybill is ready at ${address}`);
  if (address === '' || (await hasOperator(app.db))) return;
  say(`There is no operator account yet. Open ${address} and enter this setup code: ${setUpCode(app.vault)}`);
}

interface DividedRoles {
  /** Of this process and any further workers. */
  shared: readonly NodeRole[];
  /** Of one separate process; empty if there is none. */
  apart: readonly NodeRole[];
}

/** Planning gets a separate process if the node has other roles, so that it cannot delay or crash requests. */
function divideRoles({ roles, environment }: Config): DividedRoles {
  const others = roles.filter((role) => role !== 'plan');
  const isApart = others.length > 0 && others.length < roles.length && environment !== 'test';
  return isApart ? { shared: others, apart: ['plan'] } : { shared: roles, apart: [] };
}

interface ProcessesSetup {
  config: Config;
  masterKey: Buffer;
  databaseUrl: string;
  address: string;
  connections: ConnectionBudget;
}

/** The robots stay in this process. */
function listProcesses(
  processes: WorkerProcesses,
  { config, masterKey, databaseUrl, address, connections }: ProcessesSetup,
  { shared, apart }: DividedRoles,
): Worker[] {
  const start = (name: string, roles: readonly NodeRole[], sizes: PoolSizes): Worker =>
    processes.create(name, {
      connections: sizes,
      config: { ...config, masterKey: null, port: address === '' ? config.port : Number(new URL(address).port) },
      roles,
      databaseUrl,
      masterKeyBase64: masterKey.toString('base64'),
      logFile: logFileOf(config),
    });
  const sharing = Array.from({ length: config.workers - 1 }, (_, index) =>
    start(`process ${index + 2}`, shared, connections.shared),
  );
  return apart.length > 0 ? [...sharing, start('planning process', apart, connections.apart)] : sharing;
}

/** In the demo, people read the banner in the terminal, so the log goes to a file beside the data. */
function logFileOf(config: Config): string | null {
  return config.demo ? path.join(config.dataDir, 'waybill.log') : null;
}

async function prepareLogFile(config: Config): Promise<void> {
  const name = logFileOf(config);
  if (name === null) return;
  const file = await open(name, 'a', 0o600);
  try {
    await giveToFolderOwner(file, config.dataDir);
  } finally {
    await file.close();
  }
}

/** May be repeated after an outage. */
async function prepareApp(app: App): Promise<true> {
  if (!(await checkMasterKey(app.db, app.vault))) throw new CannotServe(WRONG_MASTER_KEY);
  await makeComingWeeks(app);
  return true;
}

async function listen(app: App): Promise<string> {
  try {
    return await app.start();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const { host, port, metricsAddress } = app.config;
    const isForMetrics = metricsAddress && 'port' in error && error.port === metricsAddress.port;
    const [place, setting] = isForMetrics
      ? [metricsAddress, 'WAYBILL_METRICS_ADDRESS']
      : [{ host, port }, 'WAYBILL_HOST and WAYBILL_PORT'];
    if (error.code === 'EADDRINUSE') {
      const which = isForMetrics ? setting : 'WAYBILL_PORT';
      throw new CannotServe(`Port ${place.port} is already in use. Set ${which} to another port.`);
    }
    if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(error.code))) {
      throw new CannotServe(
        `Cannot listen on ${place.host} port ${place.port} (${String(error.code)}). Check ${setting}.`,
      );
    }
    throw error;
  }
}

// The demo's receiver has a certificate of the local authority and an address of this machine.
function withDemo(config: Config, demo: Demo | undefined): Config {
  if (demo === undefined) return config;
  return {
    ...config,
    webhookCa: [config.webhookCa, demo.caPem].filter((pem) => pem !== null).join('\n'),
    webhookAllowCidrs: [...config.webhookAllowCidrs, ...demo.allowCidrs],
  };
}

function isForTheUser(error: unknown): error is Error {
  return [CannotServe, EmbeddedPostgresError, MasterKeyError, SchemaError].some((kind) => error instanceof kind);
}

/** For results; progress messages go to stderr. */
function show(text: string): void {
  process.stdout.write(`${text}\n`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
