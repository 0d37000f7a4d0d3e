import { isDeepStrictEqual } from 'node:util';
import { refused, refuseValue, type Refused } from '../../domain/refusals.ts';
import { recordChange, type AuditDetail } from '../../store/people/audit-log.ts';
import {
  findRestaurantForUpdate,
  updateRestaurant,
  type RestaurantProfile,
} from '../../store/restaurants/restaurants.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { findSettingsMistake, normalizeSettings, type RestaurantSettings } from './restaurant-settings.ts';

export interface ChangeRestaurantRequest extends ByActor {
  restaurantId: string;
  settings: Partial<RestaurantSettings>;
}

export type ChangeRestaurantResult = { kind: 'changed' | 'unchanged'; restaurant: RestaurantProfile } | Refused;

export function changeRestaurant(
  deps: AdministrationDeps,
  request: ChangeRestaurantRequest,
): Promise<ChangeRestaurantResult> {
  return deps.db.transaction(async (tx) => {
    const before = await findRestaurantForUpdate(tx, request.restaurantId);
    if (before === undefined) return NOT_FOUND;
    const restaurant = { ...before, ...normalizeSettings(request.settings) };
    const mistake = findSettingsMistake(restaurant);
    if (mistake !== undefined) return refused(refuseValue(mistake));

    const detail = describeDifference(before, restaurant);
    if (Object.keys(detail).length === 0) return { kind: 'unchanged', restaurant };
    await updateRestaurant(tx, restaurant);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'restaurant.changed',
      detail,
    });
    return { kind: 'changed', restaurant };
  });
}

function describeDifference(before: RestaurantProfile, after: RestaurantProfile): AuditDetail {
  const previous = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => !isDeepStrictEqual(previous.get(name), value))
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]),
  );
}
