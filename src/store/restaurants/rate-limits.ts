// Counts requests per restaurant and minute, across all nodes.
import { MINUTE_MS, type Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface RateRequest {
  restaurantId: string;
  wanted: number;
  limitPerMinute: number;
}

export interface AdmittedRequests {
  admitted: number;
  windowStartedAt: Instant;
}

// Rows are locked in id order, so two nodes asking for the same restaurants never deadlock. A window never starts in
// the future: after the clock is set back, waiting a minute is still enough. The arrays come from subselects to hide
// their length from the query planner, which would otherwise replan every execution at twice the cost of the work
// itself.
const ADMIT_REQUESTS = `
  with asked as (
    select a.restaurant_id, a.wanted, a.most, w.used, w.window_started_at
    from unnest((select $1::uuid[]), (select $2::int[]), (select $3::int[])) as a(restaurant_id, wanted, most)
    join rate_windows w on w.restaurant_id = a.restaurant_id
    order by a.restaurant_id
    for update of w
  ),
  current as (
    select restaurant_id, wanted, most,
      case when is_over then 0 else used end as used,
      case when is_over then $4::timestamptz else least(window_started_at, $4::timestamptz) end as window_started_at
    from (select *, $4::timestamptz >= window_started_at + interval '1 minute' as is_over from asked) as windows
  ),
  granted as (
    select restaurant_id, used, window_started_at, least(wanted, greatest(most - used, 0)) as admitted from current
  )
  update rate_windows w
  set used = granted.used + granted.admitted, window_started_at = granted.window_started_at
  from granted
  where w.restaurant_id = granted.restaurant_id
  returning w.restaurant_id, granted.admitted, w.window_started_at`;

const INSERT_WINDOWS = `
  insert into rate_windows (restaurant_id, window_started_at, used)
  select restaurant_id, $2, 0 from unnest($1::uuid[]) as a(restaurant_id) order by restaurant_id
  on conflict do nothing`;

// A database crash empties the table, so a row may be missing once, at any time.
const MAX_ROUNDS = 3;

/** Each restaurant may appear only once. Only admitted requests count. */
export async function admitRequests(
  db: Queryable,
  asked: readonly RateRequest[],
  now: Instant,
): Promise<Map<string, AdmittedRequests>> {
  const admitted = new Map<string, AdmittedRequests>();
  let missing = asked;
  for (let round = 1; missing.length > 0; round += 1) {
    if (round > 1) await insertWindows(db, missing, now);
    if (round > MAX_ROUNDS) throw new Error('a rate window vanished while it was being used');
    for (const { restaurantId, ...window } of await updateWindows(db, missing, now)) admitted.set(restaurantId, window);
    missing = missing.filter(({ restaurantId }) => !admitted.has(restaurantId));
  }
  return admitted;
}

interface WindowRow extends AdmittedRequests {
  restaurantId: string;
}

// This does not wait for a disk flush: the table is unlogged, and a commit that touched nothing else needs none.
function updateWindows(db: Queryable, asked: readonly RateRequest[], now: Instant): Promise<WindowRow[]> {
  return db.query<WindowRow>({ name: 'admit_requests', text: ADMIT_REQUESTS }, [
    asked.map(({ restaurantId }) => restaurantId),
    asked.map(({ wanted }) => wanted),
    asked.map(({ limitPerMinute }) => limitPerMinute),
    toTimestamp(now),
  ]);
}

async function insertWindows(db: Queryable, asked: readonly RateRequest[], now: Instant): Promise<void> {
  await db.query(INSERT_WINDOWS, [asked.map(({ restaurantId }) => restaurantId), toTimestamp(now)]);
}

export interface RateUse {
  used: number;
  /** Null if nothing counts: the last minute is over, or there was none. */
  windowEndsAt: Instant | null;
}

/** Current use of a restaurant's limit, for display. */
export async function findRateUse(db: Queryable, restaurantId: string, now: Instant): Promise<RateUse> {
  const [row] = await db.query<{ used: number; windowStartedAt: Instant }>(
    'select used, window_started_at from rate_windows where restaurant_id = $1',
    [restaurantId],
  );
  const windowEndsAt = row === undefined ? now : row.windowStartedAt + MINUTE_MS;
  return row === undefined || now >= windowEndsAt ? { used: 0, windowEndsAt: null } : { used: row.used, windowEndsAt };
}
