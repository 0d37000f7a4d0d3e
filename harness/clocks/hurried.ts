// Wall time that runs faster than real time. Processes with the same settings read the same time.
import type { Clock } from '../../src/platform.ts';

export interface Hurry {
  since: number;
  factor: number;
}

export function hurried({ since, factor }: Hurry, at: number): number {
  return since + Math.floor((at - since) * factor);
}

export function createHurriedClock(hurry: Hurry): Clock {
  return { now: () => hurried(hurry, Date.now()), monotonicMs: () => performance.now() };
}
