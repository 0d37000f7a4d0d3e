// Runs many days of the Meal Delivery Routing Problem and compares them with published results.
import path from 'node:path';
import { readNumber, readTable } from '../../harness/instances/data-folder.ts';
import { listMdrp, readMdrp } from '../../harness/instances/mdrp-instance.ts';
import { MdrpDay, POLICY } from './mdrp-simulation.ts';
import { type MdrpFigures, validateMdrp } from './mdrp-validate.ts';
import { threadCpuMs } from './thread-cpu.ts';

const CLAIRVOYANT = 'exact_CtD(Reyes T4 <=2-bundles; or Yildiz T9 single)';

interface Anchor {
  lowerBound: number;
  foodMatchExcess: number;
  foodMatchUndeliveredPct: number;
  foodMatchCostPerOrder: number;
  /** Reyes et al., as reimplemented by others. */
  reyesExcess: number;
  reyesUndeliveredPct: number;
  /** As published by Reyes et al.; only for some instances. */
  reyesPublishedExcess: number | undefined;
  /** With all of the day's orders known in advance; only for some instances. */
  clairvoyantExcess: number | undefined;
}

export interface MdrpRow extends MdrpFigures, Anchor {
  instance: string;
  orders: number;
  excess: number;
  plans: number;
  cpuSeconds: number;
}

function readAnchors(folder: string): Map<string, Anchor> {
  const rows = readTable(path.join(folder, 'mdrp-anchors.csv'), ',');
  const exact = new Map(readTable(path.join(folder, 'mdrp-exact-seed0.csv'), ',').map((row) => [row['instance'], row]));
  return new Map(
    rows.map((row) => {
      const lowerBound = readNumber(row, 'lower_bound_ctd');
      const published = exact.get(row['instance']) ?? {};
      const excessOf = (column: string): number | undefined =>
        (published[column] ?? '') === '' ? undefined : readNumber(published, column) - lowerBound;
      const anchor = {
        lowerBound,
        foodMatchExcess: readNumber(row, 'foodmatch_ctd') - lowerBound,
        foodMatchUndeliveredPct: readNumber(row, 'foodmatch_undelivered_pct'),
        foodMatchCostPerOrder: readNumber(row, 'foodmatch_cost_per_order'),
        reyesExcess: readNumber(row, 'reyes_reimplemented_ctd') - lowerBound,
        reyesUndeliveredPct: readNumber(row, 'reyes_reimplemented_undelivered_pct'),
        reyesPublishedExcess: excessOf('Reyes_published_CtD'),
        clairvoyantExcess: excessOf(CLAIRVOYANT),
      };
      return [row['instance'] ?? '', anchor];
    }),
  );
}

/** Simulates the days one after another; only every `every`-th one for a quick check. */
export function benchMdrp(folder: string, options: { every: number; onRow: (row: MdrpRow) => void }): MdrpRow[] {
  const anchors = readAnchors(folder);
  const names = listMdrp(folder).filter((_, index) => index % options.every === 0);
  return names.map((name) => {
    const anchor = anchors.get(name);
    if (anchor === undefined) throw new Error(`there is no published figure for ${name}`);
    const instance = readMdrp(folder, name);
    const startMs = threadCpuMs();
    const day = new MdrpDay(instance, POLICY);
    const trips = day.run();
    const cpuSeconds = (threadCpuMs() - startMs) / 1000;
    const figures = validateMdrp(instance, trips);
    if (figures.faults.length > 0) throw new Error(`${name} is not valid: ${figures.faults.slice(0, 5).join('; ')}`);
    const excess = figures.clickToDoor - anchor.lowerBound;
    const row = {
      instance: name,
      orders: instance.orders.length,
      ...figures,
      ...anchor,
      excess,
      plans: day.plans,
      cpuSeconds,
    };
    options.onRow(row);
    return row;
  });
}

export function formatMdrpCsv(rows: readonly MdrpRow[]): string {
  const columns = [
    'instance',
    'orders',
    'lowerBound',
    'clickToDoor',
    'excess',
    'undeliveredPct',
    'costPerOrder',
    'readyToPickup',
    'ordersPerTrip',
    'overTargetPct',
    'foodMatchExcess',
    'foodMatchUndeliveredPct',
    'foodMatchCostPerOrder',
    'reyesExcess',
    'reyesUndeliveredPct',
    'reyesPublishedExcess',
    'clairvoyantExcess',
    'plans',
    'cpuSeconds',
  ] as const satisfies readonly (keyof MdrpRow)[];
  const cell = (value: number | string | undefined): string =>
    typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value ?? '');
  return `${[columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].join('\n')}\n`;
}
