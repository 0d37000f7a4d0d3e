// Stores the project's published figures in bench/results, with the machine they come from and with charts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawCharts } from './result-charts.ts';
import { showMachine, type Machine } from '../../harness/measure/machine.ts';
import { showTarget, type Result } from './report.ts';
import { showValue } from '../../harness/charts/svg.ts';

export interface KeptResults {
  machine: Machine;
  results: Result[];
}

const JSON_FILE = 'results.json';
const TABLE_FILE = 'results.md';

/** Replaces earlier figures of the same benches with a run's figures, and redraws all charts. */
export async function keepResults(folder: string, run: KeptResults): Promise<void> {
  await mkdir(folder, { recursive: true });
  const kept = mergeResults(await readResults(folder), run);
  await writeFile(path.join(folder, JSON_FILE), `${JSON.stringify(kept, null, 2)}\n`);
  await writeFile(path.join(folder, TABLE_FILE), describeResults(kept));
  for (const [file, svg] of drawCharts(kept.results)) await writeFile(path.join(folder, file), svg);
}

/** Drops earlier figures from a different machine, because they are not comparable. */
export function mergeResults(earlier: KeptResults | undefined, run: KeptResults): KeptResults {
  if (earlier === undefined || !isSameMachine(earlier.machine, run.machine)) return run;
  const measured = new Set(run.results.map(({ bench }) => bench));
  return {
    machine: run.machine,
    results: [...earlier.results.filter(({ bench }) => !measured.has(bench)), ...run.results],
  };
}

/** Ignores fdatasyncMs, which varies slightly with every measurement. */
function isSameMachine(one: Machine, other: Machine): boolean {
  return (['cores', 'processor', 'memoryGib', 'node', 'postgres'] as const).every((key) => one[key] === other[key]);
}

async function readResults(folder: string): Promise<KeptResults | undefined> {
  const text = await readFile(path.join(folder, JSON_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as KeptResults);
}

export function describeResults({ machine, results }: KeptResults): string {
  const sections = [...Map.groupBy(results, ({ bench }) => bench)].map(([bench, figures]) => {
    const rows = figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`);
    const head = [
      '| figure | median | lowest | highest | unit | target | |',
      '| --- | ---: | ---: | ---: | --- | --- | --- |',
    ];
    return [`## ${bench}`, '', ...head, ...rows, ''].join('\n');
  });
  const intro = [
    '# Figures',
    '',
    'Written by `npm run bench -- --charts`; not to be edited.',
    '',
    showMachine(machine),
    '',
  ];
  return [...intro, ...sections].join('\n');
}

function cellsOf(result: Result): string[] {
  const { name, value, unit, met, repetitions } = result;
  return [
    `\`${name}\``,
    showValue(value),
    showValue(Math.min(...repetitions)),
    showValue(Math.max(...repetitions)),
    unit,
    showTarget(result),
    met === null ? '' : met ? 'met' : '**not met**',
  ];
}
