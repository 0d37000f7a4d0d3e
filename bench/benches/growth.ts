// Whether claiming and intake cost the same with millions of rows of history as without. The rows are made by SQL:
// events, an attempt for each, and an order for every seven. Beside them a tenth as many deliveries wait: half on their
// ladder, a quarter due to an endpoint that has no room now, as one that is dead or far behind, and a quarter just due.
import { Client } from 'pg';
import { formatCount } from '../../src/domain/counts.ts';
import { openDatabase, type Database } from '../../src/store/database/database.ts';
import { claimDueDeliveries } from '../../src/store/webhooks/claim.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import type { UndoList } from '../../harness/postgres/cluster.ts';
import { addPastWeeks, Filler, ordersOf, type Progress } from '../stage/fill.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import { orderLoad } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import { openSite, type Site } from '../stage/stage.ts';
import { summarise } from '../../harness/measure/statistics.ts';
import { StolenTime } from '../../harness/measure/stolen-time.ts';
import { settleTown } from '../stage/town.ts';

export interface GrowthOptions {
  undo: UndoList;
  repetitions: number;
  /** Events at the highest level; a tenth of it is measured too. */
  rows: number;
  /** Of one measurement of the intake. */
  seconds: number;
  say: (line: string) => void;
}

const MEASURED = ['claim', 'intake'] as const;
type Measured = (typeof MEASURED)[number];

const RESTAURANTS = 50;
/** A load that leaves the machine room: it is the database's share that may grow. */
const RATE_PER_SECOND = 200;
const CONNECTIONS = 64;
const CLAIMS = 200;
const A_CLAIM = 100;
const WARM_UP_CLAIMS = 20;
const WARM_UP_SECONDS = 5;
const DUE_SECONDS = 3_600;
const LATER_SECONDS = 86_400;
/** Nobody's, so that no node takes it for its own. */
const CLAIMANT = '-1';

export async function benchGrowth(report: Report, options: GrowthOptions): Promise<void> {
  const { repetitions, rows, seconds } = options;
  const site = await openSite({ undo: options.undo });
  const generator = site.start<LoadCommands>('load-process.ts');
  const levels: Level[] = [];
  for (const level of [0, Math.round(rows / 10), rows]) levels.push(await openLevel(site, level, options));
  const takeIn = ({ load }: Level, forSeconds: number): Promise<Float64Array> => {
    const pace = { ratePerSecond: RATE_PER_SECOND, mostConnections: CONNECTIONS, seconds: forSeconds };
    return generator.ask('open', { ...load, ...pace });
  };
  for (const level of levels) {
    await takeIn(level, WARM_UP_SECONDS);
    await timeClaims(level, WARM_UP_CLAIMS);
  }
  const all = levels.map((): Record<Measured, number[]> => ({ claim: [], intake: [] }));
  const sent = { claim: CLAIMS, intake: RATE_PER_SECOND * seconds };
  // In turns, so that whatever else the machine does falls on all of them.
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const [index, level] of levels.entries()) {
      const latenciesMs = { claim: await timeClaims(level, CLAIMS), intake: await takeIn(level, seconds) };
      for (const what of MEASURED) {
        report.addLatencies(`growth.${what}.${level.rows}`, latenciesMs[what], sent[what]);
        all[index]?.[what].push(...latenciesMs[what]);
      }
    }
  }
  // The 99th percentile of seconds is a matter of few requests: what is compared are all repetitions together.
  for (const what of MEASURED) {
    const p99s = all.map((latenciesMs) => summarise(Float64Array.from(latenciesMs[what])).p99Ms);
    report.add(`growth.${what}.ratio`, 'of empty', (p99s.at(-1) ?? Number.NaN) / (p99s[0] ?? Number.NaN));
  }
}

/** A database with so much history, and a node that takes orders in there. */
interface Level {
  rows: number;
  load: ReturnType<typeof orderLoad>;
  db: Database;
  client: Client;
  /** Of the endpoint that has none. */
  rooms: ReadonlyMap<string, number>;
}

async function openLevel(site: Site, rows: number, { undo, repetitions, say }: GrowthOptions): Promise<Level> {
  say(`growth: ${formatCount(rows)} rows of history`);
  const databaseUrl = await site.cluster.addDatabase(`history_${rows}`);
  await migrate(databaseUrl);
  // It delivers nothing, so that only the bench claims.
  const { node, address } = await site.startNode({ databaseUrl, roles: ['api'] });
  const webhookUrl = site.webhookUrlAt('localhost');
  const intake = await node.ask('addRestaurant', { isAutoApproving: true, webhookUrl });
  const [full, ...usual] = await settleTown(node, Array<string>(RESTAURANTS + 1).fill(webhookUrl));
  if (full === undefined) throw new Error('there is no restaurant');
  const usualIds = usual.map(({ id }) => id);
  const db = openDatabase({ url: databaseUrl, maxConnections: 1 });
  undo.push(() => db.close());
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  undo.push(() => client.end());
  await addPastWeeks(db);
  const claimed = (WARM_UP_CLAIMS + repetitions * CLAIMS) * A_CLAIM;
  const filler = new Filler(client, ordersOf(rows) + rows / 10 + claimed + 1);
  await fillQuickly(client, async () => {
    await filler.addHistory([full.id, ...usualIds], rows, showProgress('history', say));
    const quarter = Math.floor(rows / 40);
    await filler.addWaiting(usualIds, 2 * quarter, {
      dueInSeconds: LATER_SECONDS,
      onProgress: showProgress('deliveries on their ladder', say),
    });
    await filler.addWaiting([full.id], quarter, {
      dueInSeconds: -3 * DUE_SECONDS,
      onProgress: showProgress('deliveries to an endpoint without room', say),
    });
    await filler.addWaiting(usualIds, quarter, {
      dueInSeconds: -DUE_SECONDS,
      onProgress: showProgress('due deliveries', say),
    });
    // What the claims take away.
    await filler.addWaiting(usualIds, claimed, { dueInSeconds: -2 * DUE_SECONDS });
  });
  return { rows, load: orderLoad(address, intake), db, client, rooms: new Map([[`${full.id}/status`, 0]]) };
}

/**
 * Without waiting for the disk and without vacuuming in between, which a fill needs neither; then everything as it was,
 * the tables vacuumed and their statistics made, as they are in a service that has run for long.
 */
async function fillQuickly(client: Client, work: () => Promise<void>): Promise<void> {
  const settings = ['fsync', 'full_page_writes', 'autovacuum'];
  for (const setting of settings) await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  try {
    await work();
  } finally {
    for (const setting of settings) await client.query(`alter system reset ${setting}`);
    await client.query('select pg_reload_conf()');
  }
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/**
 * Claims, each in the transaction that the engine makes of it. What was claimed counts as delivered. Gives the milliseconds
 * of those from which the host stole nothing.
 */
async function timeClaims({ db, client, rooms }: Level, count: number): Promise<Float64Array> {
  const stolen = new StolenTime();
  const undisturbedMs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    stolen.look();
    const startedAtMs = monotonicMs();
    const claimed = await db.transaction((tx) =>
      claimDueDeliveries(tx, { nodeId: CLAIMANT, now: Date.now(), limit: A_CLAIM, rooms }),
    );
    const endedAtMs = monotonicMs();
    stolen.look();
    if (stolen.isUndisturbed(startedAtMs, endedAtMs)) undisturbedMs.push(endedAtMs - startedAtMs);
    if (claimed.length < A_CLAIM) throw new Error(`only ${claimed.length} deliveries could be claimed`);
    await client.query('delete from deliveries where event_id = any($1::uuid[])', [
      claimed.map((delivery) => delivery.eventId),
    ]);
  }
  return Float64Array.from(undisturbedMs);
}

/** A line for every tenth, with the speed. */
function showProgress(what: string, say: (line: string) => void): Progress {
  const startedAtMs = monotonicMs();
  let shownTenth = 0;
  return (done, whole) => {
    const tenth = Math.floor((done * 10) / whole);
    if (tenth === shownTenth) return;
    shownTenth = tenth;
    const perSecond = (done * 1000) / (monotonicMs() - startedAtMs);
    say(`  ${what}: ${formatCount(done)} of ${formatCount(whole)}, ${Math.round(perSecond)} rows/s`);
  };
}
