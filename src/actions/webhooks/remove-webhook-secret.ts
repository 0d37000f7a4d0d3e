import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteWebhookSecret, listWebhookSecrets } from '../../store/webhooks/endpoints.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface RemoveWebhookSecretRequest extends ByActor {
  restaurantId: string;
  /** The secret the user saw in the list, so that they can't remove a newer one that has since replaced it. */
  secretId?: string;
}

export type RemoveWebhookSecretResult = { kind: 'removed'; secretId: string; state: 'pending' | 'active' } | Refused;

/** Removes the pending secret if there is one, else the active one: webhooks are then sent unsigned. */
export function removeWebhookSecret(
  deps: AdministrationDeps,
  request: RemoveWebhookSecretRequest,
): Promise<RemoveWebhookSecretResult> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const secrets = await listWebhookSecrets(tx, restaurant.id);
    const { secretId } = request;
    if (secretId !== undefined && !secrets.some(({ id }) => id === secretId)) return NOT_FOUND;
    const secret = secrets.find((candidate) => candidate.state === 'pending') ?? secrets[0];
    if (secret === undefined) return refused(refuse('WEBHOOK_005'));
    if (secretId !== undefined && secretId !== secret.id) return refused(refuse('WEBHOOK_004'));
    await deleteWebhookSecret(tx, secret.id);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'webhook_secret.removed',
      detail: { secretId: secret.id, state: secret.state },
    });
    return { kind: 'removed', secretId: secret.id, state: secret.state };
  });
}
