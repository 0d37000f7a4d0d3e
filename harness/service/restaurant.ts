// A restaurant with an API key, and with webhooks if there is a receiver.
import { randomBytes } from 'node:crypto';
import { addRestaurant } from '../../src/actions/restaurants/add-restaurant.ts';
import { createApiKey } from '../../src/actions/restaurants/create-api-key.ts';
import { createWebhookSecret } from '../../src/actions/webhooks/create-webhook-secret.ts';
import type { RestaurantSettings } from '../../src/actions/restaurants/restaurant-settings.ts';
import { setWebhookUrls } from '../../src/actions/webhooks/set-webhook-urls.ts';
import type { App } from '../../src/app.ts';

export interface RestaurantOptions extends Partial<RestaurantSettings> {
  /** The integrator's id; unique by default. */
  restaurantId?: string;
  receiver?: { url(path: string): string };
  hasSecret?: boolean;
}

export interface TestRestaurant {
  id: string;
  restaurantId: string;
  apiKey: string;
  secret: string | undefined;
}

export async function addTestRestaurant(app: App, options: RestaurantOptions = {}): Promise<TestRestaurant> {
  const {
    receiver,
    hasSecret = false,
    restaurantId = `resto-${randomBytes(4).toString('hex')}`,
    ...settings
  } = options;
  const actor = { name: 'test' };
  const added = await addRestaurant(app, {
    restaurantId,
    actor,
    settings: { name: 'Testaurant', timeZone: 'Europe/Istanbul', rateLimitPerMinute: 1_000_000, ...settings },
  });
  if (added.kind === 'refused') throw new Error(added.refusal.code);
  const by = { restaurantId: added.restaurant.id, actor };
  const key = await createApiKey(app, { ...by, environment: app.config.environment, lifetimeMs: null });
  if (key.kind === 'refused') throw new Error(key.refusal.code);
  if (receiver !== undefined) {
    const set = await setWebhookUrls(app, {
      ...by,
      urls: { status: receiver.url('/status'), cancel: receiver.url('/cancel') },
    });
    if (set.kind === 'refused') throw new Error(set.refusal.code);
  }
  const secret = hasSecret ? await createWebhookSecret(app, by) : undefined;
  if (secret?.kind === 'refused') throw new Error(secret.refusal.code);
  return { id: added.restaurant.id, restaurantId, apiKey: key.apiKey, secret: secret?.secret };
}
