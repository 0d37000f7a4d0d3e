import { recordChange } from '../../store/people/audit-log.ts';
import {
  findApiKeyById,
  listApiKeys,
  revokeApiKeyById,
  type ApiKeyView,
} from '../../store/restaurants/credential-lists.ts';
import type { Queryable } from '../../store/database/database.ts';
import { isUuid } from '../../store/database/uuid.ts';
import { findRestaurantByProviderId } from '../../store/restaurants/restaurants.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from '../administration.ts';

export type ApiKeyName = { keyId: string } | { restaurantId: string; prefix: string };

export interface RevokeApiKeyRequest extends ByActor {
  key: ApiKeyName;
}

export type RevokeApiKeyResult = { kind: 'revoked' | 'unchanged'; keyId: string; prefix: string } | Refused;

/** Idempotent. */
export function revokeApiKey(deps: AdministrationDeps, request: RevokeApiKeyRequest): Promise<RevokeApiKeyResult> {
  return deps.db.transaction(async (tx) => {
    const key = await findNamedKey(tx, request.key);
    if ('kind' in key) return key;
    const now = deps.clock.now();
    const named = { keyId: key.id, prefix: key.prefix };
    if (!(await revokeApiKeyById(tx, key.id, now))) return { kind: 'unchanged', ...named };
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: key.restaurantId,
      action: 'api_key.revoked',
      detail: named,
    });
    return { kind: 'revoked', ...named };
  });
}

async function findNamedKey(tx: Queryable, name: ApiKeyName): Promise<ApiKeyView | Refused> {
  if ('keyId' in name) {
    const key = isUuid(name.keyId) ? await findApiKeyById(tx, name.keyId) : undefined;
    return key ?? refused(`There is no API key with the id ${JSON.stringify(name.keyId)}.`);
  }
  const restaurant = await findRestaurantByProviderId(tx, name.restaurantId);
  if (restaurant === undefined) return refuseUnknownRestaurant(name.restaurantId);
  const keys = await listApiKeys(tx, restaurant.id);
  // Users may paste the whole key instead of its prefix.
  const matching = keys.filter((key) => name.prefix.startsWith(key.prefix));
  const live = matching.filter((key) => key.revokedAt === null);
  const [key, another] = live.length > 0 ? live : matching;
  if (key === undefined) return refused('The restaurant has no API key with that prefix.');
  if (another !== undefined && live.length > 1) {
    return refused('More than one API key of the restaurant has that prefix. Use the key id instead.');
  }
  return key;
}
