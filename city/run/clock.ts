// The city's time, which runs faster than the world's. Every process of a run is told the same pace and so reads the same
// time. What bounds a machine stays in the world's time: the five seconds of a webhook, leases, the planner's search.
import { setTimeout as pause } from 'node:timers/promises';
import type { Instant } from '../../src/domain/time.ts';
import type { Clock } from '../../src/platform.ts';

/** From this moment of the world, which is that moment in the city, the city runs so many times as fast. */
export interface Pace {
  realAt: number;
  cityAt: Instant;
  speed: number;
}

export class CityClock implements Clock {
  #pace: Pace;
  /** By how many milliseconds of the world whoever waited here was woken too late. */
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

/** The moment at which both clocks would have shown the same: another way to say the same pace. */
export function sinceOf({ realAt, cityAt, speed }: Pace): number {
  return (cityAt - realAt * speed) / (1 - speed);
}

export function toCity({ realAt, cityAt, speed }: Pace, at: number): Instant {
  return cityAt + Math.floor((at - realAt) * speed);
}

export function toReal({ realAt, cityAt, speed }: Pace, at: Instant): number {
  return realAt + (at - cityAt) / speed;
}
