import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { activateWebhookSecret, deleteWebhookSecret, listWebhookSecrets } from '../../store/webhooks/endpoints.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';

export interface SwitchWebhookSecretRequest extends ByActor {
  restaurantId: string;
  /** The secret the user saw in the list. */
  secretId?: string;
}

/** Activates the pending secret and deletes the previous one: every attempt from now on uses the new one. */
export function switchWebhookSecret(
  deps: AdministrationDeps,
  request: SwitchWebhookSecretRequest,
): Promise<{ kind: 'switched'; secretId: string } | Refused> {
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const secrets = await listWebhookSecrets(tx, restaurant.id);
    const pending = secrets.find((secret) => secret.state === 'pending');
    const active = secrets.find((secret) => secret.state === 'active');
    if (request.secretId !== undefined && request.secretId !== pending?.id) {
      return secrets.some(({ id }) => id === request.secretId) ? refused(refuse('WEBHOOK_003')) : NOT_FOUND;
    }
    if (pending === undefined) return refused(refuse('WEBHOOK_002'));
    const now = deps.clock.now();
    if (active !== undefined) await deleteWebhookSecret(tx, active.id);
    await activateWebhookSecret(tx, pending.id, now);
    await recordChange(tx, {
      at: now,
      actor: request.actor,
      restaurantId: restaurant.id,
      action: 'webhook_secret.switched',
      detail: { secretId: pending.id, previousSecretId: active?.id ?? null },
    });
    return { kind: 'switched', secretId: pending.id };
  });
}
