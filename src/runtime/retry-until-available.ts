// Repeats an attempt until something outside of the program becomes available, and reports what it is waiting for.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../platform.ts';

const RETRY_MS = 500;
const REPORT_INTERVAL_MS = 10_000;

export interface RetryOptions {
  /** One sentence about what is missing; undefined if waiting can't help, and then the error is thrown. */
  explain: (error: unknown) => string | undefined;
  /** Gets a line when the wait begins and every ten seconds after that. */
  say: (text: string) => void;
  clock: Pick<Clock, 'monotonicMs'>;
  /** Ends the wait; the result is then undefined. */
  signal: AbortSignal;
  /** Tests replace it to advance their clock. */
  pause?: (ms: number) => Promise<void>;
}

export async function retryUntilAvailable<Result>(
  attempt: () => Promise<Result>,
  options: RetryOptions,
): Promise<Result | undefined> {
  const { explain, say, clock, signal } = options;
  const pause = options.pause ?? ((ms) => delay(ms, undefined, { signal }).catch(() => undefined));
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      const reason = explain(error);
      if (reason === undefined) throw error;
      const nowMs = clock.monotonicMs();
      if (nowMs - reportedAtMs >= REPORT_INTERVAL_MS) {
        say(reason);
        reportedAtMs = nowMs;
      }
    }
    await pause(RETRY_MS);
  }
  return undefined;
}
