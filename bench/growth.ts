// Whether claiming and intake cost the same with millions of rows of history as without. The rows are made by SQL:
// events, an attempt for each, and an order for every seven. Beside them a tenth as many deliveries wait: half on their
// ladder, a quarter due to an endpoint that has no room now, as one that is dead or far behind, and a quarter just due.
import type { Client } from 'pg';
import { openDatabase, type Database } from '../src/store/database.ts';
import { claimDueDeliveries } from '../src/store/claim.ts';
import { withClient, type UndoList } from './cluster.ts';
import { addPastWeeks, Filler, ordersOf, type Progress } from './fill.ts';
import type { LoadCommands } from './load-process.ts';
import { monotonicMs } from './monotonic.ts';
import { orderLoad } from './orders.ts';
import type { Report } from './report.ts';
import { openSite } from './stage.ts';
import { summarise } from './statistics.ts';
import { StolenTime } from './stolen-time.ts';
import { settleTown } from './town.ts';

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
const DUE_SECONDS = 3_600;
const LATER_SECONDS = 86_400;
/** Nobody's, so that no node takes it for its own. */
const CLAIMANT = '-1';

export async function benchGrowth(report: Report, options: GrowthOptions): Promise<void> {
  const { say, repetitions, rows } = options;
  const site = await openSite({ undo: options.undo });
  // It takes orders in and delivers nothing, so that only the bench claims.
  const { node, address } = await site.startNode({ roles: ['api'] });
  const webhookUrl = site.webhookUrlAt('localhost');
  const intake = await node.ask('addRestaurant', { isAutoApproving: true, webhookUrl });
  const [full, ...usual] = await settleTown(node, Array<string>(RESTAURANTS + 1).fill(webhookUrl));
  if (full === undefined) throw new Error('there is no restaurant');
  const rooms = new Map([[`${full.id}/status`, 0]]);
  const usualIds = usual.map(({ id }) => id);
  const generator = site.start<LoadCommands>('load-process.ts');
  const claimsALevel = WARM_UP_CLAIMS + repetitions * CLAIMS;
  const db = openDatabase({ url: site.cluster.url, maxConnections: 1 });
  options.undo.push(() => db.close());

  const takeIn = (seconds: number): Promise<Float64Array> => {
    const pace = { ratePerSecond: RATE_PER_SECOND, mostConnections: CONNECTIONS, seconds };
    return generator.ask('open', { ...orderLoad(address, intake), ...pace });
  };
  await withClient(site.cluster.url, async (client) => {
    const levels = [0, Math.round(rows / 10), rows];
    const mostOrders = ordersOf(rows) + rows / 10 + levels.length * (claimsALevel * A_CLAIM + 1);
    await addPastWeeks(db);
    const filler = new Filler(client, mostOrders);
    const all: Record<Measured, number[][]> = { claim: [], intake: [] };
    let filled = 0;
    for (const level of levels) {
      say(`growth: ${level.toLocaleString('en')} rows of history`);
      await fillQuickly(client, async () => {
        await filler.addHistory([full.id, ...usualIds], level - filled, showProgress('history', say));
        const quarter = Math.floor((level - filled) / 40);
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
        // What the claims of this level take away.
        await filler.addWaiting(usualIds, claimsALevel * A_CLAIM, { dueInSeconds: -2 * DUE_SECONDS });
      });
      filled = level;
      await takeIn(2);
      await timeClaims({ db, client, rooms }, WARM_UP_CLAIMS);
      for (const what of MEASURED) all[what].push([]);
      const sent = { claim: CLAIMS, intake: RATE_PER_SECOND * options.seconds };
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        const latenciesMs: Record<Measured, Float64Array> = {
          claim: await timeClaims({ db, client, rooms }, CLAIMS),
          intake: await takeIn(options.seconds),
        };
        for (const what of MEASURED) {
          report.addLatencies(`growth.${what}.${level}`, latenciesMs[what], sent[what]);
          all[what].at(-1)?.push(...latenciesMs[what]);
        }
      }
    }
    // A repetition on full tables has none on empty ones that it belongs to: what can be compared is all of a level.
    for (const what of MEASURED) {
      const p99s = all[what].map((latenciesMs) => summarise(Float64Array.from(latenciesMs)).p99Ms);
      report.add(`growth.${what}.ratio`, 'of empty', (p99s.at(-1) ?? Number.NaN) / (p99s[0] ?? Number.NaN));
    }
  });
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
async function timeClaims(
  { db, client, rooms }: { db: Database; client: Client; rooms: ReadonlyMap<string, number> },
  count: number,
): Promise<Float64Array> {
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
    say(`  ${what}: ${done.toLocaleString('en')} of ${whole.toLocaleString('en')}, ${Math.round(perSecond)} rows/s`);
  };
}
