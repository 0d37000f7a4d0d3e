// One time for all nodes. Nodes compare times that other nodes wrote (due times, rate windows, deadlines) with their
// own, so each node follows the database's clock. Between two readings time advances with the monotonic clock, so
// changing the machine's clock has no effect.
import { SECOND_MS, type Instant } from '../domain/time.ts';
import { systemClock, type Clock, type DatabaseReading } from '../platform.ts';

/** Two clocks drift apart by less than this: NTP slews by 500 ppm at most. */
const MAX_DRIFT = 0.001;
/** A smaller correction never makes time run backward: time stands still until the database has caught up. */
const SMALLEST_STEP_MS = SECOND_MS;
/** A less precise offset is not reported. */
const MAX_UNCERTAINTY_MS = 250;

export interface DatabaseClock extends Clock {
  follow(reading: DatabaseReading): void;
  offsetMs(): number | null;
}

/** The database's clock minus this process's monotonic clock. */
interface Bounds {
  lowMs: number;
  highMs: number;
  readAtMs: number;
}

/** Returns the machine's own time until the first reading. */
export function createDatabaseClock(machine: Clock = systemClock): DatabaseClock {
  let bounds: Bounds | undefined;
  let aheadMs = 0;
  let lastSeen: Instant = Number.NEGATIVE_INFINITY;

  function now(): Instant {
    const at = bounds === undefined ? machine.now() : Math.floor(machine.monotonicMs() + aheadMs);
    if (at < lastSeen && lastSeen - at < SMALLEST_STEP_MS) return lastSeen;
    lastSeen = at;
    return at;
  }

  return {
    now,
    monotonicMs: () => machine.monotonicMs(),
    follow(reading) {
      const next = narrow(bounds, reading);
      const middleMs = (next.lowMs + next.highMs) / 2;
      // Moved no further than needed: readings that differ only in latency must not make time jitter.
      aheadMs = bounds === undefined ? middleMs : Math.min(Math.max(aheadMs, next.lowMs), next.highMs);
      bounds = next;
    },
    offsetMs() {
      if (bounds === undefined || bounds.highMs - bounds.lowMs > 2 * MAX_UNCERTAINTY_MS) return null;
      return machine.now() - (machine.monotonicMs() + aheadMs);
    },
  };
}

/**
 * The database read its clock at some moment between request and answer, so one reading bounds the difference by its
 * round trip, and several together give tighter bounds. If the bounds exclude each other, one of the clocks was set or
 * stood still: then only the new reading counts.
 */
function narrow(known: Bounds | undefined, { databaseMs, askedAtMs, answeredAtMs }: DatabaseReading): Bounds {
  const read = { lowMs: databaseMs - answeredAtMs, highMs: databaseMs - askedAtMs, readAtMs: answeredAtMs };
  if (known === undefined) return read;
  const driftMs = (answeredAtMs - known.readAtMs) * MAX_DRIFT;
  const lowMs = Math.max(read.lowMs, known.lowMs - driftMs);
  const highMs = Math.min(read.highMs, known.highMs + driftMs);
  return lowMs <= highMs ? { lowMs, highMs, readAtMs: answeredAtMs } : read;
}
