// Robot couriers, which move between the places of their orders.
import { toPlace, type Place } from '../../domain/geo.ts';
import type { OrderState } from '../../domain/orders/order.ts';
import type { Queryable } from '../database/database.ts';
import { FACTS_COLUMNS, shownFactsOf, type FactsRow } from '../orders/facts.ts';

export interface RobotCourier {
  id: string;
  place: Place;
  /** Next stop of the order that they have had longest. */
  target: Place | null;
}

interface RobotRow extends FactsRow {
  id: string;
  latitude: number;
  longitude: number;
  /** Null if there is no order. */
  state: OrderState | null;
  restaurantLatitude: number | null;
  restaurantLongitude: number | null;
}

// Couriers who can sign in are people, so robots must not move them.
const LIST_ROBOTS = `
  select c.id, coalesce(p.latitude, c.latitude) as latitude, coalesce(p.longitude, c.longitude) as longitude,
    work.state, work.facts, work.unread_content, work.restaurant_latitude, work.restaurant_longitude
  from couriers c
  left join courier_positions p on p.courier_id = c.id
  left join lateral (
    select o.state, ${FACTS_COLUMNS}, r.latitude as restaurant_latitude, r.longitude as restaurant_longitude
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
    target: findTarget(row),
  }));
}

function findTarget(row: RobotRow): Place | null {
  if (row.state === null) return null;
  const { pickup, dropoff } = shownFactsOf(row);
  return row.state === 'ON_DELIVERY' ? dropoff : (pickup ?? toPlace(row.restaurantLatitude, row.restaurantLongitude));
}
