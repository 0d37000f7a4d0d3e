// Operator routes to find, add, limit and switch off restaurants.
import { addRestaurant } from '../../../actions/restaurants/add-restaurant.ts';
import { changeRestaurant } from '../../../actions/restaurants/change-restaurant.ts';
import { switchIntegration } from '../../../actions/restaurants/switch-integration.ts';
import { restaurantsApi } from '../../../contract/panel/operator/restaurants.ts';
import { searchRestaurants } from '../../../store/restaurants/restaurant-list.ts';
import { ok } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { panelRoute } from '../route.ts';

const OPERATORS = ['operator'] as const;
const PAGE_RESTAURANTS = 50;

export const operatorRestaurantRoutes = [
  panelRoute(restaurantsApi.search, {
    roles: OPERATORS,
    handler: async (deps, { query }) => {
      const { q: text, after = null } = query;
      const found = await searchRestaurants(deps.db, { text, after, limit: PAGE_RESTAURANTS + 1 });
      const page = found.slice(0, PAGE_RESTAURANTS);
      return ok({
        restaurants: page.map(({ providerRestaurantId, ...entry }) => ({
          ...entry,
          restaurantId: providerRestaurantId,
        })),
        next: found.length > PAGE_RESTAURANTS ? (page.at(-1)?.providerRestaurantId ?? null) : null,
      });
    },
  }),
  panelRoute(restaurantsApi.add, {
    roles: OPERATORS,
    handler: async (deps, { session, body }) => {
      const { restaurantId, location, ...settings } = body;
      const { latitude = null, longitude = null } = location ?? {};
      const result = await addRestaurant(deps, {
        restaurantId,
        settings: { ...settings, latitude, longitude },
        actor: session.actor,
      });
      if (result.kind === 'refused') return result;
      return ok({ id: result.restaurant.id }, 201);
    },
  }),
  panelRoute(restaurantsApi.change, {
    roles: OPERATORS,
    sample: { body: { rateLimitPerMinute: 300 } },
    handler: async (deps, { session, params, body }) => {
      const whose = { ...params, actor: session.actor };
      const { integrationEnabled: enabled, rateLimitPerMinute } = body;
      const result = await (enabled !== undefined
        ? switchIntegration(deps, { ...whose, enabled })
        : changeRestaurant(deps, {
            ...whose,
            settings: rateLimitPerMinute === undefined ? {} : { rateLimitPerMinute },
          }));
      return result.kind === 'refused' ? result : done();
    },
  }),
];
