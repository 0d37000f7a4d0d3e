import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface CourierShift {
  id: string;
  courierId: string;
  startsAt: Instant;
  endsAt: Instant;
}

/** False if the courier has an overlapping shift. */
export async function insertShift(tx: Queryable, shift: CourierShift): Promise<boolean> {
  const rows = await tx.query(
    `insert into courier_shifts (id, courier_id, starts_at, ends_at)
     select $1, $2::uuid, $3::timestamptz, $4::timestamptz
     where not exists (
       select from courier_shifts s where s.courier_id = $2 and s.starts_at < $4 and s.ends_at > $3
     )
     returning id`,
    [shift.id, shift.courierId, toTimestamp(shift.startsAt), toTimestamp(shift.endsAt)],
  );
  return rows.length > 0;
}

export async function deleteShift(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query('delete from courier_shifts where id = $1 returning id', [id])).length > 0;
}

/** Current and future shifts, earliest first. */
export function listShifts(db: Queryable, courierId: string, now: Instant): Promise<CourierShift[]> {
  return db.query<CourierShift>(
    `select id, courier_id, starts_at, ends_at from courier_shifts
     where courier_id = $1 and ends_at > $2 order by starts_at`,
    [courierId, toTimestamp(now)],
  );
}

/**
 * End, possibly past, of the shift for which courier `c` is on duty at `$1`, including an adjoining shift. A courier
 * on duty after it is only finishing orders; going on duty again means no planned end.
 */
export const SHIFT_END = `(
  select max(s.ends_at) from courier_shifts s
  where s.courier_id = c.id and s.ends_at > coalesce(c.duty_changed_at, c.created_at) and (
    s.starts_at <= $1::timestamptz
    or exists (select from courier_shifts r where r.courier_id = c.id and r.starts_at <= $1 and r.ends_at = s.starts_at)
  )
)`;

export async function findShiftEnd(db: Queryable, courierId: string, now: Instant): Promise<Instant | null> {
  const [row] = await db.query<{ endsAt: Instant | null }>(
    { name: 'find_shift_end', text: `select ${SHIFT_END} as ends_at from couriers c where c.id = $2` },
    [toTimestamp(now), courierId],
  );
  return row?.endsAt ?? null;
}
