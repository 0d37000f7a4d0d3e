// The panel's requests and responses for orders. Times are RFC 3339 in UTC; pages show them in the restaurant's zone.
import { z } from 'zod';
import { reasonsOf } from '../../../domain/orders/cancellation.ts';
import type { JsonValue } from '../../../domain/canonical-json.ts';
import { STATES, TRANSITIONS } from '../../../domain/orders/order.ts';
import { text } from '../../integrator/orders/fields.ts';
import { orderSchema } from '../../integrator/orders/schema.ts';
import { photoQuery } from '../couriers/photo.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const state = z.enum(STATES);
const id = z.uuid();

/** One card of the board. Kept small, because there may be thousands. */
export const boardOrder = z.object({
  id,
  /** The integrator's order id. */
  orderId: z.string(),
  displayId: z.string().nullable(),
  orderNumber: z.string(),
  state,
  version: z.number(),
  createdAt: time,
  changedAt: time,
  wantedAt: time.nullable(),
  deadlineAt: time.nullable().describe('When the System acts if nothing happens before'),
  customer: z.string().nullable(),
  phone: z.string().nullable(),
  destination: z.string().nullable(),
  itemCount: z.number(),
  total: z.number().nullable().describe('Minor units'),
  toCollect: z.number().nullable().describe('Minor units'),
  currency: z.string().nullable(),
  courierId: id.nullable(),
  courierName: z.string().nullable(),
  courierAcceptedAt: time.nullable(),
  kitchenReadyAt: time.nullable(),
  pickupAt: time.nullable().describe('Planned'),
  dropoffAt: time.nullable().describe('Planned'),
  issueCount: z.number(),
  cancelReasonId: z.string().nullable(),
});
export type BoardOrder = z.infer<typeof boardOrder>;

export const boardQuery = z.object({
  state: state.optional(),
  q: z.string().trim().min(1).max(128).optional(),
  ids: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(id).max(200))
    .optional(),
});
export const boardAnswer = z.object({ orders: z.array(boardOrder) });
export type BoardAnswer = z.infer<typeof boardAnswer>;

const transitionNames = Object.keys(TRANSITIONS);
const cancelReasonId = z.enum(reasonsOf('Restaurant'));

const issue = z.object({ code: z.string(), field: z.string(), message: z.string() });

const json: z.ZodType<JsonValue> = z.json();

export const orderDetail = boardOrder.extend({
  content: json.describe('As the integrator sent it, with the fixed drop-off'),
  warnings: z.array(z.string()),
  issues: z.array(issue),
  courierPhone: z.string().nullable(),
  courierPhotoAt: time.nullable().describe('When the photo was last changed; null if there is none'),
  isErased: z.boolean().describe('The personal data was erased'),
  cancellation: z.object({ reasonId: z.string(), by: z.string(), text: z.string(), at: time }).nullable(),
  wait: z.object({ reason: z.string(), until: time.nullable() }).nullable().describe('Why the order waits'),
  commands: z.array(z.object({ name: z.enum(transitionNames), reason: z.string().nullable() })),
});
export type OrderDetail = z.infer<typeof orderDetail>;

export const commandRequest = z.discriminatedUnion('command', [
  z.object({ command: z.enum(['approve', 'prepare']) }),
  z.object({ command: z.literal('assign'), courierId: id }),
]);
export type CommandRequest = z.infer<typeof commandRequest>;

export const cancelRequest = z.object({ cancelReasonId, reason: text(500, 'Free text').optional() });
export type CancelRequest = z.infer<typeof cancelRequest>;

/** For a command, a cancellation or a fixed drop-off: whether it changed anything, and the current order. */
export const changeAnswer = z.object({ result: z.enum(['changed', 'unchanged']), order: boardOrder });
export type ChangeAnswer = z.infer<typeof changeAnswer>;

export const bulkRequest = z.object({ orderIds: z.array(id).min(1).max(200) });
export const bulkAnswer = z.object({
  results: z.array(
    z.object({
      orderId: id,
      result: z.enum(['changed', 'unchanged', 'refused']),
      state: state.nullable(),
      message: z.string().nullable(),
    }),
  ),
});
export type BulkAnswer = z.infer<typeof bulkAnswer>;

const dropoff = orderSchema.shape.dropoff.unwrap();

/** Each part that is sent replaces the current one. */
export const dropoffRequest = z
  .object({ address: dropoff.shape.address, location: dropoff.shape.location })
  .refine((fix) => fix.address !== undefined || fix.location !== undefined, 'Must contain address, location or both');
export type DropoffRequest = z.infer<typeof dropoffRequest>;

export const ordersApi = declareRoutes({
  /** Live and recently finished orders, or those with these ids, or those that match a search. */
  list: { method: 'GET', path: '/api/orders', query: boardQuery, answer: boardAnswer },
  read: { method: 'GET', path: '/api/orders/:orderId', answer: orderDetail },
  readCourierPhoto: { method: 'GET', path: '/api/orders/:orderId/courier-photo', query: photoQuery, answer: 'image' },
  command: { method: 'POST', path: '/api/orders/:orderId/commands', body: commandRequest, answer: changeAnswer },
  cancel: { method: 'POST', path: '/api/orders/:orderId/cancel', body: cancelRequest, answer: changeAnswer },
  approve: { method: 'POST', path: '/api/orders/approve', body: bulkRequest, answer: bulkAnswer },
  fixDropoff: { method: 'PATCH', path: '/api/orders/:orderId/dropoff', body: dropoffRequest, answer: changeAnswer },
});
