// The operator's list of restaurants.
import type { Queryable } from '../database/database.ts';

export interface RestaurantEntry {
  id: string;
  /** The integrator's id for it. */
  providerRestaurantId: string;
  name: string;
  timeZone: string;
  contactEmail: string | null;
  integrationEnabled: boolean;
  rateLimitPerMinute: number;
  liveOrders: number;
  failingEndpoints: number;
}

interface EntryRow {
  id: string;
  provider_restaurant_id: string;
  name: string;
  time_zone: string;
  contact_email: string | null;
  integration_enabled: boolean;
  rate_limit_per_minute: number;
  live_orders: number;
  failing_endpoints: number;
}

export interface RestaurantSearch {
  /** Part of the name or of the integrator's id; empty for all. */
  text: string;
  /** The integrator's id of the last restaurant on the previous page. */
  after: string | null;
  limit: number;
}

/** Sorted by the integrator's id. */
export async function searchRestaurants(db: Queryable, search: RestaurantSearch): Promise<RestaurantEntry[]> {
  const rows = await db.query<EntryRow>(
    {
      name: 'search_restaurants',
      text: `
        select r.id, r.provider_restaurant_id, r.name, r.time_zone, r.contact_email, r.integration_enabled,
          r.rate_limit_per_minute,
          (select count(*) from orders o where o.restaurant_id = r.id and o.finished_at is null)::int as live_orders,
          (select count(*) from endpoints p where p.restaurant_id = r.id and p.failing_since is not null)::int
            as failing_endpoints
        from restaurants r
        where (strpos(lower(r.name), lower($1)) > 0 or strpos(lower(r.provider_restaurant_id), lower($1)) > 0)
          and ($2::text is null or r.provider_restaurant_id > $2)
        order by r.provider_restaurant_id
        limit $3`,
    },
    [search.text, search.after, search.limit],
  );
  return rows.map((row) => ({
    id: row.id,
    providerRestaurantId: row.provider_restaurant_id,
    name: row.name,
    timeZone: row.time_zone,
    contactEmail: row.contact_email,
    integrationEnabled: row.integration_enabled,
    rateLimitPerMinute: row.rate_limit_per_minute,
    liveOrders: row.live_orders,
    failingEndpoints: row.failing_endpoints,
  }));
}
