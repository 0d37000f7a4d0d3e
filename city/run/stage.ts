// Sets up everything a day needs: a PostgreSQL, HTTPS receivers, the service in a separate process, and an account and
// session for each person.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildApp, type App } from '../../src/app.ts';
import { DAY_MS, MINUTE_MS, type Instant } from '../../src/domain/time.ts';
import { obtainMasterKey } from '../../src/secrets/master-key.ts';
import { createPlatform } from '../../src/platform.ts';
import { createAuthority, issueServerCertificate } from '../../src/robots/certificates.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { Postgres } from '../../harness/postgres/breakable-postgres.ts';
import { startProgram, type Program } from '../../harness/program.ts';
import type { ReceiversSettings } from '../../harness/receivers/receivers-process.ts';
import { testConfig } from '../../harness/service/test-config.ts';
import { CityClock, type Pace } from './clock.ts';
import type { CityDay } from '../day/day.ts';
import type { CityNodeSettings } from './node-process.ts';
import { People, type Login } from './people.ts';
import type { StagedCourier, StagedRestaurant } from './world.ts';

export interface StageOptions {
  day: CityDay;
  seed: number;
  speed: number;
  /** Port of the panel; 0 picks a free one. */
  port: number;
  /** An empty folder that is kept after the run, instead of a temporary one. */
  dataDir?: string | undefined;
  /** An existing empty database, instead of an embedded server. */
  databaseUrl?: string | undefined;
}

export interface CityStage {
  clock: CityClock;
  opensAt: Instant;
  /** For setup and for reading the results; serves no requests. */
  admin: App;
  address: string;
  operator: Login;
  restaurants: StagedRestaurant[];
  couriers: StagedCourier[];
  /** Processes that exited unexpectedly. */
  crashes: string[];
  receiverFile: string;
  clientFile: string;
  logFile: string;
  /** Switches the clock of every process to the chosen speed. */
  begin(): Pace;
  /** After the day: switches the clock back to real speed, for people who keep watching. */
  rest(): void;
  close(): Promise<void>;
}

/** Its message explains to the user why a day cannot start. */
export class CannotStage extends Error {}

type Undo = (() => Promise<unknown>)[];

/** Before opening, the city's clock runs at real speed; setup takes less than this. */
const SETTING_UP_MS = 30 * MINUTE_MS;
/** Accounts are created concurrently because each has a password to hash. */
const AT_ONCE = 4;

export async function openStage(options: StageOptions): Promise<CityStage> {
  const undo: Undo = [];
  try {
    return await setStage(options, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function setStage(options: StageOptions, undo: Undo): Promise<CityStage> {
  const { day, speed } = options;
  const folder = await makeFolder(options.dataDir, undo);
  const databaseUrl = options.databaseUrl ?? (await startPostgres(folder, undo));
  await migrate(databaseUrl);
  const masterKey = await obtainMasterKey({ masterKey: null, dataDir: folder }, randomBytes);
  const opensAt = Math.floor(Date.now() / DAY_MS) * DAY_MS + day.opensAtMinute * MINUTE_MS;
  const clock = new CityClock({ realAt: Date.now(), cityAt: opensAt - SETTING_UP_MS, speed: 1 });
  const admin = openAdmin({ databaseUrl, masterKey, clock });
  undo.push(() => admin.stop());
  const { caPem, ports } = await startReceivers(options, folder, undo);
  const logFile = path.join(folder, 'waybill.log');
  const settings = { databaseUrl, masterKeyHex: masterKey.toString('hex'), caPem, port: options.port, logFile };
  const crashes: string[] = [];
  const node = await startService({ ...settings, pace: clock.pace }, crashes, undo);
  const people = new People(admin, node.ready);
  const operator = await people.addLogin({ email: 'operator@city.example', role: 'operator' });
  const restaurants = await inLanes(day.restaurants, (restaurant, index) => {
    const name = receiverOf(index);
    return people.addRestaurant(restaurant, { name, port: ports[name] ?? 0 });
  });
  const couriers = await inLanes(day.couriers, (courier, index) => people.addCourier(courier, index + 1, opensAt));
  const keepPace = (pace: Pace): Pace => {
    clock.keep(pace);
    node.child.send(pace);
    return pace;
  };
  return {
    clock,
    opensAt,
    admin,
    address: node.ready,
    operator,
    restaurants,
    couriers,
    crashes,
    receiverFile: receiverFileIn(folder),
    clientFile: path.join(folder, 'clients.jsonl'),
    logFile,
    begin: () => keepPace({ realAt: Date.now(), cityAt: opensAt, speed }),
    rest: () => void keepPace({ realAt: Date.now(), cityAt: clock.now(), speed: 1 }),
    close: () => undoAll(undo),
  };
}

async function undoAll(undo: Undo): Promise<void> {
  for (const step of undo.splice(0).toReversed()) await step();
}

async function makeFolder(wanted: string | undefined, undo: Undo): Promise<string> {
  if (wanted === undefined) {
    const folder = await mkdtemp(path.join(tmpdir(), 'waybill-city-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = path.resolve(wanted);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length === 0) return folder;
  throw new CannotStage(`${folder} is not empty. Choose an empty folder with --data.`);
}

async function startPostgres(dataDir: string, undo: Undo): Promise<string> {
  const postgres = await Postgres.start(dataDir);
  undo.push(() => postgres.stop());
  return postgres.url;
}

function openAdmin({
  databaseUrl,
  masterKey,
  clock,
}: {
  databaseUrl: string;
  masterKey: Buffer;
  clock: CityClock;
}): App {
  return buildApp({
    config: testConfig({ roles: [] }),
    databaseUrl,
    masterKey,
    platform: createPlatform(undefined, clock),
  });
}

async function startService(settings: CityNodeSettings, crashes: string[], undo: Undo): Promise<Program<string>> {
  const node = await startProgram<string>('../city/run/node-process.ts', {
    WAYBILL_CITY_NODE: JSON.stringify(settings),
  });
  const { child } = node;
  const ended = once(child, 'exit');
  let isStopping = false;
  child.once('exit', () => {
    if (!isStopping) crashes.push('the service crashed');
  });
  undo.push(async () => {
    isStopping = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await ended;
  });
  return node;
}

async function startReceivers(
  { day, seed }: StageOptions,
  folder: string,
  undo: Undo,
): Promise<{ caPem: string; ports: Record<string, number> }> {
  const authority = await createAuthority('Waybill city authority', { now: Date.now() });
  const certificate = await issueServerCertificate(authority, { names: ['localhost'], now: Date.now() });
  const settings: ReceiversSettings = {
    file: receiverFileIn(folder),
    certificate: { cert: certificate.chainPem, key: certificate.privateKeyPem },
    seed,
    slowMs: 0,
    receivers: day.restaurants.map((_, index) => ({ name: receiverOf(index), temper: 'good' })),
  };
  const receivers = await startProgram<Record<string, number>>('receivers/receivers-process.ts', {
    WAYBILL_CHAOS_RECEIVERS: JSON.stringify(settings),
  });
  undo.push(async () => receivers.child.kill('SIGKILL'));
  return { caPem: authority.certificatePem, ports: receivers.ready };
}

function receiverFileIn(folder: string): string {
  return path.join(folder, 'receivers.jsonl');
}

/** The integrator's id of the restaurant, and the name of its receiver. */
function receiverOf(index: number): string {
  return `city-${index + 1}`;
}

async function inLanes<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  const left = [...items.entries()].toReversed();
  const lane = async (): Promise<void> => {
    for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
      const [index, item] = entry;
      made[index] = await make(item, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return made;
}
