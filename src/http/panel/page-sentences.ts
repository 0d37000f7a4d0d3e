// What pages say about a refusal, where they can advise what to do.
import type { RefusalCode } from '../../domain/refusals.ts';

/** Replace the catalog's messages. */
export const PAGE_SENTENCES = {
  COURIER_003: '{name} is off duty. Choose a courier who is on duty',
  RESTAURANT_001: 'A restaurant with the id {restaurantId} already exists. Choose another id',
  WEBHOOK_006: 'No URL is registered for this webhook. Register one under Settings → Integration → Webhook URLs',
} as const satisfies Partial<Record<RefusalCode, string>>;
