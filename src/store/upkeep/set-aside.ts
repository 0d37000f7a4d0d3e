// Orders, couriers and restaurants that a worker could not process.
import { TROUBLE_OVER_MS, type Trouble, type Work } from '../../domain/upkeep/set-aside.ts';
import { DAY_MS, type Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

const SAVE = `
  insert into set_aside (work, kind, id, reason, first_failed_at, last_failed_at)
  select distinct on (t.kind, t.id) $1, t.kind, t.id, t.reason, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as t(kind text, id uuid, reason text)
  on conflict (work, kind, id) do update
  set reason = excluded.reason, last_failed_at = excluded.last_failed_at,
    first_failed_at = case when set_aside.last_failed_at < $4::timestamptz then excluded.first_failed_at
      else set_aside.first_failed_at end`;

/** Also deletes entries whose trouble ended long ago. */
export async function saveTroubles(
  db: Queryable,
  { work, troubles, now }: { work: Work; troubles: readonly Trouble[]; now: Instant },
): Promise<void> {
  await db.query(SAVE, [work, JSON.stringify(troubles), toTimestamp(now), toTimestamp(now - TROUBLE_OVER_MS)]);
  await db.query('delete from set_aside where last_failed_at < $1', [toTimestamp(now - DAY_MS)]);
}

export interface SetAside extends Trouble {
  work: Work;
  since: Instant;
  /** An order's number, or a name; null if the subject no longer exists. */
  name: string | null;
  restaurantName: string | null;
}

const LIST = `
  select s.work, s.kind, s.id, s.reason, s.first_failed_at as since,
    coalesce(o.order_number::text, c.name, r.name) as name, coalesce(ro.name, rc.name) as restaurant_name
  from set_aside s
  left join orders o on s.kind = 'order' and o.id = s.id
  left join restaurants ro on ro.id = o.restaurant_id
  left join couriers c on s.kind = 'courier' and c.id = s.id
  left join restaurants rc on rc.id = c.restaurant_id
  left join restaurants r on s.kind = 'restaurant' and r.id = s.id
  where s.last_failed_at >= $1
  order by s.first_failed_at, s.work, s.id
  limit $2`;

/** Oldest first. */
export function listSetAside(db: Queryable, now: Instant, limit: number): Promise<SetAside[]> {
  return db.query<SetAside>({ name: 'list_set_aside', text: LIST }, [toTimestamp(now - TROUBLE_OVER_MS), limit]);
}

export async function countSetAside(db: Queryable, now: Instant): Promise<{ work: Work; count: number }[]> {
  return db.query<{ work: Work; count: number }>(
    'select work, count(*)::int as count from set_aside where last_failed_at >= $1 group by work',
    [toTimestamp(now - TROUBLE_OVER_MS)],
  );
}
