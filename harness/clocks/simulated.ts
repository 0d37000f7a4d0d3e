// Wall time that stands still until the test moves it. Durations stay real: real sockets need real milliseconds.
import type { Clock } from '../../src/platform.ts';

export interface SimulatedClock extends Clock {
  moveTo(at: number): void;
  moveBy(ms: number): void;
}

export function createSimulatedClock(start: string): SimulatedClock {
  let at = Date.parse(start);
  return {
    now: () => at,
    monotonicMs: () => performance.now(),
    moveTo: (next) => {
      at = next;
    },
    moveBy: (ms) => {
      at += ms;
    },
  };
}
