import { isInScope, type Scope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { resendDelivery as requeue, type ResendResult } from '../../store/webhooks/delivery-log.ts';
import { findEventOwner } from '../../store/orders/events.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface ResendDeliveryRequest extends ByActor {
  eventId: string;
  scope: Scope;
  /** The order that the event must belong to; any if omitted. */
  orderId?: string;
}

export function resendDelivery(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: ResendDeliveryRequest,
): Promise<{ kind: Exclude<ResendResult, 'unknown'> } | Refused> {
  const { eventId, scope, actor, orderId = null } = request;
  return deps.db.transaction(async (tx) => {
    const restaurantId = await findEventOwner(tx, eventId);
    if (restaurantId === null || !isInScope(scope, { restaurantId, courierId: null })) return NOT_FOUND;
    const now = deps.clock.now();
    const kind = await requeue(tx, { eventId, restaurantId, orderId, now });
    if (kind === 'unknown') return NOT_FOUND;
    if (kind === 'queued') {
      await recordChange(tx, { at: now, actor, restaurantId, action: 'delivery.resent', detail: { eventId } });
    }
    return { kind };
  });
}
