import { formatUtc, type Instant } from '../../domain/time.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertApiKey } from '../../store/restaurants/credentials.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { generateApiKey } from '../../secrets/vault.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface CreateApiKeyRequest extends ByActor {
  restaurantId: string;
  environment: 'live' | 'test';
  /** Null: it never expires. */
  lifetimeMs: number | null;
}

export interface CreatedApiKey {
  kind: 'created';
  /** Returned only here. */
  apiKey: string;
  keyId: string;
  prefix: string;
  expiresAt: Instant | null;
}

export function createApiKey(deps: AdministrationDeps, request: CreateApiKeyRequest): Promise<CreatedApiKey | Refused> {
  const { environment, lifetimeMs } = request;
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const now = deps.clock.now();
    const { apiKey, prefix } = generateApiKey(environment, deps.randomBytes);
    const keyId = deps.newId();
    const expiresAt = lifetimeMs === null ? null : now + lifetimeMs;
    await insertApiKey(tx, {
      id: keyId,
      restaurantId: restaurant.id,
      keyHash: deps.vault.credentialHash(apiKey),
      prefix,
      environment,
      createdAt: now,
      expiresAt,
    });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'api_key.created',
      detail: { keyId, prefix, expiresAt: formatUtc(expiresAt) },
    });
    return { kind: 'created', apiKey, keyId, prefix, expiresAt };
  });
}
