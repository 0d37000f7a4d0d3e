import type { Vehicle } from '../../domain/couriers/courier.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { prepareInsert, prepareUpdate, selectList, type RowColumns } from '../database/prepared.ts';
import { isUuid } from '../database/uuid.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface Courier {
  id: string;
  name: string;
  phone: string | null;
  vehicle: Vehicle;
  /** In bags or boxes. */
  capacity: number;
  /** Minor units of the order's currency; null if couriers are not shown their pay. */
  payPerOrder: number | null;
  /** Where they usually wait; used until a position is known. */
  latitude: number | null;
  longitude: number | null;
  onDuty: boolean;
  /** Null means the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  createdAt: Instant;
}

const PROFILE = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  phone: ({ phone }) => phone,
  vehicle: ({ vehicle }) => vehicle,
  capacity: ({ capacity }) => capacity,
  pay_per_order: ({ payPerOrder }) => payPerOrder,
  latitude: ({ latitude }) => latitude,
  longitude: ({ longitude }) => longitude,
  restaurant_id: ({ restaurantId }) => restaurantId,
} satisfies RowColumns<Courier>;

const ALL = {
  ...PROFILE,
  on_duty: ({ onDuty }) => onDuty,
  created_at: ({ createdAt }) => toTimestamp(createdAt),
} satisfies RowColumns<Courier>;

const COLUMNS = selectList('c', ALL);
const insertAll = prepareInsert('couriers', ALL);
const updateProfile = prepareUpdate('couriers', PROFILE);

export async function insertCourier(tx: Queryable, courier: Courier): Promise<void> {
  await insertAll(tx, courier);
}

/** Duty has its own statement. */
export async function updateCourier(tx: Queryable, courier: Courier): Promise<void> {
  await updateProfile(tx, courier);
}

export async function updateCourierDuty(
  tx: Queryable,
  id: string,
  duty: { onDuty: boolean; at: Instant },
): Promise<void> {
  await tx.query('update couriers set on_duty = $2, duty_changed_at = $3 where id = $1', [
    id,
    duty.onDuty,
    toTimestamp(duty.at),
  ]);
}

export async function findCourier(db: Queryable, id: string): Promise<Courier | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.query<Courier>(
    { name: 'find_courier', text: `select ${COLUMNS} from couriers c where c.id = $1` },
    [id],
  );
  return row;
}

export function listCouriers(db: Queryable): Promise<Courier[]> {
  return db.query<Courier>(`select ${COLUMNS} from couriers c order by c.name, c.id`);
}

/** By id or exact name. Names need not be unique, so there may be several. */
export function listCouriersCalled(db: Queryable, idOrName: string): Promise<Courier[]> {
  return db.query<Courier>(
    `select ${COLUMNS} from couriers c where c.id::text = lower($1) or c.name = $1 order by c.id limit 3`,
    [idOrName],
  );
}

/** The courier on duty with the fewest open orders, of the restaurant's own or the pool. */
export async function findLeastLoadedCourier(db: Queryable, restaurantId: string): Promise<Courier | undefined> {
  const [row] = await db.query<Courier>(
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
  return row;
}

/**
 * SQL condition: whether a restaurant knows a courier and so may see their position. True for its own couriers, and
 * for couriers who accepted an unfinished order of it. Both arguments are SQL.
 */
export const isCourierKnown = (courierId: string, restaurantId: string): string => `(
  exists (select from couriers k where k.id = ${courierId} and k.restaurant_id = ${restaurantId})
  or exists (
    select from orders k where k.courier_id = ${courierId} and k.restaurant_id = ${restaurantId}
      and k.finished_at is null and k.courier_accepted_at is not null
  ))`;

/** Only couriers whom the restaurant knows; all couriers if `restaurantId` is null. */
export async function listCourierNames(
  db: Queryable,
  ids: readonly string[],
  restaurantId: string | null,
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(
    {
      name: 'list_courier_names',
      text: `select c.id, c.name from couriers c
             where c.id = any($1::uuid[]) and ($2::uuid is null or ${isCourierKnown('c.id', '$2::uuid')})`,
    },
    [ids, restaurantId],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
