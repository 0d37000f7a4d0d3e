import { DEFAULT_CAPACITY, type Vehicle } from '../../domain/couriers/courier.ts';
import { refused, refuseValue, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertCourier, type Courier } from '../../store/couriers/couriers.ts';
import { findRestaurant } from '../../store/restaurants/restaurants.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import { UNKNOWN_RESTAURANT } from '../restaurants/restaurant-settings.ts';
import { findCourierMistake } from './courier-profile.ts';

export interface AddCourierRequest extends ByActor {
  name: string;
  phone: string | null;
  vehicle?: Vehicle;
  capacity?: number;
  payPerOrder?: number | null;
  latitude: number | null;
  longitude: number | null;
  /** Waybill's own id. Null: the operator's pool, open to every restaurant. */
  restaurantId: string | null;
  /** Off duty by default: a courier who has not reported for duty must not get offers. */
  onDuty?: boolean;
}

export async function addCourier(
  deps: AdministrationDeps,
  request: AddCourierRequest,
): Promise<{ kind: 'added'; courier: Courier } | Refused> {
  const { name, phone, latitude, longitude, onDuty = false } = request;
  const profile = {
    name,
    phone,
    vehicle: request.vehicle ?? ('BICYCLE' as const),
    capacity: request.capacity ?? DEFAULT_CAPACITY,
    payPerOrder: request.payPerOrder ?? null,
    latitude,
    longitude,
  };
  const mistake = findCourierMistake(profile);
  if (mistake !== undefined) return refused(refuseValue(mistake));
  return deps.db.transaction(async (tx) => {
    const { restaurantId } = request;
    if (restaurantId !== null && (await findRestaurant(tx, restaurantId)) === undefined) {
      return refused(refuseValue(UNKNOWN_RESTAURANT));
    }
    const now = deps.clock.now();
    const courier: Courier = { ...profile, id: deps.newId(), onDuty, restaurantId, createdAt: now };
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
