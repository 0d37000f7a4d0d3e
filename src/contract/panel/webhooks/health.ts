// Separate from the other webhook contracts, because the layout of every page requests it.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');

export const webhookHealth = z.object({
  isEnabled: z.boolean().describe('Whether the integration is enabled'),
  hasSecret: z.boolean(),
  hasPendingSecret: z.boolean(),
  endpoints: z.array(
    z.object({
      endpoint: z.enum(ENDPOINT_KINDS),
      url: z.string().nullable(),
      failingSince: time.nullable(),
      lastSuccessAt: time.nullable(),
      lastError: z.string().nullable(),
      nextAttemptAt: time.nullable(),
      waiting: z.number().describe('After a failure, counted up to `mostCounted`'),
      held: z.number().describe('Counted up to `mostCounted`'),
    }),
  ),
  mostCounted: z.number(),
});
export type WebhookHealth = z.infer<typeof webhookHealth>;

export const webhookHealthApi = declareRoutes({
  read: { method: 'GET', path: '/api/webhooks/health', answer: webhookHealth },
});
