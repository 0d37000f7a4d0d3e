import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { prepareInsert, prepareUpdate, selectList, type RowColumns } from '../database/prepared.ts';
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

const SETTINGS = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  time_zone: ({ timeZone }) => timeZone,
  integration_enabled: ({ integrationEnabled }) => integrationEnabled,
  auto_approve: ({ autoApprove }) => autoApprove,
  rate_limit_per_minute: ({ rateLimitPerMinute }) => rateLimitPerMinute,
  preparation_minutes: ({ preparationMinutes }) => preparationMinutes,
  courier_wait_limit_minutes: ({ courierWaitLimitMinutes }) => courierWaitLimitMinutes,
  approval_limit_minutes: ({ approvalLimitMinutes }) => approvalLimitMinutes,
  opening_hours: ({ openingHours }) => (openingHours === null ? null : JSON.stringify(openingHours)),
  delivery_metadata: ({ deliveryMetadata }) => deliveryMetadata,
} satisfies RowColumns<Restaurant>;

const PROVIDER_ID = {
  provider_restaurant_id: ({ providerRestaurantId }) => providerRestaurantId,
} satisfies RowColumns<Restaurant>;

const CHANGEABLE = {
  ...SETTINGS,
  address: ({ address }) => address,
  latitude: ({ latitude }) => latitude,
  longitude: ({ longitude }) => longitude,
  contact_email: ({ contactEmail }) => contactEmail,
  phone: ({ phone }) => phone,
} satisfies RowColumns<RestaurantProfile>;

const PROFILE = {
  ...CHANGEABLE,
  ...PROVIDER_ID,
  created_at: ({ createdAt }) => toTimestamp(createdAt),
} satisfies RowColumns<RestaurantProfile>;

/** For statements that join restaurants as `r`. */
export const RESTAURANT_COLUMNS = selectList('r', { ...SETTINGS, ...PROVIDER_ID });
const PROFILE_COLUMNS = selectList('r', PROFILE);

const insertProfile = prepareInsert(
  'restaurants',
  PROFILE,
  'on conflict (provider_restaurant_id) do nothing returning id',
);
const updateProfile = prepareUpdate('restaurants', CHANGEABLE);

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

/** Adds the restaurant with its endpoints and its event counter; false if the integrator's id is taken. */
export async function insertRestaurant(tx: Queryable, restaurant: RestaurantProfile): Promise<boolean> {
  const rows = await insertProfile(tx, restaurant);
  if (rows.length === 0) return false;
  await tx.query('insert into event_counters (restaurant_id) values ($1)', [restaurant.id]);
  await tx.query(`insert into endpoints (restaurant_id, kind) values ($1, 'status'), ($1, 'cancel')`, [restaurant.id]);
  return true;
}

export async function updateRestaurant(tx: Queryable, restaurant: RestaurantProfile): Promise<void> {
  await updateProfile(tx, restaurant);
}
