// Couriers as the planner sees them: on duty, with their last report.
import type { CourierSignal, Vehicle } from '../../domain/couriers/courier.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { Instant } from '../../domain/time.ts';
import { SHIFT_END } from '../couriers/shifts.ts';
import type { Queryable } from '../database/database.ts';
import { toInstant, toTimestamp } from '../database/timestamps.ts';

export interface CourierAtWork extends CourierSignal {
  id: string;
  /** Null means the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  vehicle: Vehicle;
  capacity: number;
  home: Place | null;
  /** End of the shift for which they are on duty, even if past; null if no end is planned. */
  shiftEndsAt: Instant | null;
}

interface CourierRow {
  id: string;
  name: string;
  on_duty: boolean;
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

const SELECT = `
  select c.id, c.name, c.on_duty, c.restaurant_id, c.vehicle, c.capacity, c.latitude as home_latitude, c.longitude as home_longitude,
    p.latitude, p.longitude, p.reported_at, ${SHIFT_END} as shift_ends_at
  from couriers c
  left join courier_positions p on p.courier_id = c.id`;

const LIST_AT_WORK = `${SELECT} where c.on_duty order by c.id`;

export async function listCouriersAtWork(db: Queryable, now: Instant): Promise<CourierAtWork[]> {
  const rows = await db.query<CourierRow>({ name: 'list_couriers_at_work', text: LIST_AT_WORK }, [toTimestamp(now)]);
  return rows.map(toCourier);
}

export interface CourierToChoose extends CourierAtWork {
  name: string;
  onDuty: boolean;
}

const LIST_TO_CHOOSE = `${SELECT}
  where (c.restaurant_id is null or c.restaurant_id = $2) and c.on_duty = $3
    and position(lower($4) in lower(c.name)) > 0
  order by c.name, c.id
  limit $5`;

export interface CourierChoice {
  restaurantId: string;
  onDuty: boolean;
  /** Part of a name; empty for all. */
  called: string;
  limit: number | null;
  now: Instant;
}

/** The restaurant's own couriers and the pool's, sorted by name. */
export async function listCouriersToChoose(db: Queryable, choice: CourierChoice): Promise<CourierToChoose[]> {
  const { restaurantId, onDuty, called, limit, now } = choice;
  const rows = await db.query<CourierRow>({ name: 'list_couriers_to_choose', text: LIST_TO_CHOOSE }, [
    toTimestamp(now),
    restaurantId,
    onDuty,
    called,
    limit,
  ]);
  return rows.map((row) => ({ ...toCourier(row), name: row.name, onDuty: row.on_duty }));
}

/** Couriers who have accepted an unfinished order of the restaurant. */
export async function listCarrierIds(db: Queryable, restaurantId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ courier_id: string }>(
    {
      name: 'list_carrier_ids',
      text: `select distinct courier_id from orders
             where restaurant_id = $1 and finished_at is null and courier_id is not null
               and courier_accepted_at is not null`,
    },
    [restaurantId],
  );
  return new Set(rows.map((row) => row.courier_id));
}

function toCourier(row: CourierRow): CourierAtWork {
  return {
    id: row.id,
    restaurantId: row.restaurant_id,
    vehicle: row.vehicle,
    capacity: row.capacity,
    home: toPlace(row.home_latitude, row.home_longitude),
    place: toPlace(row.latitude, row.longitude),
    reportedAt: toInstant(row.reported_at),
    shiftEndsAt: toInstant(row.shift_ends_at),
  };
}
