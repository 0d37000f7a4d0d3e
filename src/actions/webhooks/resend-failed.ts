import { formatUtc, type Instant } from '../../domain/time.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { resendFailedSince } from '../../store/webhooks/delivery-log.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface ResendFailedRequest extends ByActor {
  restaurantId: string;
  since: Instant;
}

/** Sends immediately every delivery that waits for a retry and whose event happened since the given time. */
export function resendFailed(
  deps: AdministrationDeps,
  request: ResendFailedRequest,
): Promise<{ kind: 'queued'; count: number } | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurant(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const now = deps.clock.now();
    const { since } = request;
    const count = await resendFailedSince(tx, { restaurantId: restaurant.id, since, now });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'deliveries.resent',
      detail: { since: formatUtc(since), count },
    });
    return { kind: 'queued', count };
  });
}
