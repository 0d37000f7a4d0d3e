// City time, which runs faster than real time. All processes of a run get the same pace and so read the same time.
// Machine limits stay in real time: the five-second webhook timeout, leases, the planner's search.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/time.ts';
import type { Clock } from '../../src/platform.ts';

/** At real time `realAt` the city's clock shows `cityAt`; from then on it runs `speed` times as fast. */
export interface Pace {
  realAt: number;
  cityAt: Instant;
  speed: number;
}

export class CityClock implements Clock {
  #pace: Pace;
  /** How late each wait ended, in real milliseconds. */
  readonly lagsMs: number[] = [];

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  get pace(): Pace {
    return this.#pace;
  }

  keep(pace: Pace): void {
    this.#pace = pace;
  }

  now(): Instant {
    return toCity(this.#pace, Date.now());
  }

  monotonicMs(): number {
    return performance.now();
  }

  async until(at: Instant): Promise<void> {
    const leftMs = toReal(this.#pace, at) - Date.now();
    if (leftMs <= 0) return;
    const wantedMs = performance.now() + leftMs;
    await pause(leftMs);
    this.lagsMs.push(Math.max(0, performance.now() - wantedMs));
  }
}

/** When both clocks would have shown the same time. Together with the speed, this defines the same pace. */
export function sinceOf({ realAt, cityAt, speed }: Pace): number {
  return (cityAt - realAt * speed) / (1 - speed);
}

export function toCity({ realAt, cityAt, speed }: Pace, at: number): Instant {
  return cityAt + Math.floor((at - realAt) * speed);
}

export function toReal({ realAt, cityAt, speed }: Pace, at: Instant): number {
  return realAt + (at - cityAt) / speed;
}
