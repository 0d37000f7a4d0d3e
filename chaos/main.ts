// `npm run chaos`: injects every fault for the given time, then checks that nothing was lost. `--simulate N` runs N
// seeds of the simulated delivery core instead; `content` sends orders in every accepted spelling through every reader.
import { parseArgs } from 'node:util';
import { newSeed } from '../harness/chance.ts';
import { runCampaign, type CampaignOptions } from './campaign.ts';
import { runDamageControls, runFaultControls } from './controls.ts';
import { FAULT_KEYS, withKit, type FaultKey, type Kit } from './faults/faults.ts';
import { describeControls, describeFaults, describeInvariants, describeViolations, describeVolume } from './report.ts';
import { createProgress } from '../harness/progress.ts';
import { runContent } from './content/content-run.ts';
import { withContentStage } from './content/content-stage.ts';
import { countFrom, simulate } from './simulation/simulate.ts';
import { runTamperings, type ControlResult } from '../harness/evidence/tamperings.ts';

const USAGE = `npm run chaos [-- --kills N] [--seed S] [--minutes M] [--only fault,fault] [--no-controls] [--simulate N]
npm run chaos -- content [--orders N] [--seed S]
  faults: ${FAULT_KEYS.join(', ')}`;

const DEFAULT_KILLS = 300;
const DEFAULT_ORDERS = 100_000;
const ORDERS_AT_ONCE = 1_000;
const LONG_FREEZE_MS = 30_000;
/** Longer than the silence limit of a node, and long enough for other nodes to send what it had leased. */
const SHORT_FREEZE_MS = 16_000;

class WrongUsage extends Error {}

function readNumber(text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 0) throw new WrongUsage(`${text} is not a whole number`);
  return value;
}

function readFaults(text: string | undefined): FaultKey[] {
  if (text === undefined) return [...FAULT_KEYS];
  const wanted = text.split(',');
  const unknown = wanted.find((name) => !FAULT_KEYS.some((key) => key === name));
  if (unknown !== undefined) throw new WrongUsage(`Unknown fault ${unknown}`);
  return FAULT_KEYS.filter((key) => wanted.includes(key));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface FaultRun {
  kit: Kit;
  options: Omit<CampaignOptions, 'onProgress'>;
  hasControls: boolean;
}

async function runFaults({ kit, options, hasControls }: FaultRun): Promise<boolean> {
  const progress = createProgress();
  const withProgress = { ...options, onProgress: (text: string) => progress.show(text) };
  const result = await runCampaign(kit, withProgress);
  const violations = describeViolations(result);
  progress.end();
  say(`\n${describeVolume(result)}\n`);
  say(`${describeFaults(result.faults)}\n`);
  for (const text of violations) say(text);
  const controls: ControlResult[] = result.checked.slice(0, 1).flatMap(({ evidence }) => runTamperings(evidence));
  if (hasControls) {
    const freezeMs = Math.min(options.freezeMs, SHORT_FREEZE_MS);
    controls.push(...(await runFaultControls(kit, { ...withProgress, freezeMs })));
    controls.push(...(await runDamageControls(withProgress)));
  }
  progress.end();
  say(`\n${describeInvariants(result, controls)}\n`);
  if (hasControls) say(`${describeControls(controls)}\n`);
  return violations.length === 0 && controls.every(({ isCaught, obstacle }) => isCaught || obstacle !== undefined);
}

async function runSimulation(seeds: number, first: number): Promise<boolean> {
  const progress = createProgress();
  const summary = await simulate({
    seeds: countFrom(first, seeds),
    onReport: ({ seed, violations: [first] }, done) => {
      if (first !== undefined) progress.show(`seed ${seed}: ${first}\n`);
      if (done % 100 === 0) progress.show(`${done} of ${seeds} seeds`);
    },
  });
  progress.end();
  const days = Math.round(summary.simulatedDays);
  say(
    `${summary.seeds} seeds from ${first}: ${days} simulated days, ${summary.attempts} attempts, ${summary.duplicates} duplicates`,
  );
  for (const { seed, violations } of summary.failed) say(`  seed ${seed}: ${violations[0]}`);
  say(summary.failed.length === 0 ? 'All invariants hold.' : 'Add these seeds to chaos/simulation/known-seeds.ts.');
  return summary.failed.length === 0;
}

async function runSpellings(orders: number, seed: number): Promise<boolean> {
  say(`${orders} orders, seed ${seed}`);
  const progress = createProgress();
  const options = { orders, seed, batchSize: ORDERS_AT_ONCE, onProgress: (text: string) => progress.show(text) };
  try {
    const report = await withContentStage((stage) => runContent(stage, options));
    progress.end();
    const longest = (waits: readonly number[]): string => `${Math.round(Math.max(...waits))} ms`;
    say(
      `${report.accepted} orders accepted and read by all parts of the service. An ordinary order was offered to its courier within ` +
        `${longest(report.waitsBeside)} alongside them, compared with ${longest(report.waitsBefore)} before.`,
    );
    return true;
  } catch (error) {
    progress.end();
    say(`${error instanceof Error ? error.message : String(error)}\nRepeat with --seed ${seed}.`);
    return false;
  }
}

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kills: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string' },
      simulate: { type: 'string' },
      orders: { type: 'string' },
      'no-controls': { type: 'boolean' },
    },
  });
  const seed = readNumber(values.seed, newSeed());
  if (values.simulate !== undefined) return runSimulation(readNumber(values.simulate, 0), seed);
  if (positionals[0] === 'content') return runSpellings(readNumber(values.orders, DEFAULT_ORDERS), seed);
  if (positionals.length > 0) throw new WrongUsage(`Unknown command ${positionals[0]}`);
  const kills = readNumber(values.kills, DEFAULT_KILLS);
  const minutes = readNumber(values.minutes, 60);
  say(`${kills} kills, seed ${seed}`);
  const options = {
    seed,
    kills,
    only: readFaults(values.only),
    freezeMs: kills >= 100 ? LONG_FREEZE_MS : SHORT_FREEZE_MS,
    endsAtMs: performance.now() + minutes * 60_000,
  };
  const hasControls = values['no-controls'] !== true;
  const isWell = await withKit(options.only, (kit) => runFaults({ kit, options, hasControls }));
  say(isWell ? 'All invariants hold.' : `Invariants violated. Repeat with --seed ${seed}.`);
  return isWell;
}

// Exits through `process.exit`, so that the exit handlers clean up after a signal too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  if (!(error instanceof WrongUsage) && !(error instanceof TypeError && 'code' in error)) throw error;
  process.stderr.write(`${error.message}\n${USAGE}\n`);
  process.exitCode = 2;
}
