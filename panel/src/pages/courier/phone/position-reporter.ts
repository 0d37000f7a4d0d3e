// Tells the service where the courier is: at most every few seconds, and now and then also while standing still, because
// a courier who is not heard of for some minutes is left out of plans. Only what the phone knows to be true now is told:
// an old place that is told again would be a courier who stands where they are not. In a pocket or a cellar a phone may not
// know, and then says no more than that it is there.
import type { Place } from '../../../../../src/domain/geo.ts';

export const REPORT_INTERVAL_MS = 5_000;
export const SIGN_OF_LIFE_MS = 45_000;

export interface PositionReporterDeps {
  /** Null: a sign of life without a place. */
  post: (place: Place | null) => Promise<unknown>;
  /** Asks the phone where it is now; undefined where it cannot tell. May never answer. */
  locate: () => Promise<Place | undefined>;
  now: () => number;
  wait: (run: () => void, delayMs: number) => () => void;
}

export interface PositionReporter {
  move: (place: Place) => void;
  /** Nothing is told or asked until the phone moves again. */
  lose: () => void;
  stop: () => void;
}

export function createPositionReporter({ post, locate, now, wait }: PositionReporterDeps): PositionReporter {
  let untold: Place | undefined;
  let reportedAt = -Infinity;
  let isKnown = false;
  let isReporting = false;
  let isAsking = false;
  let isStopped = false;
  let newsCount = 0;
  let stopWaiting: (() => void) | undefined;

  const waitUntil = (at: number, run: () => Promise<void>): void => {
    stopWaiting?.();
    stopWaiting = wait(() => void run(), Math.max(0, at - now()));
  };

  const plan = (): void => {
    if (!isKnown || isReporting || isStopped) return;
    if (untold === undefined) waitUntil(reportedAt + SIGN_OF_LIFE_MS, giveSignOfLife);
    else waitUntil(reportedAt + REPORT_INTERVAL_MS, report);
  };

  const report = async (): Promise<void> => {
    if (untold === undefined) return;
    const place = untold;
    untold = undefined;
    reportedAt = now();
    isReporting = true;
    // A position that is lost is made good by the next one.
    await post(place).catch(() => undefined);
    isReporting = false;
    plan();
  };

  const giveSignOfLife = async (): Promise<void> => {
    // Before the phone has answered, because it may never do so.
    waitUntil(now() + SIGN_OF_LIFE_MS, giveSignOfLife);
    if (isAsking) return tellAlive();
    isAsking = true;
    const asked = newsCount;
    const place = await locate();
    isAsking = false;
    if (asked !== newsCount) return;
    if (place === undefined) await tellAlive();
    else move(place);
  };

  const tellAlive = async (): Promise<void> => {
    await post(null).catch(() => undefined);
  };

  const move = (place: Place): void => {
    untold = place;
    isKnown = true;
    newsCount += 1;
    plan();
  };

  const lose = (): void => {
    untold = undefined;
    isKnown = false;
    newsCount += 1;
    stopWaiting?.();
  };

  return {
    move,
    lose,
    stop() {
      isStopped = true;
      lose();
    },
  };
}
