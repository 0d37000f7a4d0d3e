// The operator's list of couriers.
import { POSITION_KEPT_MS } from '../../domain/couriers/courier.ts';
import type { Instant } from '../../domain/time.ts';
import type { Courier } from './couriers.ts';
import { SHIFT_END } from './shifts.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface CourierEntry extends Omit<Courier, 'restaurantId' | 'createdAt'> {
  /** Null means the operator's pool. */
  restaurant: { id: string; providerRestaurantId: string; name: string } | null;
  openOrders: number;
  /** May be in the past: a courier still on duty then gets no new offers. */
  shiftEndsAt: Instant | null;
  /** Only for couriers on duty, and kept only for minutes. */
  position: { latitude: number; longitude: number; reportedAt: Instant } | null;
}

interface EntryRow extends Omit<CourierEntry, 'position'> {
  positionLatitude: number | null;
  positionLongitude: number | null;
  locatedAt: Instant | null;
}

const SELECT_ENTRIES = `
  select c.id, c.name, c.phone, c.vehicle, c.capacity, c.pay_per_order, c.latitude, c.longitude, c.on_duty,
    case when r.id is not null then json_build_object(
      'id', r.id, 'providerRestaurantId', r.provider_restaurant_id, 'name', r.name
    ) end as restaurant,
    (select count(*) from orders o where o.courier_id = c.id and o.finished_at is null)::int as open_orders,
    ${SHIFT_END} as shift_ends_at,
    p.latitude as position_latitude, p.longitude as position_longitude, p.located_at
  from couriers c
  left join restaurants r on r.id = c.restaurant_id
  left join courier_positions p on p.courier_id = c.id and c.on_duty and p.latitude is not null
    and p.located_at >= $1::timestamptz - interval '${POSITION_KEPT_MS} milliseconds'`;

export interface CourierSearch {
  /** Part of the name or phone number; empty for all. */
  text: string;
  after: { name: string; id: string } | null;
  limit: number;
  now: Instant;
}

/** Sorted by name. */
export async function searchCouriers(db: Queryable, search: CourierSearch): Promise<CourierEntry[]> {
  const rows = await db.query<EntryRow>(
    {
      name: 'search_couriers',
      text: `${SELECT_ENTRIES}
        where (strpos(lower(c.name), lower($2)) > 0 or strpos(coalesce(c.phone, ''), $2) > 0)
          and ($3::text is null or (c.name, c.id) > ($3, $4::uuid))
        order by c.name, c.id
        limit $5`,
    },
    [toTimestamp(search.now), search.text, search.after?.name ?? null, search.after?.id ?? null, search.limit],
  );
  return rows.map(toEntry);
}

export async function findCourierEntry(db: Queryable, id: string, now: Instant): Promise<CourierEntry | undefined> {
  const [row] = await db.query<EntryRow>({ name: 'find_courier_entry', text: `${SELECT_ENTRIES} where c.id = $2` }, [
    toTimestamp(now),
    id,
  ]);
  return row && toEntry(row);
}

function toEntry({ positionLatitude, positionLongitude, locatedAt, ...entry }: EntryRow): CourierEntry {
  const position =
    positionLatitude === null || positionLongitude === null || locatedAt === null
      ? null
      : { latitude: positionLatitude, longitude: positionLongitude, reportedAt: locatedAt };
  return { ...entry, position };
}
