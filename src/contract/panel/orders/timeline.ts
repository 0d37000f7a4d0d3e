// An order's timeline: state changes, events between them, and every webhook attempt, by time.
import { z } from 'zod';
import { STATES } from '../../../domain/orders/order.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const state = z.enum(STATES);
const milliseconds = z.number().nullable();

const placed = z.object({ kind: z.literal('placed'), at: time });
const changed = z.object({ kind: z.literal('state'), at: time, from: state, to: state, actor: z.string() });
const note = z.object({
  kind: z.literal('note'),
  at: time,
  note: z.string(),
  actor: z.string(),
  courier: z.string().nullable(),
  detail: z.string().nullable(),
});

/** Signatures are not stored. They are recomputed from the same bytes while the secret that was used still exists. */
export const SIGNATURES = ['none', 'recomputed', 'secret-replaced'] as const;

export const attempt = z.object({
  kind: z.literal('attempt'),
  at: time,
  eventId: z.uuid(),
  number: z.number(),
  outcome: z.enum(['delivered', 'failed', 'discarded']),
  url: z.string().nullable(),
  signature: z.enum(SIGNATURES),
  headers: z.record(z.string(), z.string()),
  status: z.number().nullable(),
  errorClass: z.string().nullable(),
  errorText: z.string().nullable(),
  retryAfter: z.string().nullable(),
  answer: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  isReusedConnection: z.boolean(),
  isResentAtOnce: z.boolean(),
  dnsMs: milliseconds,
  connectMs: milliseconds,
  tlsMs: milliseconds,
  firstByteMs: milliseconds,
  totalMs: milliseconds,
  nextAttemptAt: time.nullable(),
});
export type AttemptEntry = z.infer<typeof attempt>;

export const timelineEntry = z.discriminatedUnion('kind', [placed, changed, note, attempt]);
export type TimelineEntry = z.infer<typeof timelineEntry>;

export const delivery = z.object({
  eventId: z.uuid(),
  type: z.string(),
  endpoint: z.enum(['status', 'cancel']),
  state: z.enum(['delivered', 'waiting', 'sending', 'held', 'discarded']),
  attempts: z.number(),
  nextAttemptAt: time.nullable(),
  body: z.string().describe('The exact bytes that every attempt sends'),
});
export type TimelineDelivery = z.infer<typeof delivery>;

export const timelineAnswer = z.object({ entries: z.array(timelineEntry), deliveries: z.array(delivery) });
export type TimelineAnswer = z.infer<typeof timelineAnswer>;

export const resendAnswer = z.object({ result: z.enum(['queued', 'already_sending', 'held']) });
export type ResendAnswer = z.infer<typeof resendAnswer>;

export const timelineApi = declareRoutes({
  read: { method: 'GET', path: '/api/orders/:orderId/timeline', answer: timelineAnswer },
  resend: { method: 'POST', path: '/api/orders/:orderId/deliveries/:eventId/resend', answer: resendAnswer },
});
