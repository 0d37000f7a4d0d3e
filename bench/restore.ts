// Whether a restored service takes orders in as a new one does: history is filled, backed up and restored into another
// database, and from the start of a node on, orders arrive at a fixed rate. The time covers several rounds of the
// worker that makes the weeks to come, which is what used to block writers.
import path from 'node:path';
import { restoreBackup } from '../src/store/backup/restore-backup.ts';
import { writeBackup } from '../src/store/backup/write-backup.ts';
import { openDatabase } from '../src/store/database.ts';
import { HISTORY_TABLES } from '../src/store/history.ts';
import { migrate } from '../src/store/migrate.ts';
import { withClient, type UndoList } from './cluster.ts';
import { addPastWeeks, Filler, ordersOf } from './fill.ts';
import type { LoadCommands } from './load-process.ts';
import { monotonicMs } from './monotonic.ts';
import { orderLoad } from './orders.ts';
import type { Report } from './report.ts';
import { openSite } from './stage.ts';
import { summarise } from './statistics.ts';
import { settleTown } from './town.ts';

export interface RestoreOptions {
  undo: UndoList;
  /** Events of the restored history; seven for each order. */
  rows: number;
  /** Of orders that arrive afterwards. The weeks are looked after once a minute. */
  seconds: number;
  say: (line: string) => void;
}

const RESTAURANTS = 50;
const RATE_PER_SECOND = 200;
const CONNECTIONS = 64;
const EMPTY_SECONDS = 20;

export async function benchRestore(report: Report, { undo, rows, seconds, say }: RestoreOptions): Promise<void> {
  const site = await openSite({ undo });
  const generator = site.start<LoadCommands>('load-process.ts');
  const [source, target] = [await site.cluster.addDatabase('source'), await site.cluster.addDatabase('target')];
  for (const url of [source, target]) await migrate(url);
  const founder = await site.startNode({ databaseUrl: source, roles: ['api'] });
  const webhookUrl = site.webhookUrlAt('localhost');
  const intake = await founder.node.ask('addRestaurant', { isAutoApproving: true, webhookUrl });
  const town = await settleTown(founder.node, Array<string>(RESTAURANTS).fill(webhookUrl));
  const takeIn = (address: string, forSeconds: number): Promise<Float64Array> => {
    const pace = { ratePerSecond: RATE_PER_SECOND, mostConnections: CONNECTIONS, seconds: forSeconds };
    return generator.ask('open', { ...orderLoad(address, intake), ...pace });
  };
  const empty = await takeIn(founder.address, Math.min(EMPTY_SECONDS, seconds));
  await founder.stop();

  say(`restore: filling ${ordersOf(rows).toLocaleString('en')} orders`);
  await fillSource(source, { restaurantIds: town.map(({ id }) => id), rows });
  const file = path.join(site.cluster.folder, 'backup.gz');
  const backup = await timed(() => writeBackup({ url: source, file, now: Date.now(), tell: say }));
  report.add('restore.backup.rate', 'rows/s', backup.value.rows / backup.seconds);
  await withClient(site.cluster.url, (client) => client.query('drop database source with (force)'));
  const restored = await timed(() => restoreBackup({ url: target, file, opensKeyCheck: () => true, tell: say }));
  report.add('restore.time', 's', restored.seconds);
  report.add('restore.rate', 'rows/s', restored.value.rows / restored.seconds);

  say(`restore: ${RATE_PER_SECOND} orders/s for ${seconds} s`);
  const { address } = await site.startNode({ databaseUrl: target, roles: ['api'] });
  const latenciesMs = await takeIn(address, seconds);
  report.addLatencies('restore.write', latenciesMs, RATE_PER_SECOND * seconds);
  report.add(
    'restore.write.slowest',
    'ms',
    latenciesMs.reduce((most, ms) => Math.max(most, ms), 0),
  );
  report.add('restore.write.ratio', 'of empty', summarise(latenciesMs).p99Ms / summarise(empty).p99Ms);
  report.add('restore.outside', 'rows in no week', await countOutsideWeeks(target));
}

async function fillSource(url: string, fill: { restaurantIds: readonly string[]; rows: number }): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1 });
  try {
    await addPastWeeks(db);
  } finally {
    await db.close();
  }
  await withClient(url, async (client) => {
    await client.query('set synchronous_commit = off');
    const filler = new Filler(client, ordersOf(fill.rows) + 1);
    await filler.addHistory(fill.restaurantIds, fill.rows, () => undefined);
  });
}

async function countOutsideWeeks(url: string): Promise<number> {
  const counts = HISTORY_TABLES.map((table) => `(select count(*) from ${table}_rest)`);
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(`select ${counts.join(' + ')} as count`);
    return Number(rows[0]?.count);
  });
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; seconds: number }> {
  const startedAtMs = monotonicMs();
  const value = await work();
  return { value, seconds: (monotonicMs() - startedAtMs) / 1000 };
}
