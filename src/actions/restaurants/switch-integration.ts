import { ENDPOINT_KINDS } from '../../domain/webhooks/events.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { releaseHeld } from '../../store/webhooks/deliveries.ts';
import { findRestaurantForUpdate, updateRestaurant } from '../../store/restaurants/restaurants.ts';
import { listEndpoints } from '../../store/webhooks/endpoints.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { refuseUnconfirmed, type HeldConfirmation } from '../webhooks/confirm-held.ts';

export interface SwitchIntegrationRequest extends ByActor, HeldConfirmation {
  restaurantId: string;
  enabled: boolean;
}

export interface IntegrationSwitched {
  kind: 'switched' | 'unchanged';
  enabled: boolean;
  /** Webhooks that were held while it was off and have now been released. */
  released: number;
}

export function switchIntegration(
  deps: AdministrationDeps,
  request: SwitchIntegrationRequest,
): Promise<IntegrationSwitched | Refused> {
  const { enabled } = request;
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    if (restaurant.integrationEnabled === enabled) return { kind: 'unchanged', enabled, released: 0 };
    const sendable = enabled ? (await listEndpoints(tx, restaurant.id)).filter(({ url }) => url !== null) : [];
    const unconfirmed = await refuseUnconfirmed(tx, request, {
      restaurantId: restaurant.id,
      kinds: sendable.map(({ kind }) => kind),
    });
    if (unconfirmed !== undefined) return unconfirmed;
    const now = deps.clock.now();
    await updateRestaurant(tx, { ...restaurant, integrationEnabled: enabled });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: enabled ? 'integration.enabled' : 'integration.disabled',
      detail: {},
    });
    const released = enabled ? await releaseHeld(tx, { restaurantId: restaurant.id, kinds: ENDPOINT_KINDS, now }) : 0;
    return { kind: 'switched', enabled, released };
  });
}
