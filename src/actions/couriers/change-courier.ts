import { recordChange } from '../../store/people/audit-log.ts';
import { updateCourier, type Courier } from '../../store/couriers/couriers.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { findRestaurantByProviderId } from '../../store/restaurants/restaurants.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from '../administration.ts';
import { findCourierMistake, type CourierProfile } from './courier-profile.ts';
import { findNamedCourier } from './set-courier-duty.ts';

export interface ChangeCourierRequest extends ByActor {
  /** Id or exact name. */
  courier: string;
  profile: Partial<CourierProfile>;
  /** The integrator's id; null for the operator's pool; unchanged if omitted. */
  restaurantId?: string | null;
}

export async function changeCourier(
  deps: AdministrationDeps,
  request: ChangeCourierRequest,
): Promise<{ kind: 'changed'; courier: Courier } | Refused> {
  return deps.db.transaction(async (tx) => {
    const before = await findNamedCourier(tx, request.courier);
    if ('kind' in before) return before;
    let { restaurantId } = before;
    if (request.restaurantId !== undefined) {
      const restaurant =
        request.restaurantId === null ? null : await findRestaurantByProviderId(tx, request.restaurantId);
      if (restaurant === undefined) return refuseUnknownRestaurant(request.restaurantId ?? '');
      restaurantId = restaurant?.id ?? null;
    }
    const courier: Courier = { ...before, ...request.profile, restaurantId };
    const mistake = findCourierMistake(courier);
    if (mistake !== undefined) return refused(mistake);
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
