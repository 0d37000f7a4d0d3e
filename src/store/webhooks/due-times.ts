// Corrects due times written by a clock that has since been set back.
import type { Instant } from '../../domain/time.ts';
import type { Database } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { BY_DUE_TIME } from './queue-indexes.ts';

export interface LatestDueTimes {
  readNow(): Instant;
  /** Delay after the first failure, the second, and so on; the last one repeats. Null leaves retries unchanged. */
  waitsMs: readonly number[] | null;
  limit: number;
}

// Skips locked rows: the transaction that locks one is about to finish or correct it.
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

// Leased rows are corrected as well, because their node may die; and by the same rule, because a claim that read the
// clock before the change may have leased rows that are not due. Separate queries, so that each uses its index.
const BRING_FORWARD = `
  with waiting as materialized (${selectLate(`d.leased_by is null and d.${BY_DUE_TIME}`)}
  ),
  leased as materialized (${selectLate('d.leased_by is not null')}
  ),
  repaired as (
    update deliveries d set due_at = late.due_at
    from (select * from waiting union all select * from leased) late
    where d.event_id = late.event_id
    returning d.event_id
  )
  select count(*)::int as count from repaired`;

/**
 * Limits each wait, counted from now, to its retry step; deliveries without a failure become due. A frozen server
 * may run a statement much later: "now" is then long past, and later failures would be moved too early. So the
 * statement also gets the server's own time from just before, and does nothing if that is too old.
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
