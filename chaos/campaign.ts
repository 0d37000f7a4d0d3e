// A run: load on three nodes, one fault after the other, and in the end the checks.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createChance } from '../test/helpers/chance.ts';
import { gatherEvidence, type Evidence } from './evidence.ts';
import type { Fault } from './fault.ts';
import { createClockSteps, fetchFakeTime } from './faults/clock-steps.ts';
import { cutClients, cutDatabase } from './faults/cut-connections.ts';
import { mountSmallDisk } from './faults/disk-full.ts';
import { freezeNode, freezePostgres } from './faults/freeze.ts';
import { killNodes } from './faults/kill-nodes.ts';
import { killPostgres } from './faults/kill-postgres.ts';
import { rollingRestart } from './faults/rolling-restart.ts';
import { checkAll, type Findings } from './invariants.ts';
import { Stage, type StageOptions } from './stage.ts';

export const FAULT_KEYS = [
  'kill-nodes',
  'kill-postgres',
  'freeze-node',
  'freeze-postgres',
  'cut-database',
  'cut-clients',
  'rolling-restart',
  'clock',
  'disk-full',
] as const;
export type FaultKey = (typeof FAULT_KEYS)[number];

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

export interface CampaignResult {
  faults: FaultResult[];
  /** One for each stage there was; the small disk has its own. */
  checked: { evidence: Evidence; findings: Findings; isDrained: boolean }[];
}

const FINAL_LOAD_MS = 1_000;

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

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const result: CampaignResult = { faults: [], checked: [] };
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-tools-'));
  try {
    await runOnSharedStage(options, folder, result);
    if (options.only.includes('disk-full')) await runOnSmallDisk(options, path.join(folder, 'disk'), result);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return result;
}

async function runOnSharedStage(options: CampaignOptions, folder: string, result: CampaignResult): Promise<void> {
  const fakeTime = options.only.includes('clock') ? fetchFakeTime(path.join(folder, 'time')) : undefined;
  const faults: Record<Exclude<FaultKey, 'disk-full'>, Fault> = {
    'kill-nodes': killNodes,
    'kill-postgres': killPostgres,
    'freeze-node': freezeNode,
    'freeze-postgres': freezePostgres,
    'cut-database': cutDatabase,
    'cut-clients': cutClients,
    'rolling-restart': rollingRestart,
    clock: createClockSteps(fakeTime),
  };
  const chosen = options.only.flatMap((key) => (key === 'disk-full' ? [] : [{ key, fault: faults[key] }]));
  if (chosen.length === 0) return;
  const clockEnv = fakeTime?.env;
  await onStage({ seed: options.seed, ...(clockEnv && { clockEnv }) }, async (stage) => {
    for (const { key, fault } of chosen) result.faults.push(await runFault(stage, { key, fault, options }));
    result.checked.push(await conclude(stage, options));
  });
}

async function runOnSmallDisk(options: CampaignOptions, folder: string, result: CampaignResult): Promise<void> {
  const disk = await mountSmallDisk(folder);
  if (typeof disk === 'string') {
    result.faults.push({ key: 'disk-full', name: 'disk full', done: 0, obstacle: disk });
    return;
  }
  try {
    await onStage({ seed: options.seed, dataDir: disk.dataDir }, async (stage) => {
      result.faults.push(await runFault(stage, { key: 'disk-full', fault: disk.fault, options }));
      result.checked.push(await conclude(stage, options));
    });
  } finally {
    disk.unmount();
  }
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
export async function conclude(stage: Stage, options: Pick<CampaignOptions, 'onProgress'>) {
  options.onProgress('waiting until everything has arrived');
  await pause(FINAL_LOAD_MS);
  await stage.stopLoad();
  const isDrained = await stage.drain();
  await stage.stopNodes();
  options.onProgress('checking');
  const evidence = await gatherEvidence(stage);
  return { evidence, findings: checkAll(evidence), isDrained };
}
