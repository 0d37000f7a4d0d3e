import { recordChange } from '../../store/people/audit-log.ts';
import { listBasicCredentials, revokeBasicCredentialById } from '../../store/restaurants/credential-lists.ts';
import { findRestaurantByProviderId } from '../../store/restaurants/restaurants.ts';
import {
  refused,
  refuseUnknownRestaurant,
  type AdministrationDeps,
  type ByActor,
  type Refused,
} from '../administration.ts';

export interface RevokeBasicCredentialRequest extends ByActor {
  restaurantId: string;
  username: string;
}

export type RevokeBasicCredentialResult = { kind: 'revoked' | 'unchanged'; username: string } | Refused;

/** Idempotent. */
export function revokeBasicCredential(
  deps: AdministrationDeps,
  request: RevokeBasicCredentialRequest,
): Promise<RevokeBasicCredentialResult> {
  const { username } = request;
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantByProviderId(tx, request.restaurantId);
    if (restaurant === undefined) return refuseUnknownRestaurant(request.restaurantId);
    const credentials = await listBasicCredentials(tx, restaurant.id);
    const credential = credentials.find((candidate) => candidate.username === username);
    if (credential === undefined) {
      return refused('The restaurant has no Basic credential with that username.');
    }
    const now = deps.clock.now();
    if (!(await revokeBasicCredentialById(tx, credential.id, now))) return { kind: 'unchanged', username };
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'basic_credential.revoked',
      detail: { credentialId: credential.id, username },
    });
    return { kind: 'revoked', username };
  });
}
