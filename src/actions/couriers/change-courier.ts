import type { Scope } from '../../domain/people/scope.ts';
import { refused, refuseValue, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { updateCourier, type Courier } from '../../store/couriers/couriers.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { UNKNOWN_RESTAURANT } from '../restaurants/restaurant-settings.ts';
import { findCourierMistake, type CourierProfile } from './courier-profile.ts';
import { findOwnCourier } from './own-courier.ts';

export interface ChangeCourierRequest extends ByActor {
  courierId: string;
  scope: Scope;
  profile: Partial<CourierProfile>;
  /** Waybill's own id; null for the operator's pool; unchanged if omitted. */
  restaurantId?: string | null;
}

export async function changeCourier(
  deps: AdministrationDeps,
  request: ChangeCourierRequest,
): Promise<{ kind: 'changed'; courier: Courier } | Refused> {
  return deps.db.transaction(async (tx) => {
    const before = await findOwnCourier(tx, request.courierId, request.scope);
    if (before === undefined) return NOT_FOUND;
    const { restaurantId = before.restaurantId } = request;
    if (restaurantId !== null && (await findRestaurant(tx, restaurantId)) === undefined) {
      return refused(refuseValue(UNKNOWN_RESTAURANT));
    }
    const courier: Courier = { ...before, ...request.profile, restaurantId };
    const mistake = findCourierMistake(courier);
    if (mistake !== undefined) return refused(refuseValue(mistake));
    await updateCourier(tx, courier);
    await notifyPlanners(tx, null);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId,
      action: 'courier.changed',
      detail: { courierId: courier.id, fields: Object.keys(request.profile).join(', ') },
    });
    return { kind: 'changed', courier };
  });
}
