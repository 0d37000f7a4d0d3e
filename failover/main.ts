// `npm run failover`: rehearses what can happen to a replicated installation, and checks that nothing was lost.
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatUtc } from '../src/domain/time.ts';
import { newSeed } from '../harness/chance.ts';
import { describeMachine, showMachine } from '../harness/measure/machine.ts';
import { createProgress } from '../harness/progress.ts';
import { Cluster } from './cluster/cluster.ts';
import { findPrograms, MissingPackages, readPostgresVersion } from './cluster/packages.ts';
import { countEvents, FULL_COUNT, KIND_KEYS, KINDS, type KindKey } from './kinds.ts';
import { ORDERS_PER_SECOND, PREVIOUS_VERSION_FOLDER, runAll, type Wanted } from './run.ts';
import { makePage } from './report/page.ts';
import { concludeReport, type Report } from './report/report.ts';
import { describeReport } from './report/tables.ts';

const USAGE = `npm run failover [-- --events N] [--short] [--seed S] [--only kind,kind] [--no-controls] [--report file]
  kinds: ${KIND_KEYS.join(', ')}`;

const RESULTS_FOLDER = path.join(import.meta.dirname, 'results');

class WrongUsage extends Error {}

interface Order extends Wanted {
  reportFile: string;
  judgesTimes: boolean;
}

function readWanted(): Order {
  const { values } = parseArgs({
    options: {
      events: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      report: { type: 'string' },
      short: { type: 'boolean' },
      'no-controls': { type: 'boolean' },
    },
  });
  const isShort = values.short === true;
  const keys = readKinds(values.only) ?? KIND_KEYS.filter((key) => !isShort || KINDS[key].isShort);
  const planned = keys.reduce((sum, key) => sum + KINDS[key].count, 0);
  // Without `--events`, `--only` keeps the counts of a full rehearsal.
  const usual = isShort ? 0 : planned;
  return {
    seed: readNumber(values.seed, newSeed()),
    counts: countEvents(keys, readNumber(values.events, usual)),
    hasControls: values['no-controls'] !== true,
    reportFile: path.resolve(values.report ?? path.join(RESULTS_FOLDER, `${nameOfRun()}.html`)),
    // The short form may run beside other work.
    judgesTimes: !isShort,
  };
}

function readNumber(text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 0) throw new WrongUsage(`${text} is not a whole number`);
  return value;
}

function readKinds(text: string | undefined): KindKey[] | undefined {
  if (text === undefined) return undefined;
  const wanted = text.split(',');
  const unknown = wanted.find((name) => !KIND_KEYS.some((key) => key === name));
  if (unknown !== undefined) throw new WrongUsage(`Unknown kind ${unknown}`);
  return KIND_KEYS.filter((key) => wanted.includes(key));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function main(): Promise<boolean> {
  const wanted = readWanted();
  const { reportFile } = wanted;
  const programs = findPrograms(say);
  const planned = [...wanted.counts.values()].reduce((sum, count) => sum + count, 0);
  say(`${planned} events (a full rehearsal has ${FULL_COUNT}), seed ${wanted.seed}`);
  const startedAtMs = performance.now();
  const progress = createProgress();
  progress.show('starting the cluster');
  const cluster = await Cluster.start({ programs, hasLogDisks: wanted.counts.has('disk-full') });
  try {
    const run = await runAll(cluster, wanted, (text) => progress.show(text)).catch(async (error: unknown) => {
      progress.end();
      // An event that does not end is a finding, and only the logs can explain it.
      say(`Histories and logs: ${await keepRecords(cluster.folder, reportFile)}`);
      throw error;
    });
    progress.end();
    const report = concludeReport(run, {
      seed: wanted.seed,
      ordersPerSecond: ORDERS_PER_SECOND,
      tookSeconds: Math.round((performance.now() - startedAtMs) / 1_000),
      judgesTimes: wanted.judgesTimes,
      machine: showMachine({ ...(await describeMachine()), postgres: readPostgresVersion(programs) }),
    });
    say(`\n${describeReport(report)}\n`);
    await writeReport(report, reportFile);
    say(`Report: ${reportFile}`);
    if (!report.isWell) say(`Histories and logs: ${await keepRecords(cluster.folder, reportFile)}`);
    say(report.isWell ? 'Nothing was lost.' : `Something is wrong. Repeat with --seed ${wanted.seed}.`);
    return report.isWell;
  } finally {
    await cluster.stop();
  }
}

function nameOfRun(): string {
  return `failover-${formatUtc(Date.now()).slice(0, 19).replaceAll(/[:T]/g, '-')}`;
}

async function writeReport(report: Report, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, makePage(report));
  await writeFile(`${file.replace(/\.html$/, '')}.json`, `${JSON.stringify(report, null, 2)}\n`);
}

/** Everything else in the folder is data. */
const RECORD = /\.(log|jsonl|cfg|yml)$/;

async function keepRecords(folder: string, reportFile: string): Promise<string> {
  const kept = reportFile.replace(/\.html$/, '');
  for (const name of await readdir(folder, { recursive: true })) {
    const isProgram = name.startsWith(PREVIOUS_VERSION_FOLDER);
    if (RECORD.test(name) && !isProgram) await cp(path.join(folder, name), path.join(kept, name));
  }
  return kept;
}

// Exits through `process.exit`, so that the exit handlers clean up after a signal too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  const isUsage = error instanceof WrongUsage || (error instanceof TypeError && 'code' in error);
  if (!isUsage && !(error instanceof MissingPackages)) throw error;
  process.stderr.write(`${error.message}${isUsage ? `\n${USAGE}` : ''}\n`);
  process.exitCode = 2;
}
