import { recordChange } from '../store/audit.ts';
import { resendDelivery as requeue, type ResendResult } from '../store/delivery-log.ts';
import type { AdministrationDeps, ByActor } from './administration.ts';

export interface ResendDeliveryRequest extends ByActor {
  eventId: string;
}

export function resendDelivery(deps: AdministrationDeps, request: ResendDeliveryRequest): Promise<ResendResult> {
  const { eventId, actor } = request;
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const result = await requeue(tx, { eventId, restaurantId: null, now });
    if (result !== 'queued') return result;
    await recordChange(tx, { at: now, actor, restaurantId: null, action: 'delivery.resent', detail: { eventId } });
    return result;
  });
}
