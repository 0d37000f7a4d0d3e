// `npm run bench -- planner`: dynamic routing (MDRP), static routing (Li & Lim), and the time of a re-plan.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawRowChart } from '../../harness/charts/rows.ts';
import { findDataFolder } from '../../harness/instances/data-folder.ts';
import { benchLiLim, compareLiLim, formatLiLimCsv, type LiLimRow } from './lilim-bench.ts';
import { benchMdrp, formatMdrpCsv, type MdrpRow } from './mdrp-bench.ts';
import { benchReplan } from './replan-bench.ts';

export type PlannerPart = 'mdrp' | 'lilim' | 'replan';

export interface PlannerBenchOptions {
  /** Folder of the public instances; defaults to WAYBILL_BENCH_DATA or a folder next to the project. */
  dataFolder?: string | undefined;
  /** Output folder for the per-instance tables. */
  outputFolder?: string | undefined;
  /** Runs only every nth instance, for a quick check. */
  every?: number | undefined;
  parts?: readonly PlannerPart[] | undefined;
  say: (line: string) => void;
}

export interface PlannerFigure {
  name: string;
  value: number;
  unit: string;
  /** An upper limit for the value. */
  target: number | null;
}

/** VROOM level 5 took 1.3 s for 100 tasks. */
const LILIM_LIMITS_MS: Record<number, number> = { 100: 150, 200: 500, 400: 1000 };

const REPLAN_SIZES = [
  { orders: 100, couriers: 30 },
  { orders: 300, couriers: 90 },
  { orders: 1000, couriers: 300 },
];
const REPLAN_REPETITIONS = 100;

export async function runPlannerBench(options: PlannerBenchOptions): Promise<PlannerFigure[]> {
  const parts = options.parts ?? ['mdrp', 'lilim', 'replan'];
  const figures: PlannerFigure[] = [];
  if (parts.includes('replan')) figures.push(...(await measureReplans(options)));
  if (parts.includes('lilim')) figures.push(...(await measureLiLims(options)));
  if (parts.includes('mdrp')) figures.push(...(await measureMdrp(options)));
  return figures;
}

async function keep(options: PlannerBenchOptions, file: string, text: string): Promise<void> {
  if (options.outputFolder === undefined) return;
  await mkdir(options.outputFolder, { recursive: true });
  await writeFile(path.join(options.outputFolder, file), text);
}

async function measureMdrp(options: PlannerBenchOptions): Promise<PlannerFigure[]> {
  const folder = findDataFolder(options.dataFolder);
  const onRow = (row: MdrpRow): void =>
    options.say(
      `${row.instance.padEnd(16)} excess ${row.excess.toFixed(2)} (FoodMatch ${row.foodMatchExcess.toFixed(2)}), ` +
        `undelivered ${row.undeliveredPct.toFixed(2)} % (${row.foodMatchUndeliveredPct.toFixed(2)}), ` +
        `cost ${row.costPerOrder.toFixed(2)} (${row.foodMatchCostPerOrder.toFixed(2)}), ${row.cpuSeconds.toFixed(1)} s`,
    );
  const rows = benchMdrp(folder, { every: options.every ?? 1, onRow });
  await keep(options, 'planner-mdrp.csv', formatMdrpCsv(rows));
  await keep(options, 'planner-mdrp.svg', drawMdrp(rows));
  const mean = (column: (row: MdrpRow) => number): number => meanOf(rows.map(column));
  const untargeted = (name: string, unit: string, value: number): PlannerFigure => ({
    name,
    unit,
    value,
    target: null,
  });
  return [
    { name: 'planner.mdrp.excess', value: mean((row) => row.excess), unit: 'min', target: 1.5 },
    { name: 'planner.mdrp.undelivered', value: mean((row) => row.undeliveredPct), unit: '%', target: 0.2 },
    { name: 'planner.mdrp.cost', value: mean((row) => row.costPerOrder), unit: 'per order', target: 11.3 },
    untargeted(
      'planner.mdrp.foodmatch.excess',
      'min',
      mean((row) => row.foodMatchExcess),
    ),
    untargeted(
      'planner.mdrp.foodmatch.undelivered',
      '%',
      mean((row) => row.foodMatchUndeliveredPct),
    ),
    untargeted(
      'planner.mdrp.foodmatch.cost',
      'per order',
      mean((row) => row.foodMatchCostPerOrder),
    ),
    untargeted(
      'planner.mdrp.reyes.excess',
      'min',
      mean((row) => row.reyesExcess),
    ),
    untargeted(
      'planner.mdrp.reyes.undelivered',
      '%',
      mean((row) => row.reyesUndeliveredPct),
    ),
    ...compareSmall(rows),
    untargeted(
      'planner.mdrp.bundle',
      'orders a trip',
      mean((row) => row.ordersPerTrip),
    ),
    untargeted(
      'planner.mdrp.cpu',
      'CPU-s a day',
      mean((row) => row.cpuSeconds),
    ),
  ];
}

/** Figures for the small instances with a known optimum and results published by Reyes et al. */
function compareSmall(rows: readonly MdrpRow[]): PlannerFigure[] {
  const small = rows.flatMap(({ excess, reyesPublishedExcess: reyes, clairvoyantExcess: best }) =>
    reyes === undefined || best === undefined ? [] : [{ excess, reyes, best }],
  );
  if (small.length === 0) return [];
  const mean = (column: keyof (typeof small)[number]): number => meanOf(small.map((row) => row[column]));
  return [
    { name: 'planner.mdrp.small.excess', value: mean('excess'), unit: 'min', target: null },
    { name: 'planner.mdrp.small.reyes.excess', value: mean('reyes'), unit: 'min', target: null },
    { name: 'planner.mdrp.small.clairvoyant.excess', value: mean('best'), unit: 'min', target: null },
  ];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Groups instances by seed and kind, regardless of preparation time. */
function drawMdrp(rows: readonly MdrpRow[]): string {
  const groups = Map.groupBy(rows, ({ instance }) => instance.replace(/p\d+$/, ''));
  const means = (column: (row: MdrpRow) => number): number[] =>
    [...groups.values()].map((group) => meanOf(group.map(column)));
  return drawRowChart({
    title: 'Meal delivery: click-to-door above the trivial bound',
    unit: 'minutes',
    rows: [...groups.keys()],
    series: [
      { name: 'Waybill', values: means((row) => row.excess) },
      { name: 'FoodMatch', values: means((row) => row.foodMatchExcess) },
      { name: 'Reyes et al.', values: means((row) => row.reyesExcess) },
    ],
  });
}

async function measureLiLims(options: PlannerBenchOptions): Promise<PlannerFigure[]> {
  const folder = findDataFolder(options.dataFolder);
  const figures: PlannerFigure[] = [];
  for (const [size, timeLimitMs] of Object.entries(LILIM_LIMITS_MS)) {
    const rows = benchLiLim(folder, Number(size), { timeLimitMs, every: options.every ?? 1, seed: 1 });
    await keep(options, `planner-lilim${size}.csv`, formatLiLimCsv(rows));
    const name = `planner.lilim${size}`;
    const vroom = compareLiLim(rows, 'vroomLevel5');
    if (vroom !== undefined) figures.push({ name: `${name}.vs_vroom5`, value: vroom.sum, unit: '%', target: 0 });
    const quick = compareLiLim(rows, 'vroomLevel1');
    if (quick !== undefined) figures.push({ name: `${name}.vs_vroom1`, value: quick.sum, unit: '%', target: null });
    const best = compareLiLim(rows, 'bestKnown');
    if (best !== undefined) {
      figures.push({ name: `${name}.vs_best`, value: best.sum, unit: '%', target: size === '400' ? 3 : null });
      figures.push({ name: `${name}.mean_gap`, value: best.mean, unit: '%', target: null });
    }
    const longestMs = Math.max(...rows.map(({ elapsedMs }) => elapsedMs));
    figures.push({ name: `${name}.longest`, value: longestMs, unit: 'CPU-ms', target: timeLimitMs });
    await keep(options, `planner-lilim${size}.svg`, drawLiLim(size, rows));
    options.say(`Li & Lim ${size}: ${rows.length} instances of ${timeLimitMs} ms`);
  }
  return figures;
}

/** Groups comparable instances by family: clustered, random or both, with a short or long horizon. */
function drawLiLim(size: string, rows: readonly LiLimRow[]): string {
  const comparable = rows.filter(({ bestKnown }) => bestKnown !== undefined);
  const families = Map.groupBy(comparable, ({ instance }) => /^[a-z]+\d/i.exec(instance)?.[0] ?? instance);
  const sums = (column: 'distance' | 'bestKnown' | 'vroomLevel1' | 'vroomLevel5'): number[] =>
    [...families.values()].map((family) => meanOf(family.map((row) => row[column] ?? Number.NaN)));
  const series = [
    { name: 'Waybill', values: sums('distance') },
    { name: 'VROOM level 1', values: sums('vroomLevel1') },
    { name: 'VROOM level 5', values: sums('vroomLevel5') },
    { name: 'best known', values: sums('bestKnown') },
  ];
  return drawRowChart({
    title: `Li & Lim, ${size} tasks: distance in ${LILIM_LIMITS_MS[Number(size)] ?? 0} ms`,
    unit: 'mean distance',
    rows: [...families.keys()],
    series: series.filter(({ values }) => values.every((value) => Number.isFinite(value))),
  });
}

async function measureReplans(options: PlannerBenchOptions): Promise<PlannerFigure[]> {
  const measured = REPLAN_SIZES.map((size) => benchReplan(size, REPLAN_REPETITIONS));
  const chart = drawRowChart({
    title: 'A re-plan after one new order',
    unit: 'milliseconds',
    rows: measured.map(({ orders }) => `${orders} orders`),
    series: [
      { name: 'half within', values: measured.map(({ medianMs }) => medianMs) },
      { name: 'p99', values: measured.map(({ p99Ms }) => p99Ms) },
    ],
  });
  await keep(options, 'planner-replan.svg', chart);
  return measured.flatMap(({ orders, couriers, ...figures }) => {
    options.say(`re-plan of ${orders} open orders and ${couriers} couriers: p99 ${figures.p99Ms.toFixed(0)} ms`);
    const isLargest = orders === 1000;
    const prefix = isLargest ? 'planner.replan' : `planner.replan${orders}`;
    return [
      { name: `${prefix}.p99`, value: figures.p99Ms, unit: 'ms', target: isLargest ? 100 : null },
      { name: `${prefix}.cpu.p99`, value: figures.cpuP99Ms, unit: 'CPU-ms', target: null },
      { name: `${prefix}.p50`, value: figures.medianMs, unit: 'ms', target: null },
      { name: `${prefix}.insertion.p50`, value: figures.insertionMedianMs, unit: 'ms', target: null },
      { name: `${prefix}.cold`, value: figures.coldMs, unit: 'ms', target: isLargest ? 1000 : null },
    ];
  });
}
