import { recordChange } from '../../store/people/audit-log.ts';
import { resendDelivery as requeue, type ResendResult } from '../../store/webhooks/delivery-log.ts';
import { findEventOwner } from '../../store/orders/events.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface ResendDeliveryRequest extends ByActor {
  eventId: string;
  /** The required owner; null for the operator and the command line, who may resend any delivery. */
  restaurantId?: string | null;
  /** The order that the event must belong to; null for any. */
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
