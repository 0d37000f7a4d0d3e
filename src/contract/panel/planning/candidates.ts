// The couriers to whom an order can be assigned manually, best first.
import { z } from 'zod';
import { CANDIDATE_BARS, CANDIDATE_WARNINGS, FIGURE_GAPS } from '../../../domain/couriers/candidate.ts';
import { VEHICLES } from '../../../domain/couriers/courier.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const candidatesQuery = z.object({ q: z.string().trim().max(100).optional().describe('Part of a name') });

const band = z.object({ from: z.number(), under: z.number().nullable() });
const rough = z.object({
  distanceKm: band.nullable(),
  figures: z
    .object({
      pickupMinutes: band.describe('From now'),
      detourMinutes: band,
      lateMinutes: band.nullable().describe('Null: in time'),
    })
    .nullable(),
});

export const candidateView = z.object({
  id: z.uuid(),
  name: z.string(),
  isOwn: z.boolean().describe("False: of the operator's pool"),
  onDuty: z.boolean(),
  vehicle: z.enum(VEHICLES),
  bags: z.number().describe('Promised and carried'),
  capacity: z.number().describe('In bags'),
  promised: z.number().describe('Orders offered or accepted'),
  carried: z.number().describe('Orders on board'),
  distanceMeters: z.number().nullable().describe('Straight-line distance to the pickup'),
  figures: z
    .object({
      pickupAt: time,
      dropoffAt: time,
      lateSeconds: z.number(),
      detourSeconds: z.number().describe('Additional travel time because of the order'),
      pushesBackSeconds: z.number().describe('Largest delay for another customer'),
      extraCost: z.number().describe("Cost in the planner's unit: seconds of delay"),
    })
    .nullable(),
  rough: rough
    .nullable()
    .describe('Ranges instead of exact values, for couriers whose position the restaurant may not see'),
  warnings: z.array(z.enum(CANDIDATE_WARNINGS)),
  bar: z.enum(CANDIDATE_BARS).nullable().describe('Why they cannot be chosen'),
});
export type CandidateView = z.infer<typeof candidateView>;

export const candidatesAnswer = z.object({
  couriers: z.array(candidateView),
  isCut: z.boolean().describe('There are more couriers, farther away or off duty; a search by name finds them'),
  gap: z.enum(FIGURE_GAPS).nullable().describe('Why there are no figures'),
});
export type CandidatesAnswer = z.infer<typeof candidatesAnswer>;

export const candidatesApi = declareRoutes({
  listForRestaurant: {
    method: 'GET',
    path: '/api/orders/:orderId/couriers',
    query: candidatesQuery,
    answer: candidatesAnswer,
  },
  listForOperator: {
    method: 'GET',
    path: '/api/operator/planning/orders/:orderId/couriers',
    query: candidatesQuery,
    answer: candidatesAnswer,
  },
});
