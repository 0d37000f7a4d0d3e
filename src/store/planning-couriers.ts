// Couriers as the planner sees them: on duty, with what was last heard of them.
import type { CourierSignal, Vehicle } from '../domain/courier.ts';
import type { Place } from '../domain/geo.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toInstant, toTimestamp } from './order-rows.ts';

export interface CourierAtWork extends CourierSignal {
  id: string;
  /** Null: the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  vehicle: Vehicle;
  capacity: number;
  home: Place | null;
  /** Of the shift that is running; null: no end in sight. */
  shiftEndsAt: Instant | null;
}

interface CourierRow {
  id: string;
  restaurant_id: string | null;
  vehicle: Vehicle;
  capacity: number;
  home_latitude: number | null;
  home_longitude: number | null;
  latitude: number | null;
  longitude: number | null;
  reported_at: Date | null;
  shift_ends_at: Date | null;
}

const LIST_AT_WORK = `
  select c.id, c.restaurant_id, c.vehicle, c.capacity, c.latitude as home_latitude, c.longitude as home_longitude,
    p.latitude, p.longitude, p.reported_at, (
      select max(s.ends_at) from courier_shifts s
      where s.courier_id = c.id and s.starts_at <= $1 and s.ends_at > $1
    ) as shift_ends_at
  from couriers c
  left join courier_positions p on p.courier_id = c.id
  where c.on_duty
  order by c.id`;

export async function listCouriersAtWork(db: Queryable, now: Instant): Promise<CourierAtWork[]> {
  const rows = await db.query<CourierRow>({ name: 'list_couriers_at_work', text: LIST_AT_WORK }, [toTimestamp(now)]);
  return rows.map((row) => ({
    id: row.id,
    restaurantId: row.restaurant_id,
    vehicle: row.vehicle,
    capacity: row.capacity,
    home: toPlace(row.home_latitude, row.home_longitude),
    place: toPlace(row.latitude, row.longitude),
    reportedAt: toInstant(row.reported_at),
    shiftEndsAt: toInstant(row.shift_ends_at),
  }));
}

function toPlace(latitude: number | null, longitude: number | null): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude };
}
