import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toTimestamp } from './order-rows.ts';

export interface Courier {
  id: string;
  name: string;
  phone: string | null;
  latitude: number | null;
  longitude: number | null;
  onDuty: boolean;
  /** Null: the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  createdAt: Instant;
}

interface CourierRow {
  id: string;
  name: string;
  phone: string | null;
  latitude: number | null;
  longitude: number | null;
  on_duty: boolean;
  restaurant_id: string | null;
  created_at: Date;
}

const COLUMNS = 'c.id, c.name, c.phone, c.latitude, c.longitude, c.on_duty, c.restaurant_id, c.created_at';

function toCourier(row: CourierRow): Courier {
  return {
    id: row.id,
    name: row.name,
    phone: row.phone,
    latitude: row.latitude,
    longitude: row.longitude,
    onDuty: row.on_duty,
    restaurantId: row.restaurant_id,
    createdAt: row.created_at.getTime(),
  };
}

export async function insertCourier(tx: Queryable, courier: Courier): Promise<void> {
  await tx.query(
    `insert into couriers (id, name, phone, latitude, longitude, on_duty, restaurant_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      courier.id,
      courier.name,
      courier.phone,
      courier.latitude,
      courier.longitude,
      courier.onDuty,
      courier.restaurantId,
      toTimestamp(courier.createdAt),
    ],
  );
}

export async function updateCourierDuty(tx: Queryable, id: string, onDuty: boolean): Promise<void> {
  await tx.query('update couriers set on_duty = $2 where id = $1', [id, onDuty]);
}

export async function listCouriers(db: Queryable): Promise<Courier[]> {
  const rows = await db.query<CourierRow>(`select ${COLUMNS} from couriers c order by c.name, c.id`);
  return rows.map(toCourier);
}

/** By id or exact name. Names need not be unique, so there may be several. */
export async function listCouriersCalled(db: Queryable, idOrName: string): Promise<Courier[]> {
  const rows = await db.query<CourierRow>(
    `select ${COLUMNS} from couriers c where c.id::text = lower($1) or c.name = $1 order by c.id limit 3`,
    [idOrName],
  );
  return rows.map(toCourier);
}

/** The courier on duty with the fewest open orders, of the restaurant's own or the pool. */
export async function findLeastLoadedCourier(db: Queryable, restaurantId: string): Promise<Courier | undefined> {
  const [row] = await db.query<CourierRow>(
    `select ${COLUMNS}
     from couriers c
     left join (
       select courier_id, count(*) as open_orders from orders
       where finished_at is null and courier_id is not null
       group by courier_id
     ) load on load.courier_id = c.id
     where c.on_duty and (c.restaurant_id is null or c.restaurant_id = $1)
     order by coalesce(load.open_orders, 0), c.created_at, c.id
     limit 1`,
    [restaurantId],
  );
  return row && toCourier(row);
}
