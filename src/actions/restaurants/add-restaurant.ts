import { refused, refuseValue, refuseWith, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertRestaurant, type RestaurantProfile } from '../../store/restaurants/restaurants.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import {
  DEFAULT_SETTINGS,
  describeLabel,
  findSettingsMistake,
  isLabel,
  normalizeSettings,
  type RestaurantSettings,
} from './restaurant-settings.ts';

export interface AddRestaurantRequest extends ByActor {
  /** The integrator's id of the restaurant. */
  restaurantId: string;
  settings: Partial<RestaurantSettings> & Pick<RestaurantSettings, 'name'>;
}

export type AddRestaurantResult = { kind: 'added'; restaurant: RestaurantProfile } | Refused;

export async function addRestaurant(
  deps: AdministrationDeps,
  request: AddRestaurantRequest,
): Promise<AddRestaurantResult> {
  const { restaurantId } = request;
  const settings = { ...DEFAULT_SETTINGS, ...normalizeSettings(request.settings) };
  if (!isLabel(restaurantId, 64)) {
    return refused(refuseValue({ field: 'restaurantId', message: describeLabel(64) }));
  }
  const mistake = findSettingsMistake(settings);
  if (mistake !== undefined) return refused(refuseValue(mistake));

  const now = deps.clock.now();
  const restaurant: RestaurantProfile = {
    ...settings,
    id: deps.newId(),
    providerRestaurantId: restaurantId,
    integrationEnabled: true,
    createdAt: now,
  };
  return deps.db.transaction(async (tx) => {
    if (!(await insertRestaurant(tx, restaurant))) {
      return refused(refuseWith('RESTAURANT_001', { restaurantId }));
    }
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'restaurant.added',
      detail: { restaurantId, name: restaurant.name },
    });
    return { kind: 'added', restaurant };
  });
}
