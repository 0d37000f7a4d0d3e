// One rehearsal: events in random order, each followed by a wait until the cluster is whole again, then the checks.
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../harness/chance.ts';
import type { Evidence } from '../harness/evidence/evidence.ts';
import { checkAll, type Findings } from '../harness/evidence/invariants.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Kit, Outcome } from './events/event.ts';
import { KINDS, type KindKey } from './kinds.ts';
import { monotonicNow, readAnswers, type AnswerLine } from './stage/answers.ts';
import type { LoadTotals } from './stage/load-process.ts';
import type { Stage } from './stage/stage.ts';

export interface Mark {
  at: number;
  text: string;
}

/** Times are of the machine's monotonic clock. */
export interface EventRecord extends Outcome {
  key: KindKey;
  /** From 1. */
  number: number;
  from: number;
  /** When the cluster was whole again and all nodes took orders. */
  to: number;
  marks: Mark[];
}

export interface Rehearsal {
  events: EventRecord[];
  answers: AnswerLine[];
  evidence: Evidence;
  findings: Findings;
  totals: LoadTotals;
  /** Whether all that was begun was acknowledged soon after the last event. */
  isSettled: boolean;
}

export interface RehearsalOptions {
  cluster: Cluster;
  stage: Stage;
  kit: Kit;
  chance: Chance;
  /** In this order. */
  plan: readonly KindKey[];
  /** Of the events before. */
  firstNumber: number;
  drainedWithinMs?: number;
  onProgress(text: string): void;
}

/** Between events, so that each finds the load running evenly. */
const CALM_MS = 1_500;

export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const { cluster, stage, kit, chance, plan, firstNumber, drainedWithinMs, onProgress } = options;
  const events: EventRecord[] = [];
  await pause(CALM_MS);
  for (const [index, key] of plan.entries()) {
    onProgress(`${index + 1} of ${plan.length}: ${KINDS[key].kind.title}`);
    events.push(await runEvent(key, firstNumber + index, { cluster, stage, kit, chance }));
    await pause(CALM_MS);
  }
  onProgress('waiting for pending requests and webhooks');
  const evidence = await stage.conclude({ ...(drainedWithinMs !== undefined && { drainedWithinMs }) });
  onProgress('checking');
  const { totals, isSettled } = stage;
  return {
    events,
    answers: readAnswers(stage.answersFile),
    evidence,
    findings: checkAll(evidence),
    totals,
    isSettled,
  };
}

async function runEvent(
  key: KindKey,
  number: number,
  parts: Pick<RehearsalOptions, 'cluster' | 'stage' | 'kit' | 'chance'>,
): Promise<EventRecord> {
  const { kind } = KINDS[key];
  const from = monotonicNow();
  const marks: Mark[] = [];
  const mark = (text: string): void => void marks.push({ at: monotonicNow(), text });
  try {
    const outcome = await kind.run({ ...parts, mark });
    await parts.cluster.waitUntilWhole();
    mark('the cluster is whole');
    await parts.stage.waitUntilReady();
    return { key, number, from, to: monotonicNow(), marks, ...outcome };
  } catch (error) {
    const steps = marks.map(({ at, text }) => `${((at - from) / 1_000).toFixed(1)} s ${text}`);
    throw new Error(`Event ${number} (${kind.title}) did not end: ${steps.join('; ')}`, { cause: error });
  }
}
