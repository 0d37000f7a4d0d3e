import { recordChange } from '../../store/people/audit-log.ts';
import { resendDelivery as requeue, type ResendResult } from '../../store/webhooks/delivery-log.ts';
import { findEventOwner } from '../../store/orders/events.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface ResendDeliveryRequest extends ByActor {
  eventId: string;
  /** Whose it must be; null for the operator and the command line, who may resend anybody's. */
  restaurantId?: string | null;
  /** Whose event it must be; null: any order's. */
  orderId?: string | null;
}

export function resendDelivery(deps: AdministrationDeps, request: ResendDeliveryRequest): Promise<ResendResult> {
  const { eventId, actor, restaurantId = null, orderId = null } = request;
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const result = await requeue(tx, { eventId, restaurantId, orderId, now });
    if (result !== 'queued') return result;
    const owner = restaurantId ?? (await findEventOwner(tx, eventId));
    await recordChange(tx, { at: now, actor, restaurantId: owner, action: 'delivery.resent', detail: { eventId } });
    return result;
  });
}
