import { recordChange } from '../store/audit.ts';
import { insertCourier, type Courier } from '../store/couriers.ts';
import { findRestaurantByProviderId } from '../store/restaurants.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from './administration.ts';
import { findPlaceMistake, isLabel } from './restaurant-settings.ts';

export interface AddCourierRequest extends ByActor {
  name: string;
  phone: string | null;
  latitude: number | null;
  longitude: number | null;
  /** Null: the operator's pool, open to every restaurant. */
  restaurantId: string | null;
}

export async function addCourier(
  deps: AdministrationDeps,
  request: AddCourierRequest,
): Promise<{ kind: 'added'; courier: Courier } | Refused> {
  const { name, phone, latitude, longitude } = request;
  if (!isLabel(name, 100)) return refused('The name must have 1 to 100 characters, without control characters.');
  if (phone !== null && !isLabel(phone, 40)) return refused('The phone number must have 1 to 40 characters.');
  const mistake = findPlaceMistake(latitude, longitude);
  if (mistake !== undefined) return refused(mistake);
  return deps.db.transaction(async (tx) => {
    const restaurant =
      request.restaurantId === null ? null : await findRestaurantByProviderId(tx, request.restaurantId);
    if (restaurant === undefined) return refuseUnknownRestaurant(request.restaurantId ?? '');
    const now = deps.clock.now();
    const restaurantId = restaurant?.id ?? null;
    const courier = { id: deps.newId(), name, phone, latitude, longitude, onDuty: true, restaurantId, createdAt: now };
    await insertCourier(tx, courier);
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId,
      action: 'courier.added',
      detail: { courierId: courier.id, name },
    });
    return { kind: 'added', courier };
  });
}
