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

export interface RestaurantSearch {
  /** Part of the name or of the integrator's id; empty for all. */
  text: string;
  /** The integrator's id of the last restaurant on the previous page. */
  after: string | null;
  limit: number;
}

/** Sorted by the integrator's id. */
export function searchRestaurants(db: Queryable, search: RestaurantSearch): Promise<RestaurantEntry[]> {
  return db.query<RestaurantEntry>(
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
}
