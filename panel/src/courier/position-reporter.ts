// Tells the service where the courier is: at most every few seconds, and now and then also while standing still, because
// a courier who is not heard of for some minutes is left out of plans.
import type { Place } from '../../../src/domain/geo.ts';

export const REPORT_INTERVAL_MS = 5_000;
export const SIGN_OF_LIFE_MS = 45_000;

export interface PositionReporterDeps {
  post: (place: Place) => Promise<unknown>;
  now: () => number;
  wait: (run: () => void, delayMs: number) => () => void;
}

export interface PositionReporter {
  move: (place: Place) => void;
  stop: () => void;
}

export function createPositionReporter({ post, now, wait }: PositionReporterDeps): PositionReporter {
  let latest: Place | undefined;
  let reportedAt = -Infinity;
  let stopWaiting: (() => void) | undefined;
  let isStopped = false;

  const waitFor = (delayMs: number): void => {
    stopWaiting?.();
    stopWaiting = isStopped ? undefined : wait(report, delayMs);
  };

  const report = (): void => {
    if (latest === undefined || isStopped) return;
    reportedAt = now();
    // A position that is lost is made good by the next one.
    void post(latest).catch(() => undefined);
    waitFor(SIGN_OF_LIFE_MS);
  };

  return {
    move(place) {
      latest = place;
      waitFor(Math.max(0, reportedAt + REPORT_INTERVAL_MS - now()));
    },
    stop() {
      isStopped = true;
      stopWaiting?.();
    },
  };
}
