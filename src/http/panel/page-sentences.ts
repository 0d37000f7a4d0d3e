// What pages say about a refusal, where they can advise what to do.
import type { RefusalCode } from '../../domain/refusals.ts';

/** Replace the catalog's messages. */
export const PAGE_SENTENCES = {
  COURIER_003: '{name} is off duty. Choose a courier who is on duty',
} as const satisfies Partial<Record<RefusalCode, string>>;
