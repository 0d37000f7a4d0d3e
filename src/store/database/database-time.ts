// What time it is by the database's clock, which all nodes follow.
import type { Clock } from '../../platform.ts';
import type { Queryable } from './database.ts';

/** SQL: the database's time in milliseconds, at the moment at which it is evaluated. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::double precision';

/** Does nothing where the clock is not to be corrected, as in a test that sets it. */
export async function followDatabaseTime(db: Queryable, clock: Clock): Promise<void> {
  if (clock.follow === undefined) return;
  // Twice: the first question may also open a connection, which takes too long to tell the time exactly.
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
