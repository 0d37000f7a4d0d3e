// What the clients were answered, one line for each request, beside the history of what was acknowledged.
import { openSync, readFileSync, writeSync } from 'node:fs';

/** `order` and `cancel` are requests of integrators; `panel` are those of the restaurant's and the courier's pages. */
export type RequestKind = 'order' | 'cancel' | 'panel';

export interface AnswerLine {
  kind: RequestKind;
  /** When the request was sent, in milliseconds of the machine's monotonic clock. */
  at: number;
  tookMs: number;
  /** 0 if there was no answer. */
  status: number;
  /** Why there was no answer. */
  failure?: string;
  hasRetryAfter: boolean;
  /** HAProxy answered itself. */
  isFromBalancer: boolean;
  isRepeat: boolean;
  /** An order that was not acknowledged before. */
  isIntake: boolean;
}

export function openAnswers(file: string): (line: AnswerLine) => void {
  const descriptor = openSync(file, 'a');
  return (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`);
}

export function readAnswers(file: string): AnswerLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AnswerLine);
}

/** Unaffected by changes to the wall clock, and the same in every process of the machine. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
