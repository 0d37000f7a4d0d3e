import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertBasicCredential } from '../../store/restaurants/credentials.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { generateBasicCredential } from '../../secrets/vault.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface CreateBasicCredentialRequest extends ByActor {
  restaurantId: string;
}

export interface CreatedBasicCredential {
  kind: 'created';
  username: string;
  /** Returned only here. */
  password: string;
  credentialId: string;
}

export function createBasicCredential(
  deps: AdministrationDeps,
  request: CreateBasicCredentialRequest,
): Promise<CreatedBasicCredential | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const now = deps.clock.now();
    const { username, password } = generateBasicCredential(deps.randomBytes);
    const credentialId = deps.newId();
    await insertBasicCredential(tx, {
      id: credentialId,
      restaurantId: restaurant.id,
      username,
      // Generated like an API key and just as strong, so it can be hashed the same way.
      passwordHash: deps.vault.credentialHash(password),
      createdAt: now,
    });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'basic_credential.created',
      detail: { credentialId, username },
    });
    return { kind: 'created', username, password, credentialId };
  });
}
