// The line between the first process of a node and one that it started. Either may ask the other what it has counted, so
// that whoever is asked for metrics can answer for the whole node.
import type { CountedMetrics } from './http/metrics/metrics.ts';

/** A child process, or, seen from there, the process itself. */
export interface LineEnd {
  connected: boolean;
  send?(message: LineMessage, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: LineMessage) => void): unknown;
}

export type LineMessage =
  | { kind: 'count'; number: number }
  | { kind: 'counted'; number: number; counted: CountedMetrics[] };

/** One that hangs or has not begun is left out: metrics are asked for by people who want to know what is wrong. */
const ANSWER_LIMIT_MS = 500;
/** Of one that asks others first: should one of these hang, the rest is still told. */
export const ANSWER_FOR_ALL_LIMIT_MS = 2 * ANSWER_LIMIT_MS;

export class ProcessLine {
  readonly #end: LineEnd;
  readonly #asked = new Map<number, (counted: CountedMetrics[]) => void>();
  #lastNumber = 0;

  constructor(end: LineEnd, count: () => Promise<CountedMetrics[]>) {
    this.#end = end;
    end.on('message', (message) => {
      if (message.kind === 'counted') return this.#asked.get(message.number)?.(message.counted);
      void count().then((counted) => this.#say({ kind: 'counted', number: message.number, counted }));
    });
  }

  /** What the other one answers for; nothing where it does not answer in time. */
  async ask(limitMs = ANSWER_LIMIT_MS): Promise<CountedMetrics[]> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const answered = Promise.withResolvers<CountedMetrics[]>();
    const giveUp = setTimeout(() => answered.resolve([]), limitMs);
    this.#asked.set(number, answered.resolve);
    if (!this.#say({ kind: 'count', number })) answered.resolve([]);
    try {
      return await answered.promise;
    } finally {
      clearTimeout(giveUp);
      this.#asked.delete(number);
    }
  }

  /** False where the other one is gone: it needs no answer, and gives none. */
  #say(message: LineMessage): boolean {
    if (!this.#end.connected) return false;
    this.#end.send?.(message, () => undefined);
    return true;
  }
}
