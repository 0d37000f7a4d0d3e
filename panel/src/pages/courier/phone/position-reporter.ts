// Reports the courier's position: at most every few seconds, with heartbeats while standing still, because plans
// exclude couriers without contact for some minutes. Sends only current positions: repeating an old one would claim
// that the courier is still there. If the phone cannot locate itself, as in a cellar, a heartbeat has no position.
import type { Place } from '../../../../../src/domain/geo.ts';

export const REPORT_INTERVAL_MS = 5_000;
export const SIGN_OF_LIFE_MS = 45_000;

export interface PositionReporterDeps {
  /** Null for a heartbeat without a position. */
  post: (place: Place | null) => Promise<unknown>;
  /** Asks the phone for its current position; undefined if unknown. May never resolve. */
  locate: () => Promise<Place | undefined>;
  now: () => number;
  wait: (run: () => void, delayMs: number) => () => void;
}

export interface PositionReporter {
  move: (place: Place) => void;
  /** Stops reports and heartbeats until the next move. */
  lose: () => void;
  stop: () => void;
}

export function createPositionReporter({ post, locate, now, wait }: PositionReporterDeps): PositionReporter {
  let unreported: Place | undefined;
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
    if (unreported === undefined) waitUntil(reportedAt + SIGN_OF_LIFE_MS, giveSignOfLife);
    else waitUntil(reportedAt + REPORT_INTERVAL_MS, report);
  };

  const report = async (): Promise<void> => {
    if (unreported === undefined) return;
    const place = unreported;
    unreported = undefined;
    reportedAt = now();
    isReporting = true;
    // A lost report is not retried: the next one replaces it.
    await post(place).catch(() => undefined);
    isReporting = false;
    plan();
  };

  const giveSignOfLife = async (): Promise<void> => {
    // Scheduled before locating, because that may never resolve.
    waitUntil(now() + SIGN_OF_LIFE_MS, giveSignOfLife);
    if (isAsking) return postHeartbeat();
    isAsking = true;
    const asked = newsCount;
    const place = await locate();
    isAsking = false;
    if (asked !== newsCount) return;
    if (place === undefined) await postHeartbeat();
    else move(place);
  };

  const postHeartbeat = async (): Promise<void> => {
    await post(null).catch(() => undefined);
  };

  const move = (place: Place): void => {
    unreported = place;
    isKnown = true;
    newsCount += 1;
    plan();
  };

  const lose = (): void => {
    unreported = undefined;
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
