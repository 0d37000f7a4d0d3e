import { isInScope, type Scope } from '../../domain/people/scope.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { discardDelivery as discard } from '../../store/webhooks/delivery-log.ts';
import { findEventOwner } from '../../store/orders/events.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface DiscardDeliveryRequest extends ByActor {
  eventId: string;
  scope: Scope;
}

export function discardDelivery(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  { eventId, scope, actor }: DiscardDeliveryRequest,
): Promise<{ kind: 'discarded' } | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurantId = await findEventOwner(tx, eventId);
    if (restaurantId === null || !isInScope(scope, { restaurantId, courierId: null })) return NOT_FOUND;
    const now = deps.clock.now();
    if (!(await discard(tx, { eventId, restaurantId, now }))) return refused(refuse('WEBHOOK_008'));
    await recordChange(tx, { at: now, actor, restaurantId, action: 'delivery.discarded', detail: { eventId } });
    return { kind: 'discarded' };
  });
}
