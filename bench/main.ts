// `npm run bench`: measures and reports whether the targets are met. Fails only if it could not measure.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHES, type BenchSetup } from './benches.ts';
import type { UndoList } from '../harness/postgres/cluster.ts';
import { describeMachine, showMachine } from '../harness/measure/machine.ts';
import { DataMissing } from '../harness/instances/data-folder.ts';
import { Report, type Target } from './report/report.ts';
import { keepResults } from './report/results.ts';

/** For 2 cores, with everything on one machine. */
const TARGETS: Record<string, Target> = {
  'intake.ratio': { is: 'at least', value: 0.6 },
  'delivery.ratio': { is: 'at least', value: 0.7 },
  'latency.p50': { is: 'at most', value: 10 },
  'latency.p99': { is: 'at most', value: 50 },
  'versus.pgboss.ratio': { is: 'at least', value: 3 },
  'versus.graphile.ratio': { is: 'at least', value: 3 },
  'fairness.ratio': { is: 'at most', value: 1.2 },
  'neighbors.search.ratio': { is: 'at most', value: 1.2 },
  'neighbors.hanging.ratio': { is: 'at most', value: 1.2 },
  'growth.claim.ratio': { is: 'at most', value: 1.25 },
  'growth.intake.ratio': { is: 'at most', value: 1.25 },
  'restore.write.slowest': { is: 'at most', value: 1_000 },
  'restore.outside': { is: 'at most', value: 0 },
  'planning.replan.p99': { is: 'at most', value: 100 },
  'planning.api.ratio': { is: 'at most', value: 1.1 },
  'panel.bundle': { is: 'at most', value: 180 },
  'panel.board.paint': { is: 'at most', value: 1_000 },
  'panel.live': { is: 'at most', value: 2_000 },
  'panel.scroll.p99': { is: 'at most', value: 50 },
};

const DEFAULT_ROWS = 10_000_000;
const RESULTS_FOLDER = path.join(import.meta.dirname, 'results');
const NAMES = Object.keys(BENCHES);
const USUAL_NAMES = NAMES.filter((name) => BENCHES[name]?.isOnlyNamed !== true);

/** Its message explains to the user why the bench cannot run. */
class CannotMeasure extends Error {}

interface Wanted {
  names: string[];
  jsonFile: string | undefined;
  profileFolder: string | undefined;
  rows: number;
  isQuick: boolean;
  keepsResults: boolean;
}

async function main(): Promise<void> {
  const wanted = readArguments();
  if (wanted === 'help') return console.log(usage());
  if (wanted.profileFolder !== undefined) await mkdir(wanted.profileFolder, { recursive: true });
  const report = new Report(TARGETS);
  for (const name of wanted.names) {
    console.error(`${name} …`);
    report.begin(name);
    await runOne(name, { ...wanted, report, outputFolder: RESULTS_FOLDER, say: (line) => console.error(line) });
  }
  console.log(report.table());
  const machine = await describeMachine();
  console.log(`\nMedians. ${showMachine(machine)}`);
  const run = { machine, results: report.results() };
  if (wanted.jsonFile !== undefined) await writeFile(wanted.jsonFile, `${JSON.stringify(run, null, 2)}\n`);
  if (wanted.keepsResults) await keepResults(RESULTS_FOLDER, run);
}

function readArguments(): Wanted | 'help' {
  const { values, positionals } = parse();
  if (values.help === true) return 'help';
  const unknown = positionals.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new CannotMeasure(`There is no bench ${unknown.join(', ')}.\n\n${usage()}`);
  const rows = values.rows === undefined ? undefined : Number(values.rows.replaceAll('_', ''));
  if (rows !== undefined && !(Number.isSafeInteger(rows) && rows >= 1_000)) {
    throw new CannotMeasure('--rows takes a whole number, 1000 or more.');
  }
  if (values.quick === true && values.charts === true) {
    throw new CannotMeasure('The results of --quick are meaningless, so it cannot be combined with --charts.');
  }
  return {
    names: positionals.length > 0 ? positionals : USUAL_NAMES,
    jsonFile: values.json,
    profileFolder: values.profile,
    rows: rows ?? (values.quick === true ? 100_000 : DEFAULT_ROWS),
    isQuick: values.quick === true,
    keepsResults: values.charts === true,
  };
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        profile: { type: 'string' },
        rows: { type: 'string' },
        charts: { type: 'boolean' },
        quick: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new CannotMeasure(`${describe(error)}\n\n${usage()}`);
  }
}

function usage(): string {
  const lines = Object.entries(BENCHES).map(
    ([name, { about, minutes, isOnlyNamed }]) =>
      `  ${name.padEnd(10)} ${about}, about ${minutes} min${isOnlyNamed === true ? '; only when named' : ''}`,
  );
  const minutes = USUAL_NAMES.reduce((sum, name) => sum + (BENCHES[name]?.minutes ?? 0), 0);
  return [
    'Usage: npm run bench [-- <name>…] [--charts] [--json FILE] [--rows N] [--quick] [--profile FOLDER]',
    '',
    `Without names, runs all benches except those marked "only when named": about ${Math.round(minutes)} minutes.`,
    '',
    ...lines,
    '',
    '  --charts   write the results to bench/results as a table, JSON and SVG',
    '  --json     write the results to a file',
    '  --quick    smoke test in seconds; the results are meaningless',
    '  --profile  write a CPU profile of the node to a folder',
  ].join('\n');
}

const interrupted = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Not `once`: the terminal and npm may both send the signal, and the second must not interrupt cleanup.
    process.on(signal, () => {
      // The running measurement fails somewhere when its servers stop.
      process.on('uncaughtException', () => undefined);
      reject(new CannotMeasure(`${signal}: stopped before the end.`));
    });
  }
});
// Awaited only during a bench; without this, a signal at another time would be an unhandled rejection.
interrupted.catch(() => undefined);

/** Each bench gets its own stage, so that none uses tables that another one filled. */
async function runOne(name: string, setup: Omit<BenchSetup, 'undo'>): Promise<void> {
  const undo: UndoList = [];
  try {
    await Promise.race([BENCHES[name]?.run({ ...setup, undo }), interrupted]);
  } catch (error) {
    throw error instanceof DataMissing ? new CannotMeasure(error.message) : error;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof CannotMeasure ? error.message : `The bench could not measure: ${describe(error)}`);
  process.exitCode = 1;
}
