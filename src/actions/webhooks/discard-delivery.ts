import { recordChange } from '../../store/people/audit-log.ts';
import { discardDelivery as discard } from '../../store/webhooks/delivery-log.ts';
import { findEventOwner } from '../../store/orders/events.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface DiscardDeliveryRequest extends ByActor {
  eventId: string;
  /** The required owner; null for the operator and the command line, who may discard any delivery. */
  restaurantId?: string | null;
}

/** False if no such delivery is waiting: it is unknown, delivered, or being sent right now. */
export function discardDelivery(deps: AdministrationDeps, request: DiscardDeliveryRequest): Promise<boolean> {
  const { eventId, actor, restaurantId = null } = request;
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    if (!(await discard(tx, { eventId, restaurantId, now }))) return false;
    const owner = restaurantId ?? (await findEventOwner(tx, eventId));
    await recordChange(tx, { at: now, actor, restaurantId: owner, action: 'delivery.discarded', detail: { eventId } });
    return true;
  });
}
