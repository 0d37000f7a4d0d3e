// The panel's requests and responses for webhooks. Times are RFC 3339 in UTC.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { SIGNATURE_CAUSES } from '../../../domain/webhooks/signature-diagnosis.ts';
import { attempt, delivery } from '../orders/timeline.ts';
import { sentTime } from '../../validation/sent-time.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const endpoint = z.enum(ENDPOINT_KINDS);
const instant = sentTime.transform((text) => Date.parse(text));

/** Attempts that were made or discarded: the actual log. */
export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'discarded'] as const;
/** Webhooks that are not sent yet: they await a retry, or there is no URL, or the integration is off. */
export const WAITING_OUTCOMES = ['waiting', 'held'] as const;
const outcome = z.enum([...ATTEMPT_OUTCOMES, ...WAITING_OUTCOMES]);
export type LogOutcome = z.infer<typeof outcome>;

export const logQuery = z.object({
  endpoint: endpoint.optional(),
  outcome: outcome.optional(),
  /** The integrator's order id, the order number, or our id. */
  order: z.string().trim().min(1).max(128).optional(),
  from: instant.optional(),
  until: instant.optional(),
  /** `next` of the previous page. */
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
});

const logEntry = z.object({
  key: z.string(),
  at: time.describe('When the attempt began; for what waits, when the event happened'),
  eventId: z.uuid(),
  endpoint,
  outcome,
  /** The number of attempts so far, including this one. */
  number: z.number(),
  status: z.number().nullable(),
  errorClass: z.string().nullable(),
  errorText: z.string().nullable(),
  totalMs: z.number().nullable(),
  nextAttemptAt: time.nullable(),
  /** Null if the order's events are older than the retention period. */
  order: z.object({ id: z.uuid(), orderId: z.string(), orderNumber: z.string() }).nullable(),
});
export type LogEntry = z.infer<typeof logEntry>;

export const logAnswer = z.object({
  entries: z.array(logEntry),
  next: z.string().nullable().describe('There may be more; null: that was all'),
  searchedBackTo: time.nullable().describe('The search stopped here, before it had filled a page'),
});
export type LogAnswer = z.infer<typeof logAnswer>;

export const webhookDetail = z.object({
  order: z.object({ id: z.uuid(), orderId: z.string(), orderNumber: z.string() }),
  delivery,
  attempts: z.array(attempt),
  /** The endpoint's current URL; null if there is none. */
  url: z.string().nullable(),
});
export type WebhookDetail = z.infer<typeof webhookDetail>;

export const failedQuery = z.object({ since: instant });
export const failedAnswer = z.object({ count: z.number() });
export type FailedAnswer = z.infer<typeof failedAnswer>;

export const FIGURE_RANGES = ['24h', '7d'] as const;
export type FigureRange = (typeof FIGURE_RANGES)[number];

export const figuresQuery = z.object({ range: z.enum(FIGURE_RANGES) });
export const figuresAnswer = z.object({
  buckets: z.array(
    z.object({
      from: time,
      until: time,
      delivered: z.number(),
      failed: z.number(),
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
    }),
  ),
  sampledFrom: z.number().nullable().describe('When busy spans were sampled: how many attempts of each, the newest'),
});
export type FiguresAnswer = z.infer<typeof figuresAnswer>;

export const signatureRequest = z.object({
  body: z.string().max(65_536),
  signature: z.string().max(500),
  /** Default: the restaurant's own secret, which is never shown. */
  secret: z.string().min(1).max(500).optional(),
});
export type SignatureRequest = z.input<typeof signatureRequest>;
export const signatureAnswer = z.object({
  expected: z.string(),
  isMatch: z.boolean(),
  differsAt: z.number().nullable(),
  causes: z.array(z.enum(SIGNATURE_CAUSES)),
});
export type SignatureAnswer = z.infer<typeof signatureAnswer>;

export const webhooksApi = declareRoutes({
  search: { method: 'GET', path: '/api/webhooks', query: logQuery, answer: logAnswer },
  read: { method: 'GET', path: '/api/webhooks/events/:eventId', answer: webhookDetail },
  readFigures: { method: 'GET', path: '/api/webhooks/figures', query: figuresQuery, answer: figuresAnswer },
  countFailed: { method: 'GET', path: '/api/webhooks/failed', query: failedQuery, answer: failedAnswer },
  resendFailed: { method: 'POST', path: '/api/webhooks/failed', body: failedQuery, answer: failedAnswer },
  discard: { method: 'POST', path: '/api/webhooks/events/:eventId/discard', answer: 'nothing' },
  checkSignature: {
    method: 'POST',
    path: '/api/webhooks/signature',
    body: signatureRequest,
    answer: signatureAnswer,
  },
});
