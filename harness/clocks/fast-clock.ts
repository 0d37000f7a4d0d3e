// Wall time that runs faster than real time. Processes with the same settings read the same time.
import type { Clock } from '../../src/platform.ts';

export interface ClockSpeed {
  since: number;
  factor: number;
}

export function speedUp({ since, factor }: ClockSpeed, at: number): number {
  return since + Math.floor((at - since) * factor);
}

export function createFastClock(clockSpeed: ClockSpeed): Clock {
  return { now: () => speedUp(clockSpeed, Date.now()), monotonicMs: () => performance.now() };
}
