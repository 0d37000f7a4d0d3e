// What the clients saw during each event: acknowledged orders and refusals in short intervals.
import type { EventRecord, Mark } from '../rehearsal.ts';
import type { AnswerLine } from '../stage/answers.ts';

export interface Timeline {
  number: number;
  /** From the start of the event. */
  marks: Mark[];
  stepMs: number;
  /** One entry per step. */
  acknowledged: number[];
  refused: number[];
}

/** Shown before the start and after the end. */
const MARGIN_MS = 1_000;
const MAX_STEPS = 120;
const STEPS_MS = [100, 200, 500, 1_000, 2_000];

export function drawTimelines(events: readonly EventRecord[], answers: readonly AnswerLine[]): Timeline[] {
  return events.map(({ number, from, to, marks }) => {
    const begins = from - MARGIN_MS;
    const lengthMs = to + MARGIN_MS - begins;
    const stepMs = STEPS_MS.find((step) => lengthMs / step <= MAX_STEPS) ?? Math.ceil(lengthMs / MAX_STEPS);
    const acknowledged = Array.from({ length: Math.ceil(lengthMs / stepMs) }, () => 0);
    const refused = acknowledged.map(() => 0);
    for (const { at, tookMs, kind, status, isIntake } of answers) {
      const step = Math.floor((at + tookMs - begins) / stepMs);
      const isShown = step >= 0 && step < acknowledged.length && kind === 'order';
      if (isShown && isIntake) acknowledged[step] = (acknowledged[step] ?? 0) + 1;
      else if (isShown && (status === 0 || status >= 500)) refused[step] = (refused[step] ?? 0) + 1;
    }
    return {
      number,
      marks: marks.map(({ at, text }) => ({ at: Math.round(at - begins), text })),
      stepMs,
      acknowledged,
      refused,
    };
  });
}
