// Due times that were written by a clock which has been set back since.
import type { Instant } from '../../domain/time.ts';
import type { Database } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { BY_DUE_TIME } from './queue-indexes.ts';

export interface LatestDueTimes {
  readNow(): Instant;
  /** After the first failure, the second, and so on, the last one for ever after; null leaves retries alone. */
  waitsMs: readonly number[] | null;
  limit: number;
}

// Nothing is waited for: whoever has locked a row is about to finish it, or mends it too.
const selectLate = (isMeant: string): string => `
    select d.event_id, latest.due_at
    from deliveries d
    cross join lateral (
      select $1::timestamptz + coalesce(($2::float8[])[least(d.failures, cardinality($2::float8[]))], 0)
        * interval '1 millisecond' as due_at
    ) latest
    where ${isMeant} and d.due_at > $1 and d.due_at > latest.due_at
      and (d.failures = 0 or $2::float8[] is not null)
      and clock_timestamp() between $4::timestamptz and $4::timestamptz + interval '10 seconds'
    limit $3
    for update of d skip locked`;

// What is leased is mended as well, because its node may die; and by the same rule, because a claim that has read the
// clock before the step has perhaps leased what is not due. Apart, so that each is found by its index.
const BRING_FORWARD = `
  with waiting as materialized (${selectLate(`d.leased_by is null and d.${BY_DUE_TIME}`)}
  ),
  leased as materialized (${selectLate('d.leased_by is not null')}
  ),
  mended as (
    update deliveries d set due_at = late.due_at
    from (select * from waiting union all select * from leased) late
    where d.event_id = late.event_id
    returning d.event_id
  )
  select count(*)::int as count from mended`;

/**
 * Nothing waits for longer from now than its step of the ladder, and nothing that has not failed waits at all. A server
 * that is frozen carries a statement out however late: by then "now" is long ago, and what has failed since would be
 * brought too far. So the statement also knows what the server's own clock said just before, and does nothing then.
 */
export function bringForwardDeliveries(db: Database, latest: LatestDueTimes): Promise<number> {
  return db.transaction(async (tx) => {
    const [server] = await tx.query<{ at: string }>({
      name: 'read_server_clock',
      text: 'select clock_timestamp()::text as at',
    });
    const [row] = await tx.query<{ count: number }>({ name: 'bring_forward_deliveries', text: BRING_FORWARD }, [
      toTimestamp(latest.readNow()),
      latest.waitsMs,
      latest.limit,
      server?.at,
    ]);
    return row?.count ?? 0;
  });
}
