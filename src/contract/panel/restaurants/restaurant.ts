// The panel's requests and responses for the restaurant itself.
import { z } from 'zod';
import { openingHoursSchema } from './opening-hours.ts';
import { declareRoutes } from '../routes.ts';

const MINUTES_A_WEEK = 7 * 24 * 60;
const minutes = (least: number) => z.int().min(least).max(MINUTES_A_WEEK);

const settings = z.object({
  name: z.string().trim().min(1).max(200),
  timeZone: z.string(),
  address: z.string().trim().min(1).max(300).nullable(),
  location: z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }).nullable(),
  contactEmail: z.string().trim().max(254).nullable(),
  phone: z.string().trim().min(1).max(40).nullable().describe('Number that couriers call'),
  openingHours: openingHoursSchema.nullable().describe('Null: always open'),
  autoApprove: z.boolean(),
  preparationMinutes: minutes(0),
  courierWaitLimitMinutes: minutes(1),
  approvalLimitMinutes: minutes(1).nullable().describe('Null: unapproved orders are never canceled automatically'),
});

export const restaurantAnswer = settings.extend({
  restaurantId: z.string().describe("The integrator's id for it"),
  isOpenNow: z.boolean(),
});
export type RestaurantAnswer = z.infer<typeof restaurantAnswer>;

/** Omitted fields are not changed. */
export const restaurantRequest = settings.partial();
export type RestaurantRequest = z.input<typeof restaurantRequest>;

export const restaurantApi = declareRoutes({
  read: { method: 'GET', path: '/api/restaurant', answer: restaurantAnswer },
  change: { method: 'PATCH', path: '/api/restaurant', body: restaurantRequest, answer: restaurantAnswer },
});
