// One run: load on three nodes, each fault in turn, then the checks.
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
  /** No new fault starts after this time. */
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
  /** One entry per stage; the disk-full fault has its own stage. */
  checked: Concluded[];
}

const FINAL_LOAD_MS = 1_000;
/** A dead node is detected within 10 seconds; the second sweep finds deliveries left behind by lost answers. */
const DRAINED_WITHIN_MS = 60_000;

/** How many times each fault is injected, given the total number of kills. */
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
  const obstacle = performance.now() > options.endsAtMs ? 'the time limit was reached' : fault.findObstacle?.();
  if (obstacle !== undefined) return { key, name, done: 0, obstacle };
  const times = doseOf(key, options.kills);
  let done = 0;
  const showDone = (): void => options.onProgress(`${name}: ${done} of ${times}`);
  showDone();
  await fault.run(stage, {
    chance: createChance(options.seed + FAULT_KEYS.indexOf(key)),
    times,
    freezeMs: options.freezeMs,
    onDone: () => {
      done += 1;
      showDone();
    },
  });
  return { key, name, done };
}

/** After the faults: clients and nodes finish their work, then the evidence is checked. */
export async function conclude(
  stage: Stage,
  { onProgress, drainedWithinMs = DRAINED_WITHIN_MS }: { onProgress(text: string): void; drainedWithinMs?: number },
): Promise<Concluded> {
  onProgress('waiting for pending webhooks');
  await pause(FINAL_LOAD_MS);
  await stage.stopLoad();
  const isDrained = await stage.drain(drainedWithinMs);
  await stage.stopNodes();
  onProgress('checking');
  const evidence = await gatherEvidence(stage, isDrained);
  return { evidence, findings: checkAll(evidence) };
}
