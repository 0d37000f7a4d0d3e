// The restaurant itself: name, place, hours and how it takes orders. All its users may read this; owners change it.
import { changeRestaurant } from '../../../actions/restaurants/change-restaurant.ts';
import type { RestaurantSettings } from '../../../actions/restaurants/restaurant-settings.ts';
import { restaurantApi, type RestaurantAnswer } from '../../../contract/panel/restaurants/restaurant.ts';
import type { BodyOf } from '../../../contract/panel/routes.ts';
import type { OpeningHours } from '../../../domain/restaurants/opening-hours.ts';
import { isRestaurantOpen } from '../../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../../domain/time.ts';
import { getRestaurant, type RestaurantProfile } from '../../../store/restaurants/restaurants.ts';
import { ok } from '../../protocol/answer.ts';
import { restaurantRoute } from '../route.ts';

export const restaurantRoutes = [
  restaurantRoute(restaurantApi.read, {
    handler: async (deps, { session }) =>
      ok(describeRestaurant(await getRestaurant(deps.db, session.restaurantId), deps.clock.now())),
  }),
  restaurantRoute(restaurantApi.change, {
    roles: ['owner'],
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const result = await changeRestaurant(deps, { restaurantId, settings: toSettings(body), actor });
      if (result.kind === 'refused') return result;
      return ok(describeRestaurant(result.restaurant, deps.clock.now()));
    },
  }),
];

function toSettings({ location, ...rest }: BodyOf<typeof restaurantApi.change>): Partial<RestaurantSettings> {
  const settings = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (location === undefined) return settings;
  return { ...settings, latitude: location?.latitude ?? null, longitude: location?.longitude ?? null };
}

function describeRestaurant(restaurant: RestaurantProfile, now: Instant): RestaurantAnswer {
  const { latitude, longitude, openingHours } = restaurant;
  return {
    restaurantId: restaurant.providerRestaurantId,
    name: restaurant.name,
    timeZone: restaurant.timeZone,
    address: restaurant.address,
    location: latitude === null || longitude === null ? null : { latitude, longitude },
    contactEmail: restaurant.contactEmail,
    phone: restaurant.phone,
    openingHours: openingHours && toHoursAnswer(openingHours),
    isOpenNow: isRestaurantOpen(restaurant, now),
    autoApprove: restaurant.autoApprove,
    preparationMinutes: restaurant.preparationMinutes,
    courierWaitLimitMinutes: restaurant.courierWaitLimitMinutes,
    approvalLimitMinutes: restaurant.approvalLimitMinutes,
  };
}

function toHoursAnswer({ weekly, exceptions }: OpeningHours): RestaurantAnswer['openingHours'] {
  return {
    weekly: weekly.map((spans) => [...spans]),
    exceptions: exceptions.map(({ date, spans }) => ({ date, spans: [...spans] })),
  };
}
