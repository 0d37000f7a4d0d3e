// Clock, chance, ids and log: the four things a test replaces. Nothing else in the service reads the time,
// draws a random number or makes an id by itself.
import { randomBytes } from 'node:crypto';
import type { Instant } from './domain/time.ts';

export interface Clock {
  /** Wall time; may step backwards when the machine's clock is corrected. */
  now(): Instant;
  /** For measuring durations and deadlines; never steps. */
  monotonicMs(): number;
}

/** One line each: what happened, as `event`, and everything about it that is worth knowing later. */
export type LogLine = Readonly<Record<string, unknown>> & { event: string };

export interface Log {
  info(line: LogLine): void;
  warn(line: LogLine): void;
  error(line: LogLine): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

export interface Platform {
  clock: Clock;
  randomBytes: (count: number) => Buffer;
  newId: () => string;
  log: Log;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** UUID version 7: ordered by time, so that rows made together lie together in every index. */
export function createIdSource(clock: Clock, random: (count: number) => Buffer): () => string {
  // One pool for many ids: asking the operating system for ten bytes each time costs more than the rest of an intake.
  let pool = random(4096);
  let used = 0;
  return () => {
    if (used + 10 > pool.length) {
      pool = random(4096);
      used = 0;
    }
    const tail = pool.toString('hex', used, used + 10);
    used += 10;
    const time = clock.now().toString(16).padStart(12, '0');
    const variant = ((Number.parseInt(tail.charAt(3), 16) & 0x3) | 0x8).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${tail.slice(0, 3)}-${variant}${tail.slice(4, 7)}-${tail.slice(7, 19)}`;
  };
}

export function createPlatform(log: Log = silentLog, clock: Clock = systemClock): Platform {
  return { clock, log, randomBytes, newId: createIdSource(clock, randomBytes) };
}
