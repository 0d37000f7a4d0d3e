// What the pages get about the plan: why each order is where it is, where couriers are, and what needs somebody.
import { z } from 'zod';

const time = z.string().describe('RFC 3339, UTC');

export const alarmView = z.object({
  orderId: z.uuid(),
  kind: z.enum(['NO_COURIER_IN_TIME', 'COURIER_DARK', 'PROBLEM_REPORTED']),
  courierId: z.uuid().nullable(),
  detail: z.string().describe('One sentence'),
  raisedAt: time,
});
export const alarmsAnswer = z.object({ alarms: z.array(alarmView) });
export type AlarmsAnswer = z.infer<typeof alarmsAnswer>;

export const positionsAnswer = z.object({
  positions: z.array(z.object({ courierId: z.uuid(), latitude: z.number(), longitude: z.number(), reportedAt: time })),
});
export type PositionsAnswer = z.infer<typeof positionsAnswer>;

const explanation = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), courierId: z.string() }),
  z.object({ kind: z.literal('offered'), courierId: z.string(), until: time }),
  z.object({
    kind: z.literal('placed'),
    courierId: z.string(),
    extraCost: z.number().describe('Seconds of delay, as the planner prices things'),
    nextBest: z.object({ courierId: z.string(), extraCost: z.number() }).nullable(),
    offerAt: time.describe('When the courier is asked'),
  }),
  z.object({ kind: z.literal('waiting'), reason: z.string(), until: time.nullable() }),
]);

/** Null everywhere while nothing was planned yet. */
export const orderPlanAnswer = z.object({
  courierId: z.uuid().nullable(),
  pickupAt: time.nullable(),
  dropoffAt: time.nullable(),
  explanation: explanation.nullable(),
  lockedTo: z.uuid().nullable(),
  plannedAt: time.nullable(),
});
export type OrderPlanAnswer = z.infer<typeof orderPlanAnswer>;

export const areasAnswer = z.object({
  areas: z.array(
    z.object({
      id: z.uuid(),
      plannedAt: time.nullable(),
      summary: z
        .object({
          orders: z.number(),
          waiting: z.number(),
          couriers: z.number(),
          cost: z.number(),
          durationMs: z.number(),
          rounds: z.number(),
          travelTimes: z.string().describe('Where travel times came from, with what stood in for it'),
          bridgedShare: z.number(),
        })
        .nullable(),
    }),
  ),
});
export type AreasAnswer = z.infer<typeof areasAnswer>;

/** Null unties the order. */
export const lockRequest = z.object({ courierId: z.uuid().nullable() });
export const moveRequest = z.object({ courierId: z.uuid() });
