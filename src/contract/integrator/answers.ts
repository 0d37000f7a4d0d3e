// Response bodies for integrators and the two webhook bodies. Handlers return the types; the OpenAPI document shows the
// schemas.
import { z } from 'zod';
import { CANCEL_REASONS, CANCELED_BY, isCancelReasonId } from '../../domain/orders/cancellation.ts';
import { STATES } from '../../domain/orders/order.ts';
import { SHARED_CODES } from '../../domain/refusals.ts';
import { ISSUE_CODES } from './orders/issues.ts';

const state = z.enum(STATES).describe('State of the order');
const timestamp = z.string().meta({
  format: 'date-time',
  description: "RFC 3339 with milliseconds and the UTC offset of the restaurant's time zone, never Z",
});
const cancelReasonId = z
  .enum(Object.keys(CANCEL_REASONS).filter(isCancelReasonId))
  .describe('Reason for the cancellation');
const canceledBy = z.enum(CANCELED_BY).describe('Who canceled the order');
const orderId = z.string().describe('Your id for the order');
const restaurantId = z.string().describe('Your id for the restaurant');
const serviceOrderId = z.string().meta({ format: 'uuid', description: "Waybill's id for the order" });
const orderNumber = z
  .string()
  .meta({ pattern: '^[0-9]+$', description: 'Short number that is easy to read out on the phone' });

const issue = z.object({
  code: z.enum(ISSUE_CODES),
  field: z.string().describe('The field that is missing or implausible'),
  message: z.string(),
});

const warnings = z.array(z.string()).describe('Unknown fields; they are stored with the order');
const issues = z.array(issue).describe('Problems with an accepted order that can be fixed in the panel');

/** 201 for a new order; 200 for a repeated one, in its current state. */
export const orderAnswerSchema = z.object({
  orderId,
  restaurantId,
  serviceOrderId,
  orderNumber,
  status: state,
  createdAt: timestamp,
  warnings,
  issues,
});
export type OrderAnswer = z.infer<typeof orderAnswerSchema>;

/** 200 for `dryRun=true`: no order is created, so it has no ids. */
export const dryRunAnswerSchema = z.object({ dryRun: z.literal(true), orderId, restaurantId, warnings, issues });
export type DryRunAnswer = z.infer<typeof dryRunAnswerSchema>;

const historyEntry = z.object({
  status: state,
  previousStatus: state.nullable().describe('null in the first entry'),
  timestamp,
});

/** Extension: an order in its current state. */
export const orderReadAnswerSchema = orderAnswerSchema.extend({
  history: z.array(historyEntry).describe('Every state so far, oldest first'),
  courier: z
    .object({ name: z.string(), phone: z.string().optional() })
    .nullable()
    .describe('null until a courier has accepted'),
  eta: z
    .object({ pickupAt: timestamp.nullable(), dropoffAt: timestamp.nullable() })
    .nullable()
    .describe('null until the order is planned'),
  canceled: z
    .object({ reason: z.string(), cancelReasonId, canceledBy, timestamp })
    .nullable()
    .describe('null unless the order is canceled'),
});
export type OrderReadAnswer = z.infer<typeof orderReadAnswerSchema>;

/** Contract 2.2, with the fields in this order. */
export const statusWebhookSchema = z.object({
  event: z.literal('order.status_changed'),
  orderId,
  serviceOrderId,
  orderNumber,
  status: state.describe('The state entered'),
  previousStatus: state.describe('The state left'),
  timestamp,
  provider: z.literal('THIRD_PARTY'),
  providerRestaurantId: restaurantId,
});
export type StatusWebhook = z.infer<typeof statusWebhookSchema>;

/** Contract 2.3, with the fields in this order. */
export const cancelWebhookSchema = z.object({
  event: z.literal('order.canceled'),
  orderId,
  serviceOrderId,
  reason: z.string().describe('Free text'),
  cancelReasonId,
  canceledBy,
  timestamp,
});
export type CancelWebhook = z.infer<typeof cancelWebhookSchema>;

/** Extension: the webhooks' events in commit order. */
export const eventsAnswerSchema = z.object({
  events: z.array(
    z.object({
      cursor: z.string().describe('Position of this event in the feed'),
      event: z.union([statusWebhookSchema, cancelWebhookSchema]).describe('The body of the webhook'),
      createdAt: timestamp,
    }),
  ),
  nextCursor: z.string().nullable().describe('Send it as `after` in the next request; null while the feed is empty'),
  hasMore: z.boolean().describe('Whether more events are already available'),
});
export type EventsAnswer = z.infer<typeof eventsAnswerSchema>;

const fieldProblem = z.object({
  field: z.string().describe('Path of the field, such as items[0].quantity'),
  message: z.string().describe('What a valid value looks like'),
});

export const errorAnswerSchema = z.object({
  error: z.string().describe('Short title'),
  message: z.string().describe('What went wrong, for people; the wording may change'),
  code: z.enum(SHARED_CODES).describe('Stable; use this in your code'),
  details: z.array(fieldProblem).optional().describe('The fields that caused the error, if any'),
  restartAfter: z
    .string()
    .optional()
    .describe('Only with FEED_001: the cursor to send as `after` in order to skip no event'),
  requestId: z.string().describe('Also in the X-Request-Id header; include it when you contact support'),
});
export type ErrorAnswer = z.infer<typeof errorAnswerSchema>;
