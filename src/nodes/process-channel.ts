// The channel between the first process of a node and one that it started. Each can request the other's metrics, so
// that any process can report metrics for the whole node.
import type { CountedMetrics } from '../http/metrics/metrics.ts';

/** A child process, or the parent as seen from the child. */
export interface ChannelEnd {
  connected: boolean;
  send?(message: ChannelMessage, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: ChannelMessage) => void): unknown;
}

export type ChannelMessage =
  | { kind: 'count'; number: number }
  | { kind: 'drain' }
  | { kind: 'counted'; number: number; counted: CountedMetrics[] };

/** A process that hangs or is still starting is left out: people read metrics to find out what is wrong. */
const ANSWER_LIMIT_MS = 500;
/** For a process that asks others first: if one of those hangs, the rest still arrives in time. */
export const ANSWER_FOR_ALL_LIMIT_MS = 2 * ANSWER_LIMIT_MS;

export class ProcessChannel {
  readonly #end: ChannelEnd;
  readonly #asked = new Map<number, (counted: CountedMetrics[]) => void>();
  #lastNumber = 0;

  constructor(end: ChannelEnd, count: () => Promise<CountedMetrics[]>) {
    this.#end = end;
    end.on('message', (message) => {
      if (message.kind === 'counted') return this.#asked.get(message.number)?.(message.counted);
      if (message.kind === 'count') void this.#answer(message.number, count);
    });
  }

  async #answer(number: number, count: () => Promise<CountedMetrics[]>): Promise<void> {
    this.#say({ kind: 'counted', number, counted: await count() });
  }

  /** Notifies the other process that the node is about to stop. */
  announceDraining(): void {
    this.#say({ kind: 'drain' });
  }

  /** The other process's metrics; empty if it does not answer in time. */
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

  /** Returns false if the other process is gone. */
  #say(message: ChannelMessage): boolean {
    if (!this.#end.connected) return false;
    this.#end.send?.(message, () => undefined);
    return true;
  }
}
