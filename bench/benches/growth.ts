// Checks that claiming and intake cost the same with millions of rows of history as without. SQL generates the rows:
// events, one attempt per event, and one order per seven events. There are also a tenth as many pending deliveries:
// half wait for a retry, a quarter are due at a full (dead or backlogged) endpoint, and a quarter are due elsewhere.
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
import { summarize } from '../../harness/measure/statistics.ts';
import { StolenTime } from '../../harness/measure/stolen-time.ts';
import { settleTown } from '../stage/town.ts';

export interface GrowthOptions {
  undo: UndoList;
  repetitions: number;
  /** Number of events at the highest level; a tenth of it is measured too. */
  rows: number;
  /** Duration of one intake measurement. */
  seconds: number;
  say: (line: string) => void;
}

const MEASURED = ['claim', 'intake'] as const;
type Measured = (typeof MEASURED)[number];

const RESTAURANTS = 50;
/** A moderate load that leaves spare capacity, because only the database's share of the latency may grow. */
const RATE_PER_SECOND = 200;
const CONNECTIONS = 64;
const CLAIMS = 200;
const A_CLAIM = 100;
const WARM_UP_CLAIMS = 20;
const WARM_UP_SECONDS = 5;
const DUE_SECONDS = 3_600;
const LATER_SECONDS = 86_400;
/** A node id that no node has, so that no node treats these claims as its own. */
const CLAIMANT = '-1';

export async function benchGrowth(report: Report, options: GrowthOptions): Promise<void> {
  const { repetitions, rows, seconds } = options;
  const site = await openSite({ undo: options.undo });
  const generator = site.start<LoadCommands>('load-process.ts');
  const levels: Level[] = [];
  for (const level of [0, Math.round(rows / 10), rows]) levels.push(await openLevel(site, level, options));
  const takeIn = ({ load }: Level, forSeconds: number): Promise<Float64Array> => {
    const pace = { ratePerSecond: RATE_PER_SECOND, maxConnections: CONNECTIONS, seconds: forSeconds };
    return generator.ask('open', { ...load, ...pace });
  };
  for (const level of levels) {
    await takeIn(level, WARM_UP_SECONDS);
    await timeClaims(level, WARM_UP_CLAIMS);
  }
  const all = levels.map((): Record<Measured, number[]> => ({ claim: [], intake: [] }));
  const sent = { claim: CLAIMS, intake: RATE_PER_SECOND * seconds };
  // The levels take turns, so that other load on the machine affects all of them equally.
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const [index, level] of levels.entries()) {
      const latenciesMs = { claim: await timeClaims(level, CLAIMS), intake: await takeIn(level, seconds) };
      for (const what of MEASURED) {
        report.addLatencies(`growth.${what}.${level.rows}`, latenciesMs[what], sent[what]);
        all[index]?.[what].push(...latenciesMs[what]);
      }
    }
  }
  // One short measurement's p99 depends on few requests, so the comparison combines all repetitions.
  for (const what of MEASURED) {
    const p99s = all.map((latenciesMs) => summarize(Float64Array.from(latenciesMs[what])).p99Ms);
    report.add(`growth.${what}.ratio`, 'of empty', (p99s.at(-1) ?? Number.NaN) / (p99s[0] ?? Number.NaN));
  }
}

/** A database with a given amount of history, and a node that takes orders for it. */
interface Level {
  rows: number;
  load: ReturnType<typeof orderLoad>;
  db: Database;
  client: Client;
  /** Says that the full endpoint has no room. */
  rooms: ReadonlyMap<string, number>;
}

async function openLevel(site: Site, rows: number, { undo, repetitions, say }: GrowthOptions): Promise<Level> {
  say(`growth: ${formatCount(rows)} rows of history`);
  const databaseUrl = await site.cluster.addDatabase(`history_${rows}`);
  await migrate(databaseUrl);
  // Without the deliver role, so that only the bench claims.
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
      onProgress: showProgress('deliveries on their retry schedule', say),
    });
    await filler.addWaiting([full.id], quarter, {
      dueInSeconds: -3 * DUE_SECONDS,
      onProgress: showProgress('deliveries to an endpoint without room', say),
    });
    await filler.addWaiting(usualIds, quarter, {
      dueInSeconds: -DUE_SECONDS,
      onProgress: showProgress('due deliveries', say),
    });
    // The deliveries that the measured claims consume.
    await filler.addWaiting(usualIds, claimed, { dueInSeconds: -2 * DUE_SECONDS });
  });
  return { rows, load: orderLoad(address, intake), db, client, rooms: new Map([[`${full.id}/status`, 0]]) };
}

/**
 * Runs the fill without fsync, full-page writes and autovacuum, which it does not need. Then restores the settings,
 * vacuums the tables and collects statistics, as in a service that has run for a long time.
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
 * Times claims, each in a transaction as in the engine. Claimed deliveries are deleted, as if delivered. Returns the
 * milliseconds of the claims without stolen time.
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

/** Logs a line with the speed after every tenth. */
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
