// Couriers as the planner sees them: on duty, with their last report.
import type { CourierSignal, Vehicle } from '../../domain/couriers/courier.ts';
import { toPlace, type Place } from '../../domain/geo.ts';
import type { Instant } from '../../domain/time.ts';
import { SHIFT_END } from '../couriers/shifts.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

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

interface PlaceColumns {
  homeLatitude: number | null;
  homeLongitude: number | null;
  latitude: number | null;
  longitude: number | null;
}

const COLUMNS = `c.id, c.restaurant_id, c.vehicle, c.capacity, c.latitude as home_latitude,
  c.longitude as home_longitude, p.latitude, p.longitude, p.reported_at, ${SHIFT_END} as shift_ends_at`;

const LIST_AT_WORK = `
  select ${COLUMNS} from couriers c left join courier_positions p on p.courier_id = c.id
  where c.on_duty order by c.id`;

export async function listCouriersAtWork(db: Queryable, now: Instant): Promise<CourierAtWork[]> {
  const rows = await db.query<Unplaced<CourierAtWork>>({ name: 'list_couriers_at_work', text: LIST_AT_WORK }, [
    toTimestamp(now),
  ]);
  return rows.map(withPlaces);
}

export interface CourierToChoose extends CourierAtWork {
  name: string;
  onDuty: boolean;
}

const LIST_TO_CHOOSE = `
  select ${COLUMNS}, c.name, c.on_duty from couriers c left join courier_positions p on p.courier_id = c.id
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
  const rows = await db.query<Unplaced<CourierToChoose>>({ name: 'list_couriers_to_choose', text: LIST_TO_CHOOSE }, [
    toTimestamp(now),
    restaurantId,
    onDuty,
    called,
    limit,
  ]);
  return rows.map(withPlaces);
}

/** Couriers who have accepted an unfinished order of the restaurant. */
export async function listCarrierIds(db: Queryable, restaurantId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ courierId: string }>(
    {
      name: 'list_carrier_ids',
      text: `select distinct courier_id from orders
             where restaurant_id = $1 and finished_at is null and courier_id is not null
               and courier_accepted_at is not null`,
    },
    [restaurantId],
  );
  return new Set(rows.map((row) => row.courierId));
}

type Unplaced<Courier> = Omit<Courier, 'home' | 'place'> & PlaceColumns;

function withPlaces<Row extends PlaceColumns>(row: Row) {
  const { homeLatitude, homeLongitude, latitude, longitude, ...courier } = row;
  return { ...courier, home: toPlace(homeLatitude, homeLongitude), place: toPlace(latitude, longitude) };
}
