// Due times that were written by a clock which has been set back since.
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toTimestamp } from './order-rows.ts';

export interface LatestDueTimes {
  now: Instant;
  /** After the first failure, the second, and so on, the last one for ever after; null leaves retries alone. */
  waitsMs: readonly number[] | null;
  limit: number;
}

// What is leased is due, or it would not be; it is mended as well, because its node may die. Nothing is waited for:
// whoever has locked a row is about to finish it, or mends it too.
const BRING_FORWARD = `
  with waiting as materialized (
    select d.event_id, latest.due_at
    from deliveries d
    cross join lateral (
      select $1::timestamptz + coalesce(($2::float8[])[least(d.failures, cardinality($2::float8[]))], 0)
        * interval '1 millisecond' as due_at
    ) latest
    where d.leased_by is null and d.due_at > $1 and d.due_at > latest.due_at
      and (d.failures = 0 or $2::float8[] is not null)
    limit $3
    for update of d skip locked
  ),
  leased as materialized (
    select d.event_id, $1::timestamptz as due_at
    from deliveries d
    where d.leased_by is not null and d.due_at > $1
    limit $3
    for update of d skip locked
  ),
  mended as (
    update deliveries d set due_at = late.due_at
    from (select * from waiting union all select * from leased) late
    where d.event_id = late.event_id
    returning d.event_id
  )
  select count(*)::int as count from mended`;

/** Nothing waits for longer from now than its step of the ladder, and nothing that has not failed waits at all. */
export async function bringForwardDeliveries(db: Queryable, latest: LatestDueTimes): Promise<number> {
  const [row] = await db.query<{ count: number }>({ name: 'bring_forward_deliveries', text: BRING_FORWARD }, [
    toTimestamp(latest.now),
    latest.waitsMs,
    latest.limit,
  ]);
  return row?.count ?? 0;
}
