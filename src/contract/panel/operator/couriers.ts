// Requests and responses of the operator's courier pages.
import { z } from 'zod';
import { MAX_CAPACITY, VEHICLES } from '../../../domain/couriers/courier.ts';
import { sentTime } from '../../validation/sent-time.ts';
import { photoQuery } from '../couriers/photo.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const location = z.object({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) });

export const couriersQuery = z.object({
  q: z.string().trim().max(100).default(''),
  after: z.uuid().optional(),
});

export const courierEntry = z.object({
  id: z.uuid(),
  name: z.string(),
  phone: z.string().nullable(),
  vehicle: z.enum(VEHICLES),
  capacity: z.number().describe('In bags'),
  payPerOrder: z.number().nullable().describe('Minor units'),
  location: location.nullable().describe('Usual waiting place'),
  onDuty: z.boolean(),
  restaurant: z
    .object({ id: z.uuid(), restaurantId: z.string(), name: z.string() })
    .nullable()
    .describe('Null: the pool, open to every restaurant'),
  openOrders: z.number(),
  shiftEndsAt: time.nullable().describe('If it has passed, there are no new offers'),
  position: location.extend({ reportedAt: time }).nullable().describe('Only while on duty'),
});
export type CourierEntry = z.infer<typeof courierEntry>;

export const couriersAnswer = z.object({
  couriers: z.array(courierEntry),
  next: z.string().nullable().describe('The `after` of the next page'),
});
export type CouriersAnswer = z.infer<typeof couriersAnswer>;

export const courierDetail = courierEntry.extend({
  photoAt: time.nullable().describe('When the photo was last changed; null if there is none'),
  shifts: z.array(z.object({ id: z.uuid(), startsAt: time, endsAt: time })).describe('Current and future shifts'),
});
export type CourierDetail = z.infer<typeof courierDetail>;

const profile = z.object({
  name: z.string().trim().min(1).max(100),
  phone: z.string().trim().min(1).max(40).nullable(),
  vehicle: z.enum(VEHICLES),
  capacity: z.int().min(1).max(MAX_CAPACITY),
  payPerOrder: z.int().min(0).max(100_000_000).nullable(),
  location: location.nullable(),
  restaurantId: z.string().max(64).nullable().describe("The integrator's id for the restaurant; null: the pool"),
});
export const addCourierRequest = profile;
export type CourierProfileRequest = z.input<typeof profile>;
/** Omitted fields are not changed. */
export const changeCourierRequest = profile.partial();

export const courierDutyRequest = z.object({ onDuty: z.boolean() });
export const addShiftRequest = z.object({ startsAt: sentTime, endsAt: sentTime });
export type AddShiftRequest = z.input<typeof addShiftRequest>;

const addedAnswer = z.object({ id: z.uuid() });

export const couriersApi = declareRoutes({
  search: { method: 'GET', path: '/api/operator/couriers', query: couriersQuery, answer: couriersAnswer },
  add: { method: 'POST', path: '/api/operator/couriers', body: addCourierRequest, answer: addedAnswer },
  read: { method: 'GET', path: '/api/operator/couriers/:courierId', answer: courierDetail },
  readPhoto: { method: 'GET', path: '/api/operator/couriers/:courierId/photo', query: photoQuery, answer: 'image' },
  change: {
    method: 'PATCH',
    path: '/api/operator/couriers/:courierId',
    body: changeCourierRequest,
    answer: 'nothing',
  },
  setDuty: {
    method: 'POST',
    path: '/api/operator/couriers/:courierId/duty',
    body: courierDutyRequest,
    answer: 'nothing',
  },
  addShift: {
    method: 'POST',
    path: '/api/operator/couriers/:courierId/shifts',
    body: addShiftRequest,
    answer: addedAnswer,
  },
  removeShift: { method: 'DELETE', path: '/api/operator/couriers/:courierId/shifts/:shiftId', answer: 'nothing' },
});
