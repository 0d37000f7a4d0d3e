// API keys, Basic credentials and webhook secrets: created and revoked by owners. A secret appears only in the answer
// that creates it.
import { createApiKey } from '../../../actions/restaurants/create-api-key.ts';
import { createBasicCredential } from '../../../actions/restaurants/create-basic-credential.ts';
import { createWebhookSecret } from '../../../actions/webhooks/create-webhook-secret.ts';
import { removeWebhookSecret } from '../../../actions/webhooks/remove-webhook-secret.ts';
import { revokeApiKey } from '../../../actions/restaurants/revoke-api-key.ts';
import { revokeBasicCredential } from '../../../actions/restaurants/revoke-basic-credential.ts';
import { switchWebhookSecret } from '../../../actions/webhooks/switch-webhook-secret.ts';
import { credentialsApi } from '../../../contract/panel/restaurants/integration.ts';
import { refuse } from '../../../domain/refusals.ts';
import { DAY_MS, formatUtc } from '../../../domain/time.ts';
import { listApiKeys, listBasicCredentials } from '../../../store/restaurants/credential-lists.ts';
import { listWebhookSecrets } from '../../../store/webhooks/endpoints.ts';
import { getRestaurant } from '../../../store/restaurants/restaurants.ts';
import { ok, refused } from '../../protocol/answer.ts';
import { declined, done } from '../guard.ts';
import { restaurantRoute } from '../route.ts';

const OWNERS = ['owner'] as const;
const UNKNOWN = refuse('PANEL_001');

const keyRoutes = [
  restaurantRoute(credentialsApi.createKey, {
    roles: OWNERS,
    handler: async (deps, { session, body }) => {
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const lifetimeMs = body.lifetimeDays === null ? null : body.lifetimeDays * DAY_MS;
      const { environment } = deps;
      const result = await createApiKey(deps, { restaurantId, environment, lifetimeMs, actor: session.actor });
      if (result.kind === 'refused') return declined(result);
      const { keyId, apiKey, expiresAt } = result;
      return ok({ keyId, apiKey, expiresAt: formatUtc(expiresAt) }, 201);
    },
  }),
  restaurantRoute(credentialsApi.revokeKey, {
    roles: OWNERS,
    handler: async (deps, { session, params: { keyId } }) => {
      const keys = await listApiKeys(deps.db, session.restaurantId);
      if (!keys.some(({ id }) => id === keyId)) return refused(UNKNOWN);
      const result = await revokeApiKey(deps, { key: { keyId }, actor: session.actor });
      return result.kind === 'refused' ? declined(result) : done();
    },
  }),
];

const basicRoutes = [
  restaurantRoute(credentialsApi.createBasic, {
    roles: OWNERS,
    handler: async (deps, { session }) => {
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const result = await createBasicCredential(deps, { restaurantId, actor: session.actor });
      if (result.kind === 'refused') return declined(result);
      const { credentialId, username, password } = result;
      return ok({ credentialId, username, password }, 201);
    },
  }),
  restaurantRoute(credentialsApi.revokeBasic, {
    roles: OWNERS,
    handler: async (deps, { session, params }) => {
      const credentials = await listBasicCredentials(deps.db, session.restaurantId);
      const credential = credentials.find(({ id }) => id === params.credentialId);
      if (credential === undefined) return refused(UNKNOWN);
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const { username } = credential;
      const result = await revokeBasicCredential(deps, { restaurantId, username, actor: session.actor });
      return result.kind === 'refused' ? declined(result) : done();
    },
  }),
];

const secretRoutes = [
  restaurantRoute(credentialsApi.createSecret, {
    roles: OWNERS,
    handler: async (deps, { session }) => {
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const result = await createWebhookSecret(deps, { restaurantId, actor: session.actor });
      if (result.kind === 'refused') {
        return refused(refuse('PANEL_002', 'A webhook secret is already pending. Switch to it or remove it first'));
      }
      const { secretId, secret, state } = result;
      return ok({ secretId, secret, state }, 201);
    },
  }),
  restaurantRoute(credentialsApi.switchSecret, {
    roles: OWNERS,
    handler: async (deps, { session, params: { secretId } }) => {
      const secrets = await listWebhookSecrets(deps.db, session.restaurantId);
      if (!secrets.some(({ id }) => id === secretId)) return refused(UNKNOWN);
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const result = await switchWebhookSecret(deps, { restaurantId, secretId, actor: session.actor });
      return result.kind === 'refused' ? declined(result) : done();
    },
  }),
  restaurantRoute(credentialsApi.removeSecret, {
    roles: OWNERS,
    handler: async (deps, { session, params: { secretId } }) => {
      const secrets = await listWebhookSecrets(deps.db, session.restaurantId);
      if (!secrets.some(({ id }) => id === secretId)) return refused(UNKNOWN);
      const { providerRestaurantId: restaurantId } = await getRestaurant(deps.db, session.restaurantId);
      const result = await removeWebhookSecret(deps, { restaurantId, secretId, actor: session.actor });
      return result.kind === 'refused' ? declined(result) : done();
    },
  }),
];

export const credentialRoutes = [...keyRoutes, ...basicRoutes, ...secretRoutes];
