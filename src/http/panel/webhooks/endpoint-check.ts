// What the live check of a URL sends, and what it reports.
import type { Client } from '../../../accounts/accounts.ts';
import type { CheckAnswer, integrationApi } from '../../../contract/panel/restaurants/integration.ts';
import type { BodyOf } from '../../../contract/panel/routes.ts';
import { parseEndpointUrl } from '../../../domain/webhooks/endpoint-url.ts';
import { refuse, refused } from '../../../domain/refusals.ts';
import { testEventBody } from '../../../domain/webhooks/test-event.ts';
import { findSealedSecret, openSecret } from '../../../store/webhooks/endpoints.ts';
import type { RestaurantProfile } from '../../../store/restaurants/restaurants.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { describeInspection } from '../endpoint-inspection.ts';
import type { PanelDeps } from '../route.ts';

export async function answerCheck(
  deps: PanelDeps,
  restaurant: RestaurantProfile,
  { client, ...request }: BodyOf<typeof integrationApi.checkUrl> & { client: Client },
): Promise<Answer<CheckAnswer>> {
  const reading = parseEndpointUrl(request.url);
  if (!reading.ok) return refused(refuse('REQ_004', undefined, [{ field: 'url', message: reading.message }]));
  const sealed = await findSealedSecret(deps.db, restaurant.id, request.signedWith);
  if (sealed === undefined && request.signedWith === 'pending') {
    return refused(refuse('PANEL_002', 'There is no pending webhook secret to sign with'));
  }
  if (!deps.checkLimit.admit(restaurant.id)) {
    return refused(refuse('RATE_001', 'Too many checks. Wait a minute, then try again'));
  }
  const { endpoint, signedWith } = request;
  const { url } = reading;
  const { providerRestaurantId, timeZone, deliveryMetadata } = restaurant;
  const eventId = deps.newId();
  const body = testEventBody({ endpoint, eventId, providerRestaurantId, timeZone, at: deps.clock.now() });
  const secret = sealed === undefined ? null : openSecret(deps.vault, sealed);
  const { inspection, sent } = await client.pauseFor(
    deps.checkEndpoint({ url, eventId, body, secret, hasMetadata: deliveryMetadata }),
  );
  deps.log.info({
    event: 'endpoint.checked',
    restaurantId: restaurant.id,
    endpoint,
    isReachable: inspection.ok,
    status: sent?.outcome.status ?? null,
    errorClass: sent?.outcome.errorClass ?? inspection.errorClass,
  });
  return ok({
    url,
    inspection: describeInspection(inspection),
    test: sent && {
      ok: sent.outcome.ok,
      status: sent.outcome.status,
      errorText: sent.outcome.errorText,
      answer: sent.outcome.answer,
      totalMs: sent.outcome.totalMs,
      sentBody: body,
      sentHeaders: sent.headers,
      signedWith: secret === null ? null : signedWith,
    },
  });
}
