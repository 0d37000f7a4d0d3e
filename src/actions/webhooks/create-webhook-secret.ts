import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertWebhookSecret, listWebhookSecrets } from '../../store/webhooks/endpoints.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { generateWebhookSecret, SEALED_IN } from '../../secrets/vault.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface CreateWebhookSecretRequest extends ByActor {
  restaurantId: string;
}

export interface CreatedWebhookSecret {
  kind: 'created';
  /** Returned only here. */
  secret: string;
  secretId: string;
  /** Pending: the active secret keeps signing until someone switches. */
  state: 'pending' | 'active';
}

export function createWebhookSecret(
  deps: AdministrationDeps,
  request: CreateWebhookSecretRequest,
): Promise<CreatedWebhookSecret | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const secrets = await listWebhookSecrets(tx, restaurant.id);
    if (secrets.some((secret) => secret.state === 'pending')) {
      return refused(refuse('WEBHOOK_001'));
    }
    const now = deps.clock.now();
    const state = secrets.length === 0 ? 'active' : 'pending';
    const secret = generateWebhookSecret(deps.randomBytes);
    const secretId = deps.newId();
    await insertWebhookSecret(tx, {
      id: secretId,
      restaurantId: restaurant.id,
      state,
      sealedSecret: deps.vault.seal(secret, SEALED_IN.webhookSecret(secretId)),
      createdAt: now,
    });
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'webhook_secret.created',
      detail: { secretId, state },
    });
    return { kind: 'created', secret, secretId, state };
  });
}
