// Clock, chance, ids and log: the four things a test replaces. Nothing else in the service reads the time,
// draws a random number or makes an id by itself.
import { randomBytes } from 'node:crypto';
import type { Instant } from './domain/time.ts';

export interface Clock {
  /** Wall time; may step backwards when a clock is corrected. In a node it follows the database's clock. */
  now(): Instant;
  /** For measuring durations and deadlines; never steps. */
  monotonicMs(): number;
  /** Corrects `now()` by the database's clock. A clock without it stands for the database's clock itself. */
  follow?(reading: DatabaseReading): void;
  /** How far the machine's own clock is ahead of the database's; null while that is not known. */
  offsetMs?(): number | null;
}

/** What the database's clock said, and by our monotonic clock when it was asked and when the answer was here. */
export interface DatabaseReading {
  databaseMs: number;
  askedAtMs: number;
  answeredAtMs: number;
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

/** What is left of an id beside its time, its version and its variant, and the digit that the variant takes a part of. */
const RANDOM_DIGITS = 19;
const POOL_BYTES = RANDOM_DIGITS * 256;

/** UUID version 7: ordered by time, so that rows made together lie together in every index. */
export function createIdSource(clock: Clock, random: (count: number) => Buffer): () => string {
  // One pool for many ids: asking the operating system for ten bytes each time costs more than the rest of an intake.
  let pool = '';
  let used = 0;
  let lastMs = -1;
  let time = '';
  return () => {
    if (used === pool.length) {
      pool = random(POOL_BYTES).toString('hex');
      used = 0;
    }
    const nowMs = clock.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      const digits = nowMs.toString(16).padStart(12, '0');
      time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
    }
    const tail = pool.slice(used, used + RANDOM_DIGITS);
    used += RANDOM_DIGITS;
    // The variant is the two highest bits of its digit.
    const variant = '89ab'.charAt(Number.parseInt(tail.charAt(3), 16) & 0x3);
    return `${time}${tail.slice(0, 3)}-${variant}${tail.slice(4, 7)}-${tail.slice(7)}`;
  };
}

export function createPlatform(log: Log = silentLog, clock: Clock = systemClock): Platform {
  return { clock, log, randomBytes, newId: createIdSource(clock, randomBytes) };
}
