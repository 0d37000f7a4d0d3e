// What each event cost, and what must never happen. Pure: everything comes from the records of the run.
import { median } from '../../harness/measure/statistics.ts';
import { KINDS, KIND_KEYS, type KindKey } from '../kinds.ts';
import type { EventRecord } from '../rehearsal.ts';
import type { AnswerLine } from '../stage/answers.ts';

export interface EventFigures {
  event: EventRecord;
  /** The longest time in which no new order was acknowledged. */
  gapMs: number;
  /** null: not limited. */
  maxGapMs: number | null;
  /** Requests that were not answered with success. */
  failed: number;
  /** Of these, answered by HAProxy itself. */
  failedAtBalancer: number;
  slowestMs: number;
  acknowledged: number;
}

export interface KindFigures {
  key: KindKey;
  title: string;
  count: number;
  gapMs: { median: number; max: number };
  detectionMs: { median: number; max: number } | undefined;
  /** The longest time without intake beyond what the event itself imposed. */
  beyondMs: number | undefined;
  failed: number;
  slowestMs: number;
}

export interface Limits {
  /** WAYBILL_REQUEST_DEADLINE_MS. */
  deadlineMs: number;
  /** For the way through HAProxy, and for a machine that is busy with three servers and three nodes. */
  allowanceMs: number;
}

export const LIMITS: Limits = { deadlineMs: 5_000, allowanceMs: 500 };

export function figuresOfEvents(events: readonly EventRecord[], answers: readonly AnswerLine[]): EventFigures[] {
  const sorted = answers.toSorted((one, other) => one.at - other.at);
  const intakeTimes = sorted
    .filter(({ isIntake }) => isIntake)
    .map(endOf)
    .toSorted((one, other) => one - other);
  return events.map((event) => {
    const own = sorted.filter((line) => line.at <= event.to && endOf(line) >= event.from);
    const failed = own.filter(isFailure);
    return {
      event,
      gapMs: longestGap(intakeTimes, event),
      maxGapMs: maxGapOf(event),
      failed: failed.length,
      failedAtBalancer: failed.filter(({ isFromBalancer }) => isFromBalancer).length,
      slowestMs: Math.max(0, ...own.map(({ tookMs }) => tookMs)),
      acknowledged: intakeTimes.filter((at) => at >= event.from && at <= event.to).length,
    };
  });
}

function endOf({ at, tookMs }: AnswerLine): number {
  return at + tookMs;
}

function isFailure({ status }: AnswerLine): boolean {
  return status === 0 || status >= 500;
}

/** How long the event itself kept every order from being taken. */
function imposedMs({ detectionMs = 0, heldMs = 0 }: EventRecord): number {
  return detectionMs + heldMs;
}

function maxGapOf(event: EventRecord): number | null {
  const { maxGapMs } = KINDS[event.key].kind;
  return maxGapMs === null ? null : maxGapMs + imposedMs(event);
}

/** Between two acknowledgments, of which at least one moment is within the event. */
function longestGap(times: readonly number[], { from, to }: Pick<EventRecord, 'from' | 'to'>): number {
  const before = times.findLastIndex((at) => at <= from);
  const after = times.findIndex((at) => at >= to);
  const around = times.slice(Math.max(0, before), after === -1 ? undefined : after + 1);
  // An order that was never acknowledged again leaves a gap up to the end.
  const ends = after === -1 ? [...around, to] : around;
  return Math.max(0, ...ends.slice(1).map((at, index) => at - (ends[index] ?? at)));
}

export function figuresOfKinds(figures: readonly EventFigures[]): KindFigures[] {
  return KIND_KEYS.flatMap((key) => {
    const own = figures.filter(({ event }) => event.key === key);
    if (own.length === 0) return [];
    const { kind } = KINDS[key];
    const detections = own.flatMap(({ event }) => event.detectionMs ?? []);
    return {
      key,
      title: kind.title,
      count: own.length,
      gapMs: spreadOf(own.map(({ gapMs }) => gapMs)),
      detectionMs: detections.length === 0 ? undefined : spreadOf(detections),
      beyondMs: kind.maxGapMs === null ? undefined : Math.max(...own.map((one) => one.gapMs - imposedMs(one.event))),
      failed: own.reduce((sum, { failed }) => sum + failed, 0),
      slowestMs: Math.max(...own.map(({ slowestMs }) => slowestMs)),
    };
  });
}

function spreadOf(values: readonly number[]): { median: number; max: number } {
  return { median: median(values), max: Math.max(...values) };
}

export type Rule =
  | 'no 5xx other than 503 with Retry-After'
  | 'every request is answered'
  | 'no answer is later than the deadline'
  | 'planned work fails no request'
  | 'intake is back in time'
  | 'every request succeeds in the end';

const ABOUT_TIME: readonly string[] = [
  'no answer is later than the deadline',
  'intake is back in time',
  'every request succeeds in the end',
] satisfies Rule[];

export function isAboutTime(check: string): boolean {
  return ABOUT_TIME.includes(check);
}

/** Violations of what integrators may expect in every event. */
export function checkAnswers(
  figures: readonly EventFigures[],
  answers: readonly AnswerLine[],
  { deadlineMs, allowanceMs }: Limits = LIMITS,
): Map<Rule, string[]> {
  const eventAt = (line: AnswerLine): EventFigures | undefined =>
    figures.find(({ event }) => endOf(line) >= event.from && line.at <= event.to);
  const whenOf = (line: AnswerLine): string => {
    const found = eventAt(line);
    return found === undefined ? 'between events' : nameOf(found);
  };
  const mayLose = (line: AnswerLine): boolean => {
    const found = eventAt(line);
    return found !== undefined && KINDS[found.event.key].kind.mayLoseAnswers === true;
  };
  const found = (rule: (line: AnswerLine) => boolean, say: (line: AnswerLine) => string): string[] =>
    answers.filter(rule).map((line) => `${whenOf(line)}: ${line.kind}: ${say(line)}`);
  return new Map<Rule, string[]>([
    [
      'no 5xx other than 503 with Retry-After',
      found(
        ({ status, hasRetryAfter }) => status >= 500 && (status !== 503 || !hasRetryAfter),
        ({ status, hasRetryAfter }) => `${status}${hasRetryAfter ? '' : ' without Retry-After'}`,
      ),
    ],
    [
      'every request is answered',
      found(
        (line) => line.status === 0 && !mayLose(line),
        ({ tookMs, failure = 'unknown' }) => `no answer after ${tookMs} ms (${failure})`,
      ),
    ],
    [
      'no answer is later than the deadline',
      found(
        ({ kind, tookMs }) => kind !== 'panel' && tookMs > deadlineMs + allowanceMs,
        ({ status, tookMs }) => `${status} after ${tookMs} ms`,
      ),
    ],
    [
      'planned work fails no request',
      figures
        .filter(({ event, failed }) => !KINDS[event.key].kind.mayFail && failed > 0)
        .map((one) => `${nameOf(one)}: ${one.failed} failed`),
    ],
    [
      'intake is back in time',
      figures
        .filter(({ gapMs, maxGapMs }) => maxGapMs !== null && gapMs > maxGapMs)
        .map((one) => `${nameOf(one)}: ${Math.round(one.gapMs)} ms, limit ${Math.round(one.maxGapMs ?? 0)} ms`),
    ],
  ]);
}

function nameOf({ event }: EventFigures): string {
  return `event ${event.number} (${KINDS[event.key].kind.title})`;
}
