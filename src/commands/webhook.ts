import { createWebhookSecret } from '../actions/webhooks/create-webhook-secret.ts';
import { removeWebhookSecret } from '../actions/webhooks/remove-webhook-secret.ts';
import { setWebhookUrls } from '../actions/webhooks/set-webhook-urls.ts';
import { switchIntegration } from '../actions/restaurants/switch-integration.ts';
import { switchWebhookSecret } from '../actions/webhooks/switch-webhook-secret.ts';
import { formatUtc } from '../domain/time.ts';
import { ENDPOINT_KINDS } from '../domain/webhooks/events.ts';
import { countHeld } from '../store/webhooks/deliveries.ts';
import { listEndpoints, listWebhookSecrets } from '../store/webhooks/endpoints.ts';
import { z } from 'zod';
import { findNamedRestaurant } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, flag, type CommandContext, type Outcome } from './terminal/command.ts';
import { text } from './terminal/inputs.ts';
import { done } from './terminal/render.ts';

const webhookSet = defineCommand({
  name: 'webhook set',
  usage: '--restaurant R [--status-url U] [--cancel-url U]',
  summary:
    "Register webhook URLs. '' removes a URL. Webhooks that were held because there was no URL are then sent in order.",
  input: { restaurant: text, statusUrl: z.string().optional(), cancelUrl: z.string().optional() },
  run: async (input, context) => {
    const { statusUrl, cancelUrl } = input;
    if (statusUrl === undefined && cancelUrl === undefined) {
      return { kind: 'misused', message: 'Give --status-url, --cancel-url or both.' };
    }
    const urls = {
      ...(statusUrl !== undefined && { status: statusUrl || null }),
      ...(cancelUrl !== undefined && { cancel: cancelUrl || null }),
    };
    return context.withSession(async (session) => {
      const restaurant = await findNamedRestaurant(session.db, input.restaurant);
      if (restaurant.kind === 'failed') return restaurant;
      const { id: restaurantId } = restaurant.found;
      const result = await setWebhookUrls(session, { restaurantId, urls, actor: context.actor });
      if (result.kind === 'refused') return failed(result);
      return done('Webhook URLs set.', {
        restaurantId: input.restaurant,
        statusUrl: result.urls.status,
        cancelUrl: result.urls.cancel,
        released: result.released,
      });
    });
  },
});

const webhookShow = defineCommand({
  name: 'webhook show',
  usage: '--restaurant R',
  summary: 'Show the webhook URLs, their health, and the webhook secrets.',
  input: { restaurant: text },
  run: (input, context) =>
    context.withSession(async (session) => {
      const named = await findNamedRestaurant(session.db, input.restaurant);
      if (named.kind === 'failed') return named;
      const restaurant = named.found;
      const endpoints = await listEndpoints(session.db, restaurant.id);
      const secrets = await listWebhookSecrets(session.db, restaurant.id);
      return done(`Webhooks of ${restaurant.name}`, {
        restaurantId: input.restaurant,
        integrationEnabled: restaurant.integrationEnabled,
        held: await countHeld(session.db, restaurant.id, ENDPOINT_KINDS),
        endpoints: endpoints.map((endpoint) => ({
          endpoint: endpoint.kind,
          url: endpoint.url,
          failingSince: formatUtc(endpoint.failingSince),
          lastSuccessAt: formatUtc(endpoint.lastSuccessAt),
          lastFailureAt: formatUtc(endpoint.lastFailureAt),
          lastError: endpoint.lastError,
        })),
        secrets: secrets.map((secret) => ({
          secretId: secret.id,
          state: secret.state,
          createdAt: formatUtc(secret.createdAt),
          activatedAt: formatUtc(secret.activatedAt),
        })),
      });
    }),
});

const webhookSecret = defineCommand({
  name: 'webhook secret',
  usage: '--restaurant R [--switch | --remove]',
  summary:
    'Create a webhook secret. The first one is used immediately, later ones are pending until --switch. --remove removes one.',
  input: { restaurant: text, switch: flag, remove: flag },
  run: async (input, context) => {
    if (input.switch && input.remove) return { kind: 'misused', message: '--switch and --remove cannot be combined.' };
    if (input.switch) return switchSecret(input.restaurant, context);
    if (input.remove) return removeSecret(input.restaurant, context);
    return createSecret(input.restaurant, context);
  },
});

function createSecret(named: string, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findNamedRestaurant(session.db, named);
    if (restaurant.kind === 'failed') return restaurant;
    const { id: restaurantId } = restaurant.found;
    const result = await createWebhookSecret(session, { restaurantId, actor: context.actor });
    if (result.kind === 'refused') return failed(result);
    const { secret, secretId, state } = result;
    const headline =
      state === 'active'
        ? 'Webhook secret created. Webhooks are signed with it from now on. It is only shown once.'
        : 'Pending webhook secret created. It is only shown once. Deploy it, then run: webhook secret --restaurant R --switch';
    return done(headline, { secret, secretId, state });
  });
}

function switchSecret(named: string, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findNamedRestaurant(session.db, named);
    if (restaurant.kind === 'failed') return restaurant;
    const { id: restaurantId } = restaurant.found;
    const result = await switchWebhookSecret(session, { restaurantId, actor: context.actor });
    if (result.kind === 'refused') return failed(result);
    const headline = 'Switched. Webhooks are signed with the new secret from now on.';
    return done(headline, { secretId: result.secretId, state: 'active' });
  });
}

function removeSecret(named: string, context: CommandContext): Promise<Outcome> {
  return context.withSession(async (session) => {
    const restaurant = await findNamedRestaurant(session.db, named);
    if (restaurant.kind === 'failed') return restaurant;
    const { id: restaurantId } = restaurant.found;
    const result = await removeWebhookSecret(session, { restaurantId, actor: context.actor });
    if (result.kind === 'refused') return failed(result);
    const headline =
      result.state === 'pending'
        ? 'The pending secret was removed. The active one is still used.'
        : 'The active secret was removed. Webhooks are unsigned from now on.';
    return done(headline, { secretId: result.secretId, removed: result.state });
  });
}

function defineSwitch(enabled: boolean) {
  const verb = enabled ? 'enable' : 'disable';
  return defineCommand({
    name: `integration ${verb}`,
    usage: '--restaurant R',
    summary: enabled
      ? 'Enable the integration. Orders are accepted, and held webhooks are sent in order.'
      : 'Disable the integration. Orders are refused, and webhooks are held.',
    input: { restaurant: text },
    run: (input, context) =>
      context.withSession(async (session) => {
        const restaurant = await findNamedRestaurant(session.db, input.restaurant);
        if (restaurant.kind === 'failed') return restaurant;
        const request = { restaurantId: restaurant.found.id, enabled, actor: context.actor };
        const result = await switchIntegration(session, request);
        if (result.kind === 'refused') return failed(result);
        const headline = result.kind === 'switched' ? `Integration ${verb}d.` : `The integration was already ${verb}d.`;
        const { released } = result;
        return done(headline, { restaurantId: input.restaurant, integrationEnabled: enabled, released });
      }),
  });
}

export const webhookCommands = [webhookSet, webhookShow, webhookSecret, defineSwitch(true), defineSwitch(false)];
