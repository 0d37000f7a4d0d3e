// Everything that a run ends with: what it cost, what was violated, which controls were caught.
import type { ControlResult } from '../../harness/evidence/tamperings.ts';
import type { KindKey } from '../kinds.ts';
import type { Rehearsal } from '../rehearsal.ts';
import {
  checkAnswers,
  figuresOfEvents,
  figuresOfKinds,
  LIMITS,
  type EventFigures,
  type KindFigures,
} from './figures.ts';
import { drawTimelines, type Timeline } from './timeline.ts';

export interface RunFacts {
  seed: number;
  ordersPerSecond: number;
  tookSeconds: number;
  machine: string;
}

export interface Check {
  name: string;
  found: string[];
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
  skipped: { key: KindKey; obstacle: string }[];
  checks: Check[];
  controls: ControlResult[];
  volume: Volume;
  deadlineMs: number;
  /** Nothing was violated, and every control was caught. */
  isWell: boolean;
}

export function concludeReport(rehearsal: Rehearsal, controls: ControlResult[], facts: RunFacts): Report {
  const { answers, evidence, findings, skipped, totals } = rehearsal;
  const events = figuresOfEvents(rehearsal.events, answers);
  const checks = [...findings, ...checkAnswers(events, answers)].map(([name, found]) => ({ name, found }));
  return {
    ...facts,
    kinds: figuresOfKinds(events),
    events,
    timelines: drawTimelines(rehearsal.events, answers),
    skipped,
    checks,
    controls,
    volume: {
      ...totals,
      requests: answers.length,
      orders: evidence.orders.length,
      events: evidence.events.length,
      webhooks: evidence.arrivals.length,
    },
    deadlineMs: LIMITS.deadlineMs,
    isWell:
      checks.every(({ found }) => found.length === 0) &&
      controls.every(({ isCaught, obstacle }) => isCaught || obstacle !== undefined),
  };
}
