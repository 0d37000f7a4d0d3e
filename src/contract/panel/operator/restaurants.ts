// Requests and responses of the operator's restaurants page.
import { z } from 'zod';
import { declareRoutes } from '../routes.ts';

export const restaurantsQuery = z.object({
  q: z.string().trim().max(100).default(''),
  after: z.string().max(64).optional(),
});

export const restaurantEntry = z.object({
  id: z.uuid(),
  restaurantId: z.string().describe("The integrator's id for it"),
  name: z.string(),
  timeZone: z.string(),
  contactEmail: z.string().nullable(),
  integrationEnabled: z.boolean(),
  rateLimitPerMinute: z.number(),
  liveOrders: z.number(),
  failingEndpoints: z.number(),
});
export type RestaurantEntry = z.infer<typeof restaurantEntry>;

export const restaurantsAnswer = z.object({
  restaurants: z.array(restaurantEntry),
  next: z.string().nullable().describe('The `after` of the next page'),
});
export type RestaurantsAnswer = z.infer<typeof restaurantsAnswer>;

const rateLimitPerMinute = z.int().min(1).max(1_000_000);

export const addRestaurantRequest = z.object({
  restaurantId: z.string().trim().min(1).max(64),
  name: z.string().trim().min(1).max(200),
  timeZone: z.string().max(100),
  contactEmail: z.string().trim().max(254).nullable(),
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }).nullable(),
  autoApprove: z.boolean(),
  rateLimitPerMinute,
});
export type AddRestaurantRequest = z.input<typeof addRestaurantRequest>;

export const addedRestaurantAnswer = z.object({ id: z.uuid() });
export type AddedRestaurantAnswer = z.infer<typeof addedRestaurantAnswer>;

export const changeRestaurantRequest = z
  .object({ integrationEnabled: z.boolean(), rateLimitPerMinute })
  .partial()
  .refine(
    (change) => (change.integrationEnabled === undefined) !== (change.rateLimitPerMinute === undefined),
    'Must contain integrationEnabled or rateLimitPerMinute',
  );
export type ChangeRestaurantRequest = z.input<typeof changeRestaurantRequest>;

export const restaurantsApi = declareRoutes({
  search: { method: 'GET', path: '/api/operator/restaurants', query: restaurantsQuery, answer: restaurantsAnswer },
  add: {
    method: 'POST',
    path: '/api/operator/restaurants',
    body: addRestaurantRequest,
    answer: addedRestaurantAnswer,
  },
  change: {
    method: 'PATCH',
    path: '/api/operator/restaurants/:restaurantId',
    body: changeRestaurantRequest,
    answer: 'nothing',
  },
});
