import type { Instant } from '../time.ts';

/** Something that happened without a transition; shown in the order's history, but not sent as a webhook. */
export interface HistoryNote {
  kind:
    | 'courier_offered'
    | 'courier_declined'
    | 'offer_withdrawn'
    | 'courier_attached'
    | 'courier_accepted'
    | 'courier_replaced'
    | 'courier_not_found'
    | 'kitchen_ready_early'
    | 'dropoff_fixed';
  at: Instant;
  courierId: string | null;
  detail: string | null;
}
