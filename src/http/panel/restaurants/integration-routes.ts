// Settings, Integration: everyone in the restaurant may read it; owners change the switches and URLs.
import { changeRestaurant } from '../../../actions/restaurants/change-restaurant.ts';
import { setWebhookUrls } from '../../../actions/webhooks/set-webhook-urls.ts';
import { switchIntegration } from '../../../actions/restaurants/switch-integration.ts';
import {
  integrationApi,
  type IntegrationAnswer,
  type ReleasedAnswer,
} from '../../../contract/panel/restaurants/integration.ts';
import { formatUtc } from '../../../domain/time.ts';
import type { EndpointKind } from '../../../domain/webhooks/events.ts';
import { listApiKeys, listBasicCredentials } from '../../../store/restaurants/credential-lists.ts';
import { countHeld } from '../../../store/webhooks/deliveries.ts';
import { listEndpoints, listWebhookSecrets, type EndpointView } from '../../../store/webhooks/endpoints.ts';
import { findRateUse } from '../../../store/restaurants/rate-limits.ts';
import { getRestaurant, type RestaurantProfile } from '../../../store/restaurants/restaurants.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { toApiKeyView, toBasicView, toSecretView } from './credential-views.ts';
import { done } from '../guard.ts';
import { answerCheck } from '../webhooks/endpoint-check.ts';
import { restaurantRoute, type PanelDeps } from '../route.ts';

const OWNERS = ['owner'] as const;

export const integrationRoutes = [
  restaurantRoute(integrationApi.read, {
    handler: async (deps, { session }) => {
      const restaurant = await getRestaurant(deps.db, session.restaurantId);
      return ok(await describeIntegration(deps, restaurant));
    },
  }),
  restaurantRoute(integrationApi.switch, {
    roles: OWNERS,
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const { isEnabled: enabled, sendsHeld } = body;
      const result = await switchIntegration(deps, { restaurantId, enabled, sendsHeld, actor });
      return result.kind === 'refused' ? result : released(result.released);
    },
  }),
  restaurantRoute(integrationApi.switchMetadata, {
    roles: OWNERS,
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const settings = { deliveryMetadata: body.isOn };
      const result = await changeRestaurant(deps, { restaurantId, settings, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  restaurantRoute(integrationApi.setUrls, {
    roles: OWNERS,
    handler: async (deps, { session, body: { sendsHeld, ...urls } }) => {
      const { restaurantId, actor } = session;
      const result = await setWebhookUrls(deps, { restaurantId, urls: given(urls), sendsHeld, actor });
      return result.kind === 'refused' ? result : released(result.released);
    },
  }),
  restaurantRoute(integrationApi.checkUrl, {
    roles: OWNERS,
    handler: async (deps, { session, body, client }) =>
      answerCheck(deps, await getRestaurant(deps.db, session.restaurantId), { ...body, client }),
  }),
];

async function describeIntegration(deps: PanelDeps, restaurant: RestaurantProfile): Promise<IntegrationAnswer> {
  const { db } = deps;
  const { id } = restaurant;
  const now = deps.clock.now();
  const [rate, endpoints, heldStatus, heldCancel, apiKeys, basicCredentials, secrets] = await Promise.all([
    findRateUse(db, id, now),
    listEndpoints(db, id),
    countHeld(db, id, ['status']),
    countHeld(db, id, ['cancel']),
    listApiKeys(db, id),
    listBasicCredentials(db, id),
    listWebhookSecrets(db, id),
  ]);
  const endpointOf = (kind: EndpointKind, heldCount: number) =>
    toEndpointView(
      endpoints.find((endpoint) => endpoint.kind === kind),
      heldCount,
    );
  return {
    restaurantId: restaurant.providerRestaurantId,
    isEnabled: restaurant.integrationEnabled,
    hasDeliveryMetadata: restaurant.deliveryMetadata,
    rate: {
      limitPerMinute: restaurant.rateLimitPerMinute,
      used: rate.used,
      windowEndsAt: formatUtc(rate.windowEndsAt),
    },
    endpoints: { status: endpointOf('status', heldStatus), cancel: endpointOf('cancel', heldCancel) },
    // Newest first: users look for the one they have just created.
    apiKeys: apiKeys.toReversed().map((key) => toApiKeyView(key, now)),
    basicCredentials: basicCredentials.toReversed().map(toBasicView),
    webhookSecrets: secrets.map(toSecretView),
  };
}

function toEndpointView(endpoint: EndpointView | undefined, heldCount: number) {
  return {
    url: endpoint?.url ?? null,
    failingSince: formatUtc(endpoint?.failingSince ?? null),
    lastSuccessAt: formatUtc(endpoint?.lastSuccessAt ?? null),
    lastError: endpoint?.lastError ?? null,
    heldCount,
  };
}

function given(
  urls: Partial<Record<EndpointKind, string | null | undefined>>,
): Partial<Record<EndpointKind, string | null>> {
  const { status, cancel } = urls;
  return { ...(status !== undefined && { status }), ...(cancel !== undefined && { cancel }) };
}

function released(count: number): Answer<ReleasedAnswer> {
  return ok({ released: count });
}
