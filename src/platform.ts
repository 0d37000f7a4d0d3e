// Clock, randomness, ids and log: the four things that tests replace. Nothing else in the service reads the time, draws
// a random number or creates an id.
import { randomBytes } from 'node:crypto';
import type { Instant } from './domain/time.ts';

export interface Clock {
  /** Wall time; may step backward when a clock is corrected. In a node it follows the database's clock. */
  now(): Instant;
  /** For measuring durations and deadlines; never steps. */
  monotonicMs(): number;
  /** Corrects `now()` by the database's clock. A clock without this method represents the database's clock itself. */
  follow?(reading: DatabaseReading): void;
  /** How far the machine's own clock is ahead of the database's; null until that is known. */
  offsetMs?(): number | null;
}

/** The database's time, and our monotonic time when it was requested and when the answer arrived. */
export interface DatabaseReading {
  databaseMs: number;
  askedAtMs: number;
  answeredAtMs: number;
}

/** One line per event: what happened, as `event`, and everything about it that is worth knowing later. */
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

/** The hex digits of an id that are not its time or version. The variant takes part of one of them. */
const RANDOM_DIGITS = 19;
const POOL_BYTES = RANDOM_DIGITS * 256;

/** UUID version 7: ordered by time, so that rows created together are adjacent in every index. */
export function createIdSource(clock: Clock, random: (count: number) => Buffer): () => string {
  // One pool for many ids: asking the system for ten bytes per id would cost more than the rest of an intake.
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
