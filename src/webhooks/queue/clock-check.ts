// Keeps this node's clock in step with the database's, and reports a machine whose own clock is wrong: in the log, and
// in the name of the node's connection, where the operator's page reads it.
import { SECOND_MS } from '../../domain/time.ts';
import type { DatabaseReading, Platform } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { followDatabaseTime } from '../../store/database/database-time.ts';
import { nameConnection } from '../../store/database/dedicated-connection.ts';

/** Smaller differences are normal without NTP. Smaller changes to a reported difference are not reported again. */
const REPORTED_FROM_MS = SECOND_MS;

export interface ClockWatch {
  /** Reads the database's time with a separate statement. */
  read(): Promise<void>;
  /** Uses a time that another statement returned with its result. */
  note(reading: DatabaseReading): Promise<void>;
}

export function createClockWatch(
  { clock, log }: Pick<Platform, 'clock' | 'log'>,
  { session, roles }: { session: Queryable; roles: readonly string[] },
): ClockWatch {
  let reportedMs = 0;

  async function report(): Promise<void> {
    const readMs = clock.offsetMs?.() ?? null;
    if (readMs === null) return;
    const offsetMs = Math.abs(readMs) > REPORTED_FROM_MS ? Math.round(readMs) : 0;
    const isSame = (offsetMs === 0) === (reportedMs === 0) && Math.abs(offsetMs - reportedMs) <= REPORTED_FROM_MS;
    if (isSame) return;
    reportedMs = offsetMs;
    if (offsetMs === 0) log.info({ event: 'clock.in_step' });
    else log.warn({ event: 'clock.differs', offsetMs });
    await nameConnection(session, { roles, clockOffsetMs: offsetMs });
  }

  return {
    async read() {
      await followDatabaseTime(session, clock);
      await report();
    },
    async note(reading) {
      clock.follow?.(reading);
      await report();
    },
  };
}
