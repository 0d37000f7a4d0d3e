// Everything that a run ends with: what it cost, what was violated, which controls were caught.
import type { ControlResult } from '../../harness/evidence/tamperings.ts';
import { INVARIANTS, type Invariant } from '../../harness/evidence/invariants.ts';
import type { Check } from '../controls.ts';
import type { Skipped } from '../plan.ts';
import type { Rehearsal } from '../rehearsal.ts';
import type { Run } from '../run.ts';
import {
  checkAnswers,
  figuresOfEvents,
  figuresOfKinds,
  isAboutTime,
  LIMITS,
  type EventFigures,
  type KindFigures,
  type Rule,
} from '../checks/figures.ts';
import { countTimelines, type Timeline } from './timeline.ts';

export interface RunFacts {
  seed: number;
  ordersPerSecond: number;
  tookSeconds: number;
  machine: string;
  /** Times depend on the machine: a busy one is slow without any fault of Waybill. */
  judgesTimes: boolean;
}

export interface CheckResult {
  name: string;
  found: string[];
  /** Whether a violation makes the run fail. */
  isJudged: boolean;
}

export interface Volume {
  placed: number;
  delivered: number;
  abandoned: number;
  requests: number;
  orders: number;
  events: number;
  webhooks: number;
}

export interface Report extends RunFacts {
  kinds: KindFigures[];
  events: EventFigures[];
  timelines: Timeline[];
  skipped: Skipped[];
  checks: CheckResult[];
  controls: ControlResult<Check>[];
  volume: Volume;
  deadlineMs: number;
  /** Nothing was violated, and every control was caught. */
  isWell: boolean;
}

export function concludeReport({ rehearsals, skipped, controls }: Run, facts: RunFacts): Report {
  const answers = rehearsals.flatMap((rehearsal) => rehearsal.answers);
  const records = rehearsals.flatMap((rehearsal) => rehearsal.events);
  const events = figuresOfEvents(records, answers);
  const checks = [...mergeFindings(rehearsals), ...checkAnswers(events, answers), findUnsettled(rehearsals)].map(
    ([name, found]) => ({
      name,
      found,
      isJudged: facts.judgesTimes || !isAboutTime(name),
    }),
  );
  const total = (count: (rehearsal: Rehearsal) => number): number =>
    rehearsals.reduce((sum, rehearsal) => sum + count(rehearsal), 0);
  return {
    ...facts,
    kinds: figuresOfKinds(events),
    events,
    timelines: countTimelines(records, answers),
    skipped,
    checks,
    controls,
    volume: {
      placed: total(({ evidence }) => evidence.clients.filter(({ kind }) => kind === 'placed').length),
      delivered: total(({ totals }) => totals.delivered),
      abandoned: total(({ totals }) => totals.abandoned),
      requests: answers.length,
      orders: total(({ evidence }) => evidence.orders.length),
      events: total(({ evidence }) => evidence.events.length),
      webhooks: total(({ evidence }) => evidence.arrivals.length),
    },
    deadlineMs: LIMITS.deadlineMs,
    isWell:
      checks.every(({ found, isJudged }) => found.length === 0 || !isJudged) &&
      controls.every(({ isCaught, obstacle }) => isCaught || obstacle !== undefined),
  };
}

function mergeFindings(rehearsals: readonly Rehearsal[]): [Invariant, string[]][] {
  const names = Object.keys(INVARIANTS) as Invariant[];
  return names.map((name) => [name, rehearsals.flatMap(({ findings }) => findings.get(name) ?? [])]);
}

function findUnsettled(rehearsals: readonly Rehearsal[]): [Rule, string[]] {
  const unsettled = rehearsals.filter(({ isSettled }) => !isSettled);
  return [
    'every request succeeds in the end',
    unsettled.map(() => 'some requests were still not acknowledged a minute after the last event'),
  ];
}
