// Reads the time from the database's clock, which all nodes follow.
import type { Clock } from '../../platform.ts';
import type { Queryable } from './database.ts';

/** SQL: the database's time in milliseconds, when the expression is evaluated. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::double precision';

/** Does nothing if the clock must not be corrected, as in a test that sets it. */
export async function followDatabaseTime(db: Queryable, clock: Clock): Promise<void> {
  if (clock.follow === undefined) return;
  // Twice, because the first query may also open a connection, and that delay makes the reading inexact.
  for (let reading = 1; reading <= 2; reading += 1) await readDatabaseTime(db, clock);
}

async function readDatabaseTime(db: Queryable, clock: Clock): Promise<void> {
  const askedAtMs = clock.monotonicMs();
  const [row] = await db.query<{ ms: number }>({
    name: 'read_database_time',
    text: `select ${DATABASE_MS} as ms`,
  });
  if (row !== undefined) clock.follow?.({ databaseMs: row.ms, askedAtMs, answeredAtMs: clock.monotonicMs() });
}
