import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import { updateActingRestaurant } from '../../store/people/sessions.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface ActAsRestaurantRequest extends ByActor {
  sessionId: string;
  /** Waybill's own id. */
  restaurantId: string;
}

/** Gives one operator session the access of a restaurant's owner; the restaurant's audit log shows it. */
export function beginActing(
  deps: AdministrationDeps,
  request: ActAsRestaurantRequest,
): Promise<{ kind: 'begun'; restaurantName: string } | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurant(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    await updateActingRestaurant(tx, request.sessionId, restaurant.id);
    await recordActing(deps, { tx, ...request, action: 'operator.signed_in_as_restaurant' });
    return { kind: 'begun', restaurantName: restaurant.name };
  });
}

export function endActing(deps: AdministrationDeps, request: ActAsRestaurantRequest): Promise<void> {
  return deps.db.transaction(async (tx) => {
    await updateActingRestaurant(tx, request.sessionId, null);
    await recordActing(deps, { tx, ...request, action: 'operator.left_restaurant' });
  });
}

function recordActing(
  deps: AdministrationDeps,
  act: ActAsRestaurantRequest & { tx: Parameters<typeof recordChange>[0]; action: string },
): Promise<void> {
  return recordChange(act.tx, {
    at: deps.clock.now(),
    actor: act.actor,
    restaurantId: act.restaurantId,
    action: act.action,
    detail: {},
  });
}
