// Positions of couriers on duty. Only the last report of each is kept, and its location only for minutes.
import { POSITION_INTERVAL_MS, POSITION_KEPT_MS } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** Both coordinates or neither. */
export type MaybePlace = { [Coordinate in keyof Place]?: Place[Coordinate] | undefined };

export interface CourierPosition extends Place {
  courierId: string;
  reportedAt: Instant;
}

// A report without a location only shows that the courier is connected: the last known location keeps its age.
const SAVE = `
  insert into courier_positions (courier_id, latitude, longitude, located_at, reported_at)
  select c.id, $2::double precision, $3::double precision, case when $2 is not null then $4::timestamptz end, $4
  from couriers c where c.id = $1 and c.on_duty
  on conflict (courier_id) do update
  set latitude = coalesce(excluded.latitude, courier_positions.latitude),
    longitude = coalesce(excluded.longitude, courier_positions.longitude),
    located_at = coalesce(excluded.located_at, courier_positions.located_at),
    reported_at = excluded.reported_at
  where courier_positions.reported_at <= excluded.reported_at - interval '${POSITION_INTERVAL_MS} milliseconds'
  returning courier_id`;

/** False if the courier is off duty or reported a moment ago. */
export async function savePosition(
  db: Queryable,
  report: Pick<CourierPosition, 'courierId' | 'reportedAt'> & MaybePlace,
): Promise<boolean> {
  const rows = await db.query({ name: 'save_position', text: SAVE }, [
    report.courierId,
    report.latitude ?? null,
    report.longitude ?? null,
    toTimestamp(report.reportedAt),
  ]);
  return rows.length > 0;
}

export async function deletePosition(tx: Queryable, courierId: string): Promise<void> {
  await tx.query('delete from courier_positions where courier_id = $1', [courierId]);
}

/** Erases the location but keeps the time of the last report, which shows that contact with the courier was lost. */
export async function clearOldPlaces(db: Queryable, now: Instant): Promise<void> {
  await db.query(
    {
      name: 'clear_old_places',
      text: `update courier_positions set latitude = null, longitude = null
             where latitude is not null and located_at < $1`,
    },
    [toTimestamp(now - POSITION_KEPT_MS)],
  );
}

/** Only couriers on duty: `restaurantId` limits them to a restaurant's own and those carrying its orders now. */
export function listPositions(
  db: Queryable,
  scope: { restaurantId: string | null; now: Instant },
): Promise<CourierPosition[]> {
  return db.query<CourierPosition>(
    {
      name: 'list_positions',
      text: `
        select p.courier_id, p.latitude, p.longitude, p.located_at as reported_at
        from courier_positions p
        join couriers c on c.id = p.courier_id and c.on_duty
        where p.latitude is not null and p.located_at >= $2
          and ($1::uuid is null or c.restaurant_id = $1 or exists (
            select from orders o
            where o.restaurant_id = $1 and o.finished_at is null and o.courier_id = c.id
              and o.courier_accepted_at is not null
          ))`,
    },
    [scope.restaurantId, toTimestamp(scope.now - POSITION_KEPT_MS)],
  );
}

export async function findPosition(db: Queryable, courierId: string): Promise<Place | undefined> {
  const [row] = await db.query<Place>(
    {
      name: 'find_position',
      text: 'select latitude, longitude from courier_positions where courier_id = $1 and latitude is not null',
    },
    [courierId],
  );
  return row;
}
