// One deadline for everything that a request waits for in the service, over all tries. Work that is late is not stopped:
// its outcome is unknown to the client, who repeats the request.
import type { Clock } from '../../platform.ts';
import { DatabaseUnavailable } from '../../store/database/database.ts';

export interface Deadline {
  /** Fails when the time is used up before the work is done. */
  limit<Result>(work: Promise<Result>): Promise<Result>;
  /** Waiting for the client does not count: reading a body has a time limit of its own. */
  pauseFor<Result>(work: Promise<Result>): Promise<Result>;
}

export function createDeadline(clock: Pick<Clock, 'monotonicMs'>, limitMs: number): Deadline {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  let leftMs = limitMs;
  let runningSinceMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    runningSinceMs = clock.monotonicMs();
    timer = setTimeout(() => reject(new DatabaseUnavailable(`not done within ${limitMs} ms`)), leftMs);
  };
  const stop = (): void => {
    clearTimeout(timer);
    leftMs -= clock.monotonicMs() - runningSinceMs;
  };
  return {
    async limit(work) {
      run();
      try {
        return await Promise.race([work, isLate]);
      } finally {
        stop();
      }
    },
    async pauseFor(work) {
      stop();
      try {
        return await work;
      } finally {
        run();
      }
    },
  };
}
