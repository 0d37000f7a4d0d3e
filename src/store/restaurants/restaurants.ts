import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

/** A restaurant with the fields that are only shown to people. */
export interface RestaurantProfile extends Restaurant {
  /** Free text on one line. */
  address: string | null;
  latitude: number | null;
  longitude: number | null;
  contactEmail: string | null;
  /** The number that couriers call. */
  phone: string | null;
  createdAt: Instant;
}

/** For statements that join restaurants as `r`. */
export const RESTAURANT_COLUMNS = `r.id, r.provider_restaurant_id, r.name, r.time_zone, r.integration_enabled,
  r.auto_approve, r.rate_limit_per_minute, r.preparation_minutes, r.courier_wait_limit_minutes,
  r.approval_limit_minutes, r.opening_hours, r.delivery_metadata`;

const PROFILE_COLUMNS = `${RESTAURANT_COLUMNS}, r.address, r.latitude, r.longitude, r.contact_email, r.phone, r.created_at`;

/** Looks up by Waybill's own id. */
export async function findRestaurant(db: Queryable, id: string): Promise<RestaurantProfile | undefined> {
  if (!isUuid(id)) return undefined;
  const [restaurant] = await db.query<RestaurantProfile>(
    `select ${PROFILE_COLUMNS} from restaurants r where r.id = $1`,
    [id],
  );
  return restaurant;
}

/** For callers that know it exists: restaurants are never deleted. */
export async function getRestaurant(db: Queryable, id: string): Promise<RestaurantProfile> {
  const restaurant = await findRestaurant(db, id);
  if (restaurant === undefined) throw new Error(`restaurant ${id} is gone`);
  return restaurant;
}

/** Looks up by the integrator's id. */
export async function findRestaurantByProviderId(
  db: Queryable,
  providerRestaurantId: string,
): Promise<RestaurantProfile | undefined> {
  const [restaurant] = await db.query<RestaurantProfile>(
    `select ${PROFILE_COLUMNS} from restaurants r where r.provider_restaurant_id = $1`,
    [providerRestaurantId],
  );
  return restaurant;
}

/** Locks the row until the end of the transaction, so that changes of one restaurant are serialized. */
export async function findRestaurantForUpdate(tx: Queryable, id: string): Promise<RestaurantProfile | undefined> {
  if (!isUuid(id)) return undefined;
  const [restaurant] = await tx.query<RestaurantProfile>(
    `select ${PROFILE_COLUMNS} from restaurants r where r.id = $1 for no key update`,
    [id],
  );
  return restaurant;
}

export function listRestaurants(db: Queryable): Promise<RestaurantProfile[]> {
  return db.query<RestaurantProfile>(`select ${PROFILE_COLUMNS} from restaurants r order by r.provider_restaurant_id`);
}

function valuesOf(restaurant: RestaurantProfile): unknown[] {
  return [
    restaurant.id,
    restaurant.name,
    restaurant.timeZone,
    restaurant.latitude,
    restaurant.longitude,
    restaurant.contactEmail,
    restaurant.integrationEnabled,
    restaurant.autoApprove,
    restaurant.rateLimitPerMinute,
    restaurant.preparationMinutes,
    restaurant.courierWaitLimitMinutes,
    restaurant.approvalLimitMinutes,
    restaurant.openingHours === null ? null : JSON.stringify(restaurant.openingHours),
    restaurant.deliveryMetadata,
    restaurant.address,
    restaurant.phone,
  ];
}

/** Adds the restaurant with its endpoints and its event counter; false if the integrator's id is taken. */
export async function insertRestaurant(tx: Queryable, restaurant: RestaurantProfile): Promise<boolean> {
  const rows = await tx.query(
    `insert into restaurants (id, name, time_zone, latitude, longitude, contact_email, integration_enabled,
       auto_approve, rate_limit_per_minute, preparation_minutes, courier_wait_limit_minutes, approval_limit_minutes,
       opening_hours, delivery_metadata, address, phone, provider_restaurant_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict (provider_restaurant_id) do nothing
     returning id`,
    [...valuesOf(restaurant), restaurant.providerRestaurantId, toTimestamp(restaurant.createdAt)],
  );
  if (rows.length === 0) return false;
  await tx.query('insert into event_counters (restaurant_id) values ($1)', [restaurant.id]);
  await tx.query(`insert into endpoints (restaurant_id, kind) values ($1, 'status'), ($1, 'cancel')`, [restaurant.id]);
  return true;
}

export async function updateRestaurant(tx: Queryable, restaurant: RestaurantProfile): Promise<void> {
  await tx.query(
    `update restaurants set name = $2, time_zone = $3, latitude = $4, longitude = $5, contact_email = $6,
       integration_enabled = $7, auto_approve = $8, rate_limit_per_minute = $9, preparation_minutes = $10,
       courier_wait_limit_minutes = $11, approval_limit_minutes = $12, opening_hours = $13, delivery_metadata = $14,
       address = $15, phone = $16
     where id = $1`,
    valuesOf(restaurant),
  );
}
