import { ENDPOINT_KINDS, type EndpointKind } from '../../domain/webhooks/events.ts';
import { refuse, refused, type FieldProblem, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { releaseHeld } from '../../store/webhooks/deliveries.ts';
import { listEndpoints, updateEndpointUrl } from '../../store/webhooks/endpoints.ts';
import { findRestaurantForUpdate } from '../../store/restaurants/restaurants.ts';
import { parseEndpointUrl } from '../../domain/webhooks/endpoint-url.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { refuseUnconfirmed, type HeldConfirmation } from './confirm-held.ts';

export interface SetWebhookUrlsRequest extends ByActor, HeldConfirmation {
  restaurantId: string;
  /** Null removes the URL; an omitted one stays unchanged. */
  urls: Partial<Record<EndpointKind, string | null>>;
}

export interface WebhookUrlsSet {
  kind: 'set';
  urls: Record<EndpointKind, string | null>;
  /** Webhooks that were held for lack of a URL and have now been released. */
  released: number;
}

export async function setWebhookUrls(
  deps: AdministrationDeps,
  request: SetWebhookUrlsRequest,
): Promise<WebhookUrlsSet | Refused> {
  const { wanted, problems } = readUrls(request.urls);
  if (problems.length > 0) return refused(refuse('REQ_004', undefined, problems));
  return deps.db.transaction(async (tx) => {
    const restaurant = await findRestaurantForUpdate(tx, request.restaurantId);
    if (restaurant === undefined) return NOT_FOUND;
    const sendable = restaurant.integrationEnabled ? wanted.filter(({ url }) => url !== null) : [];
    const unconfirmed = await refuseUnconfirmed(tx, request, {
      restaurantId: restaurant.id,
      kinds: sendable.map(({ kind }) => kind),
    });
    if (unconfirmed !== undefined) return unconfirmed;
    const now = deps.clock.now();
    for (const endpoint of wanted) {
      if (!(await updateEndpointUrl(tx, restaurant.id, endpoint))) continue;
      await recordChange(tx, {
        at: now,
        actor: request.actor,
        restaurantId: restaurant.id,
        action: endpoint.url === null ? 'webhook_url.removed' : 'webhook_url.set',
        // Omit path and query: integrators put tokens there.
        detail: { endpoint: endpoint.kind, origin: endpoint.url === null ? null : new URL(endpoint.url).origin },
      });
    }
    const kinds = wanted.map((endpoint) => endpoint.kind);
    const released = await releaseHeld(tx, { restaurantId: restaurant.id, kinds, now });
    const endpoints = await listEndpoints(tx, restaurant.id);
    const urlOf = (kind: EndpointKind) => endpoints.find((endpoint) => endpoint.kind === kind)?.url ?? null;
    return { kind: 'set', urls: { status: urlOf('status'), cancel: urlOf('cancel') }, released };
  });
}

interface WantedUrl {
  kind: EndpointKind;
  url: string | null;
}

function readUrls(urls: SetWebhookUrlsRequest['urls']): { wanted: WantedUrl[]; problems: FieldProblem[] } {
  const wanted: WantedUrl[] = [];
  const problems: FieldProblem[] = [];
  for (const kind of ENDPOINT_KINDS) {
    const text = urls[kind];
    if (text === undefined) continue;
    const reading = text === null ? { ok: true as const, url: null } : parseEndpointUrl(text);
    if (reading.ok) wanted.push({ kind, url: reading.url });
    else problems.push({ field: kind, message: reading.message });
  }
  return { wanted, problems };
}
