// Checks that a restored service takes orders as fast as a new one. History is filled, backed up and restored into
// another database; then a node starts and orders arrive at a fixed rate. Each turn is longer than the interval of the
// worker that creates future weeks, which used to block writers.
import path from 'node:path';
import { formatCount } from '../../src/domain/counts.ts';
import { restoreBackup } from '../../src/store/backup/restore.ts';
import { writeBackup } from '../../src/store/backup/write.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { HISTORY_TABLES } from '../../src/store/upkeep/history.ts';
import { migrate } from '../../src/store/schema/migrate.ts';
import { withClient, type UndoList } from '../../harness/postgres/cluster.ts';
import { addPastWeeks, Filler } from '../stage/fill.ts';
import type { LoadCommands } from '../processes/load-process.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import { orderLoad } from '../processes/orders.ts';
import type { Report } from '../report/report.ts';
import { openSite, type Site } from '../stage/stage.ts';
import { summarize } from '../../harness/measure/statistics.ts';
import { settleTown } from '../stage/town.ts';

export interface RestoreOptions {
  undo: UndoList;
  /** Number of restored orders, each with one event and one attempt. */
  orders: number;
  /** Duration of one turn after the restore; weeks are created once a minute. */
  seconds: number;
  turns: number;
  say: (line: string) => void;
}

const RESTAURANTS = 50;
const RATE_PER_SECOND = 200;
const CONNECTIONS = 64;

export async function benchRestore(report: Report, options: RestoreOptions): Promise<void> {
  const { undo, seconds, turns, say } = options;
  const site = await openSite({ undo });
  const empty = await openTown(site, 'empty');
  const source = await openTown(site, 'source');
  await source.stop();
  const target = await site.cluster.addDatabase('target');
  await migrate(target);
  await fillAndRestore(report, { ...options, site, source, target });

  const restored = await site.startNode({ databaseUrl: target, roles: ['api'] });
  const generator = site.start<LoadCommands>('load-process.ts');
  const all: Record<'write' | 'empty', number[]> = { write: [], empty: [] };
  const loads = {
    write: orderLoad(restored.address, source.intake),
    empty: orderLoad(empty.address, empty.intake),
  };
  // The databases take turns, so that other load on the machine affects both.
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const name of ['write', 'empty'] as const) {
      say(`restore: ${RATE_PER_SECOND} orders/s for ${seconds} s, ${name === 'empty' ? 'new' : 'restored'} database`);
      const pace = { ratePerSecond: RATE_PER_SECOND, maxConnections: CONNECTIONS, seconds };
      const latenciesMs = await generator.ask('open', { ...loads[name], ...pace });
      report.addLatencies(`restore.${name}`, latenciesMs, RATE_PER_SECOND * seconds);
      report.add(`restore.${name}.slowest`, 'ms', Math.max(0, ...latenciesMs));
      all[name].push(...latenciesMs);
    }
  }
  const p99Of = (latenciesMs: readonly number[]): number => summarize(Float64Array.from(latenciesMs)).p99Ms;
  report.add('restore.write.ratio', 'of empty', p99Of(all.write) / p99Of(all.empty));
  report.add('restore.outside', 'rows in no week', await countOutsideWeeks(target));
}

type Town = Awaited<ReturnType<typeof openTown>>;

async function openTown(site: Site, name: string) {
  const url = await site.cluster.addDatabase(name);
  await migrate(url);
  const { node, address, stop } = await site.startNode({ databaseUrl: url, roles: ['api'] });
  const webhookUrl = site.webhookUrlAt('localhost');
  const intake = await node.ask('addRestaurant', { isAutoApproving: true, webhookUrl });
  const town = await settleTown(node, Array<string>(RESTAURANTS).fill(webhookUrl));
  return { url, address, stop, intake, restaurantIds: town.map(({ id }) => id) };
}

async function fillAndRestore(
  report: Report,
  setup: RestoreOptions & { site: Site; source: Town; target: string },
): Promise<void> {
  const { site, source, target, orders, say } = setup;
  say(`restore: filling ${formatCount(orders)} orders`);
  await fillSource(source.url, { restaurantIds: source.restaurantIds, orders });
  const file = path.join(site.cluster.folder, 'backup.gz');
  const onProgress = () => undefined;
  const backup = await timed(() => writeBackup({ url: source.url, file, now: Date.now(), onProgress }));
  report.add('restore.backup.rate', 'rows/s', backup.value.rows / backup.seconds);
  say('restore: restoring');
  const restored = await timed(() => restoreBackup({ url: target, file, opensKeyCheck: () => true, onProgress }));
  report.add('restore.time', 's', restored.seconds);
  report.add('restore.rate', 'rows/s', restored.value.rows / restored.seconds);
}

async function fillSource(url: string, fill: { restaurantIds: readonly string[]; orders: number }): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1 });
  try {
    await addPastWeeks(db);
  } finally {
    await db.close();
  }
  await withClient(url, async (client) => {
    await client.query('set synchronous_commit = off');
    const filler = new Filler(client, fill.orders + 1);
    await filler.addBriefHistory(fill.restaurantIds, fill.orders, () => undefined);
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
