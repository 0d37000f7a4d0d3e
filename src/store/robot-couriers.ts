// Robot couriers, who move between the places of their orders.
import type { Place } from '../domain/geo.ts';
import type { Queryable } from './database.ts';

export interface RobotCourier {
  id: string;
  place: Place;
  /** Where the order that they have had longest wants them next. */
  target: Place | null;
}

interface RobotRow {
  id: string;
  latitude: number;
  longitude: number;
  target_latitude: number | null;
  target_longitude: number | null;
}

// Whoever signs in moves by themselves.
const LIST_ROBOTS = `
  select c.id, coalesce(p.latitude, c.latitude) as latitude, coalesce(p.longitude, c.longitude) as longitude,
    work.latitude as target_latitude, work.longitude as target_longitude
  from couriers c
  left join courier_positions p on p.courier_id = c.id
  left join lateral (
    select
      case when o.state = 'ON_DELIVERY' then (o.content #>> '{dropoff,location,latitude}')::double precision
        else coalesce((o.content #>> '{pickup,location,latitude}')::double precision, r.latitude) end as latitude,
      case when o.state = 'ON_DELIVERY' then (o.content #>> '{dropoff,location,longitude}')::double precision
        else coalesce((o.content #>> '{pickup,location,longitude}')::double precision, r.longitude) end as longitude
    from orders o join restaurants r on r.id = o.restaurant_id
    where o.finished_at is null and o.courier_id = c.id and o.courier_accepted_at is not null
    order by o.courier_accepted_at
    limit 1
  ) work on true
  where c.on_duty and c.latitude is not null
    and ($1::uuid[] is null or c.restaurant_id = any($1::uuid[]))
    and not exists (select from users u where u.courier_id = c.id)`;

export async function listRobotCouriers(
  db: Queryable,
  restaurantIds: readonly string[] | null,
): Promise<RobotCourier[]> {
  const rows = await db.query<RobotRow>({ name: 'list_robot_couriers', text: LIST_ROBOTS }, [restaurantIds]);
  return rows.map((row) => ({
    id: row.id,
    place: { latitude: row.latitude, longitude: row.longitude },
    target:
      row.target_latitude === null || row.target_longitude === null
        ? null
        : { latitude: row.target_latitude, longitude: row.target_longitude },
  }));
}
