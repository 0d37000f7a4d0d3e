// Keeps this node's time at the database's, and reports a machine whose own clock is wrong: in the log, and in the name
// of the node's connection, which is where the operator's page finds it.
import { SECOND_MS } from '../../domain/time.ts';
import type { DatabaseReading, Platform } from '../../platform.ts';
import type { Queryable } from '../../store/database/database.ts';
import { followDatabaseTime } from '../../store/database/database-time.ts';
import { nameConnection } from '../../store/database/dedicated-connection.ts';

/** A smaller difference is normal without NTP, and smaller changes of a reported one are not news. */
const REPORTED_FROM_MS = SECOND_MS;

export interface ClockWatch {
  /** By a statement of its own. */
  read(): Promise<void>;
  /** By what another statement has told on its way. */
  note(reading: DatabaseReading): Promise<void>;
}

/** One for each connection. */
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
