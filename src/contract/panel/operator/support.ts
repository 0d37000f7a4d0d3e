// Requests and responses of the operator's support case pages.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { inspectionView } from '../restaurants/integration.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const CASE_STATES = ['open', 'contacted', 'resolved'] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const supportCasesQuery = z.object({ state: z.enum(CASE_STATES).default('open') });

const supportCase = z.object({
  id: z.uuid(),
  restaurantId: z.uuid(),
  restaurantName: z.string(),
  providerRestaurantId: z.string(),
  endpoint: z.enum(ENDPOINT_KINDS),
  url: z.string().nullable().describe('As registered now'),
  state: z.enum(CASE_STATES),
  failingSince: time,
  openedAt: time,
  contactedAt: time.nullable(),
  resolvedAt: time.nullable(),
  resolution: z.enum(['recovered', 'switched_off', 'by_operator']).nullable(),
});
export type SupportCaseView = z.infer<typeof supportCase>;

export const supportCasesAnswer = z.object({
  cases: z.array(supportCase).describe('Unresolved ones oldest first, resolved ones newest first'),
  counts: z.object({ open: z.number(), contacted: z.number() }),
});
export type SupportCasesAnswer = z.infer<typeof supportCasesAnswer>;

export const supportCaseDetail = supportCase.extend({
  contacts: z.array(z.string()).describe('Email addresses: the contact, otherwise the owners'),
  waiting: z.number(),
  failedAttempts: z.number(),
  oldestWaitingAt: time.nullable(),
  lastErrors: z.array(z.object({ at: time, status: z.number().nullable(), error: z.string().nullable() })),
  notes: z.array(z.object({ at: time, actor: z.string(), note: z.string() })).describe('Oldest first'),
});
export type SupportCaseDetail = z.infer<typeof supportCaseDetail>;

export const supportNoteRequest = z.object({ note: z.string().trim().min(1).max(4_000) });

export const probeAnswer = z.object({
  inspection: inspectionView,
  sent: z
    .enum(['queued', 'already_sending', 'held', 'unknown'])
    .nullable()
    .describe('Result for the oldest waiting webhook; null: the endpoint is unreachable, or no webhook waits'),
});
export type ProbeAnswer = z.infer<typeof probeAnswer>;

export const supportApi = declareRoutes({
  list: { method: 'GET', path: '/api/operator/support-cases', query: supportCasesQuery, answer: supportCasesAnswer },
  read: { method: 'GET', path: '/api/operator/support-cases/:caseId', answer: supportCaseDetail },
  markContacted: { method: 'POST', path: '/api/operator/support-cases/:caseId/contacted', answer: 'nothing' },
  addNote: {
    method: 'POST',
    path: '/api/operator/support-cases/:caseId/notes',
    body: supportNoteRequest,
    answer: 'nothing',
  },
  resolve: { method: 'POST', path: '/api/operator/support-cases/:caseId/resolve', answer: 'nothing' },
  probe: { method: 'POST', path: '/api/operator/support-cases/:caseId/probe', answer: probeAnswer },
});
