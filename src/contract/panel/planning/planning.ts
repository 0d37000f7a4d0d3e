// What the pages receive about the plan: the reason for each order's plan, courier positions, and what needs attention.
import { z } from 'zod';
import { CANCELED_BY, CANCEL_REASON_IDS, mayCancelWith } from '../../../domain/orders/cancellation.ts';
import { STATES } from '../../../domain/orders/order.ts';
import { ALARM_KINDS } from '../../../domain/planning/alarms.ts';
import { text } from '../../integrator/orders/fields.ts';
import { whyView } from './explanation.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

const alarmKind = z.enum(ALARM_KINDS);

export const alarmView = z.object({
  orderId: z.uuid(),
  orderNumber: z.string(),
  kind: alarmKind,
  courierId: z.uuid().nullable(),
  courierName: z.string().nullable(),
  detail: z.string().describe('One sentence'),
  raisedAt: time,
});
export type PlanAlarm = z.infer<typeof alarmView>;
export const alarmsAnswer = z.object({ alarms: z.array(alarmView) });
export type AlarmsAnswer = z.infer<typeof alarmsAnswer>;

export const positionsAnswer = z.object({
  positions: z.array(z.object({ courierId: z.uuid(), latitude: z.number(), longitude: z.number(), reportedAt: time })),
});
export type PositionsAnswer = z.infer<typeof positionsAnswer>;

const courier = z.object({ id: z.uuid(), name: z.string().nullable() });
const maybeUnknownCourier = courier.extend({ id: z.uuid().nullable() }).nullable();

/** The fields are null until there is a plan. */
export const orderPlanAnswer = z.object({
  courier: maybeUnknownCourier.describe('Courier who has it, otherwise the planned one'),
  pickupAt: time.nullable(),
  dropoffAt: time.nullable(),
  why: whyView.nullable(),
  lockedTo: courier.nullable(),
  plannedAt: time.nullable(),
  alarms: z.array(alarmView),
});
export type OrderPlanAnswer = z.infer<typeof orderPlanAnswer>;

/** One order with what the operator needs for planning; no customer data. */
export const operatorOrderAnswer = orderPlanAnswer.extend({
  orderId: z.uuid(),
  orderNumber: z.string(),
  restaurantId: z.uuid(),
  restaurantName: z.string(),
  timeZone: z.string().describe("The restaurant's"),
  state: z.enum(STATES),
  createdAt: time,
  isAccepted: z.boolean().describe('By the courier who has it'),
});
export type OperatorOrderAnswer = z.infer<typeof operatorOrderAnswer>;

/** An order that is waiting, has an alarm, or is locked to a courier. */
export const plannedOrderView = z.object({
  orderId: z.uuid(),
  orderNumber: z.string(),
  restaurantName: z.string(),
  state: z.enum(STATES),
  createdAt: time,
  courier: courier.nullable(),
  lockedTo: courier.nullable(),
  wait: z.object({ reason: z.string(), until: time.nullable() }).nullable(),
  alarms: z.array(z.object({ kind: alarmKind, detail: z.string(), raisedAt: time })),
});
export type PlannedOrderView = z.infer<typeof plannedOrderView>;

export const plannedOrdersAnswer = z.object({
  orders: z.array(plannedOrderView).describe('Alarms first, then the oldest'),
  isCut: z.boolean(),
});
export type PlannedOrdersAnswer = z.infer<typeof plannedOrdersAnswer>;

export const areasAnswer = z.object({
  areas: z.array(
    z.object({
      id: z.uuid(),
      name: z.string().nullable().describe('Name of the restaurant that it is named after'),
      plannedAt: time.nullable(),
      summary: z
        .object({
          orders: z.number(),
          waiting: z.number(),
          couriers: z.number(),
          cost: z.number(),
          durationMs: z.number(),
          rounds: z.number(),
          travelTimes: z.string().describe('Source of the travel times, and of their replacement'),
          bridgedShare: z.number(),
        })
        .nullable(),
    }),
  ),
});
export type AreasAnswer = z.infer<typeof areasAnswer>;

/** Null unlocks the order. */
export const lockRequest = z.object({ courierId: z.uuid().nullable() });
export const moveRequest = z.object({ courierId: z.uuid() });

/** On whose behalf, with a reason that this party may give. */
export const operatorCancelRequest = z
  .object({
    canceledBy: z.enum(CANCELED_BY),
    cancelReasonId: z.enum(CANCEL_REASON_IDS),
    reason: text(500, 'Free text').optional(),
  })
  .refine(({ canceledBy, cancelReasonId }) => mayCancelWith(canceledBy, cancelReasonId), {
    path: ['cancelReasonId'],
    error: 'Must be a reason that this party can give',
  });
export type OperatorCancelRequest = z.infer<typeof operatorCancelRequest>;

export const planningApi = declareRoutes({
  listAlarms: { method: 'GET', path: '/api/planning/alarms', answer: alarmsAnswer },
  readOrder: { method: 'GET', path: '/api/planning/orders/:orderId', answer: orderPlanAnswer },
  dismissProblem: { method: 'POST', path: '/api/planning/orders/:orderId/problem/dismiss', answer: 'nothing' },
});

export const operatorPlanningApi = declareRoutes({
  listAlarms: { method: 'GET', path: '/api/operator/planning/alarms', answer: alarmsAnswer },
  listAreas: { method: 'GET', path: '/api/operator/planning/areas', answer: areasAnswer },
  listOrders: { method: 'GET', path: '/api/operator/planning/orders', answer: plannedOrdersAnswer },
  readOrder: { method: 'GET', path: '/api/operator/planning/orders/:orderId', answer: operatorOrderAnswer },
  replan: { method: 'POST', path: '/api/operator/planning/replan', answer: 'nothing' },
  lock: { method: 'POST', path: '/api/operator/planning/orders/:orderId/lock', body: lockRequest, answer: 'nothing' },
  move: { method: 'POST', path: '/api/operator/planning/orders/:orderId/move', body: moveRequest, answer: 'nothing' },
  cancel: {
    method: 'POST',
    path: '/api/operator/planning/orders/:orderId/cancel',
    body: operatorCancelRequest,
    answer: 'nothing',
  },
});

/** Of the couriers on duty. */
export const positionsApi = declareRoutes({
  list: { method: 'GET', path: '/api/planning/positions', answer: positionsAnswer },
  listAll: { method: 'GET', path: '/api/operator/planning/positions', answer: positionsAnswer },
});
