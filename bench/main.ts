// `npm run bench [-- <name>…] [--json FILE] [--profile FOLDER]`: measures, says plainly whether the targets are met,
// and fails only when it could not measure.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchDelivery } from './delivery.ts';
import { benchIntake } from './intake.ts';
import { benchLatency } from './latency.ts';
import { DataMissing } from './planner/data-folder.ts';
import { runPlannerBench } from './planner/planner-bench.ts';
import { Report, type Target } from './report.ts';
import { openStage, type Stage } from './stage.ts';

const REPETITIONS = 3;

/** On 2 cores, with everything on that machine. */
const TARGETS: Record<string, Target> = {
  'intake.ratio': { is: 'at least', value: 0.5 },
  'delivery.ratio': { is: 'at least', value: 0.5 },
  'latency.p50': { is: 'at most', value: 10 },
  'latency.p99': { is: 'at most', value: 50 },
};

/** What runs on a stage: a database, a node and a receiver. */
const STAGED: Record<string, (stage: Stage, report: Report) => Promise<void>> = {
  intake: (stage, report) => benchIntake(stage, report, { repetitions: REPETITIONS, seconds: 5 }),
  delivery: (stage, report) => benchDelivery(stage, report, { repetitions: REPETITIONS, count: 20_000 }),
  latency: (stage, report) => benchLatency(stage, report, { repetitions: REPETITIONS, seconds: 20 }),
};
/** Runs only when it is named: it takes as long as the others together, and needs data that is not in the project. */
const PLANNER = 'planner';
const NAMES = [...Object.keys(STAGED), PLANNER];

type Undo = () => Promise<unknown>;

/** Why the bench cannot run, for whoever started it. */
class CannotMeasure extends Error {}

async function main(): Promise<void> {
  const { names, jsonFile, profileFolder } = readArguments();
  if (profileFolder !== undefined) await mkdir(profileFolder, { recursive: true });
  const report = new Report(TARGETS);
  for (const name of names) {
    console.error(`${name} …`);
    if (name === PLANNER) await benchPlanner(report);
    else await runOne(name, report, profileFolder);
  }
  console.log(report.table());
  console.log(
    `\nMedian of ${REPETITIONS} repetitions on ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}.`,
  );
  if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify({ results: report.results() }, null, 2)}\n`);
}

function readArguments(): { names: string[]; jsonFile: string | undefined; profileFolder: string | undefined } {
  const usage = `Usage: npm run bench [-- ${NAMES.join('|')}…] [--json FILE] [--profile FOLDER]`;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'string' }, profile: { type: 'string' } },
    });
    const unknown = positionals.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0) throw new CannotMeasure(`There is no bench ${unknown.join(', ')}. ${usage}`);
    const names = positionals.length > 0 ? positionals : Object.keys(STAGED);
    return { names, jsonFile: values.json, profileFolder: values.profile };
  } catch (error) {
    throw error instanceof CannotMeasure ? error : new CannotMeasure(`${describe(error)}. ${usage}`);
  }
}

/** Each on a stage of its own, so that none works on tables that another one filled. */
async function runOne(name: string, report: Report, profileFolder: string | undefined): Promise<void> {
  const undo: Undo[] = [];
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new CannotMeasure(`${signal}: stopped before the end.`)));
    }
  });
  const work = async (): Promise<void> => {
    const stage = await openStage({ profileFolder, undo });
    await STAGED[name]?.(stage, report);
  };
  try {
    await Promise.race([work(), interrupted]);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

/** Once: the planner is the same for the same seed, and its clock is the processor's. */
async function benchPlanner(report: Report): Promise<void> {
  const say = (line: string): void => console.error(line);
  const outputFolder = path.join(import.meta.dirname, 'results');
  try {
    for (const { name, unit, value, target } of await runPlannerBench({ say, outputFolder })) {
      report.add(name, unit, value);
      if (target !== null) report.aim(name, { is: 'at most', value: target });
    }
  } catch (error) {
    throw error instanceof DataMissing ? new CannotMeasure(error.message) : error;
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
