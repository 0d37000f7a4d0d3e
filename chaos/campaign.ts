// A run: load on three nodes, one fault after the other, and in the end the checks.
import { setTimeout as pause } from 'node:timers/promises';
import { createChance } from '../harness/chance.ts';
import { gatherEvidence, type Evidence } from '../harness/evidence/evidence.ts';
import type { Fault } from './faults/fault.ts';
import { checkAll, type Findings } from '../harness/evidence/invariants.ts';
import { FAULT_KEYS, type FaultKey, type Kit } from './faults/faults.ts';
import { Stage, type StageOptions } from './stage/stage.ts';

export interface CampaignOptions {
  seed: number;
  kills: number;
  only: readonly FaultKey[];
  freezeMs: number;
  /** No new fault begins after this. */
  endsAtMs: number;
  onProgress(text: string): void;
}

export interface FaultResult {
  key: FaultKey;
  name: string;
  done: number;
  obstacle?: string;
}

export interface Concluded {
  evidence: Evidence;
  findings: Findings;
}

export interface CampaignResult {
  faults: FaultResult[];
  /** One for each stage there was; the small disk has its own. */
  checked: Concluded[];
}

const FINAL_LOAD_MS = 1_000;
/** A dead node is noticed within ten seconds, and what a lost answer left behind by the second sweep. */
const DRAINED_WITHIN_MS = 60_000;

/** How often each fault comes, for so many kills in all. */
function doseOf(key: FaultKey, kills: number): number {
  const isLong = kills >= 100;
  switch (key) {
    case 'kill-nodes':
      return kills - doseOf('kill-postgres', kills);
    case 'kill-postgres':
      return Math.ceil(kills / 10);
    case 'cut-database':
    case 'cut-clients':
      return Math.max(5, Math.floor(kills / 2));
    case 'rolling-restart':
    case 'clock':
      return isLong ? 3 : 1;
    default:
      return 1;
  }
}

export async function runCampaign(kit: Kit, options: CampaignOptions): Promise<CampaignResult> {
  const result: CampaignResult = { faults: [], checked: [] };
  const shared = options.only.filter((key) => key !== 'disk-full');
  if (shared.length > 0) {
    await onStage({ seed: options.seed, ...kit.stageFor(shared) }, async (stage) => {
      for (const key of shared) result.faults.push(await runFault(stage, { key, fault: kit.faults[key], options }));
      result.checked.push(await conclude(stage, options));
    });
  }
  if (options.only.includes('disk-full')) await runOnSmallDisk(kit, options, result);
  return result;
}

async function runOnSmallDisk(kit: Kit, options: CampaignOptions, result: CampaignResult): Promise<void> {
  const fault = kit.faults['disk-full'];
  const obstacle = fault.findObstacle?.();
  if (obstacle !== undefined) {
    result.faults.push({ key: 'disk-full', name: fault.name, done: 0, obstacle });
    return;
  }
  await onStage({ seed: options.seed, ...kit.stageFor(['disk-full']) }, async (stage) => {
    result.faults.push(await runFault(stage, { key: 'disk-full', fault, options }));
    result.checked.push(await conclude(stage, options));
  });
}

export async function onStage(stageOptions: StageOptions, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open(stageOptions);
  try {
    await stage.startLoad();
    await work(stage);
  } finally {
    await stage.close();
  }
}

interface Task {
  key: FaultKey;
  fault: Fault;
  options: Omit<CampaignOptions, 'only'>;
}

export async function runFault(stage: Stage, { key, fault, options }: Task): Promise<FaultResult> {
  const { name } = fault;
  const obstacle = performance.now() > options.endsAtMs ? 'the time was up' : fault.findObstacle?.();
  if (obstacle !== undefined) return { key, name, done: 0, obstacle };
  const times = doseOf(key, options.kills);
  let done = 0;
  const tell = (): void => options.onProgress(`${name}: ${done} of ${times}`);
  tell();
  await fault.run(stage, {
    chance: createChance(options.seed + FAULT_KEYS.indexOf(key)),
    times,
    freezeMs: options.freezeMs,
    onDone: () => {
      done += 1;
      tell();
    },
  });
  return { key, name, done };
}

/** Calm again: everybody finishes what they have begun, and what is left is looked at. */
export async function conclude(
  stage: Stage,
  { onProgress, drainedWithinMs = DRAINED_WITHIN_MS }: { onProgress(text: string): void; drainedWithinMs?: number },
): Promise<Concluded> {
  onProgress('waiting until everything has arrived');
  await pause(FINAL_LOAD_MS);
  await stage.stopLoad();
  const isDrained = await stage.drain(drainedWithinMs);
  await stage.stopNodes();
  onProgress('checking');
  const evidence = await gatherEvidence(stage, isDrained);
  return { evidence, findings: checkAll(evidence) };
}
