// The Meal Delivery Routing Problem over many days, beside what was published for them.
import path from 'node:path';
import { readNumber, readTable } from './data-folder.ts';
import { listMdrp, readMdrp } from './mdrp-instance.ts';
import { MdrpDay, POLICY } from './mdrp-simulation.ts';
import { type MdrpFigures, validateMdrp } from './mdrp-validate.ts';
import { threadCpuMs } from './thread-cpu.ts';

interface Anchor {
  lowerBound: number;
  foodMatchExcess: number;
  foodMatchUndeliveredPct: number;
  foodMatchCostPerOrder: number;
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
  return new Map(
    rows.map((row) => {
      const lowerBound = readNumber(row, 'lower_bound_ctd');
      const anchor = {
        lowerBound,
        foodMatchExcess: readNumber(row, 'foodmatch_ctd') - lowerBound,
        foodMatchUndeliveredPct: readNumber(row, 'foodmatch_undelivered_pct'),
        foodMatchCostPerOrder: readNumber(row, 'foodmatch_cost_per_order'),
      };
      return [row['instance'] ?? '', anchor];
    }),
  );
}

/** Plays the days one after another; every `every`-th of them, for a quick look. */
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
    'plans',
    'cpuSeconds',
  ] as const satisfies readonly (keyof MdrpRow)[];
  const cell = (value: number | string): string =>
    typeof value === 'string' || Number.isInteger(value) ? String(value) : value.toFixed(3);
  return `${[columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].join('\n')}\n`;
}
