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
import { DAY_MS, formatUtc } from '../../../domain/time.ts';
import { ok } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { restaurantRoute } from '../route.ts';

const OWNERS = ['owner'] as const;

const keyRoutes = [
  restaurantRoute(credentialsApi.createKey, {
    roles: OWNERS,
    handler: async (deps, { session, body }) => {
      const { restaurantId, actor } = session;
      const lifetimeMs = body.lifetimeDays === null ? null : body.lifetimeDays * DAY_MS;
      const { environment } = deps;
      const result = await createApiKey(deps, { restaurantId, environment, lifetimeMs, actor });
      if (result.kind === 'refused') return result;
      const { keyId, apiKey, expiresAt } = result;
      return ok({ keyId, apiKey, expiresAt: formatUtc(expiresAt) }, 201);
    },
  }),
  restaurantRoute(credentialsApi.revokeKey, {
    roles: OWNERS,
    handler: async (deps, { session: { restaurantId, actor }, params }) => {
      const result = await revokeApiKey(deps, { ...params, scope: { restaurantId }, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

const basicRoutes = [
  restaurantRoute(credentialsApi.createBasic, {
    roles: OWNERS,
    handler: async (deps, { session }) => {
      const { restaurantId, actor } = session;
      const result = await createBasicCredential(deps, { restaurantId, actor });
      if (result.kind === 'refused') return result;
      const { credentialId, username, password } = result;
      return ok({ credentialId, username, password }, 201);
    },
  }),
  restaurantRoute(credentialsApi.revokeBasic, {
    roles: OWNERS,
    handler: async (deps, { session, params }) => {
      const { restaurantId, actor } = session;
      const result = await revokeBasicCredential(deps, { ...params, scope: { restaurantId }, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

const secretRoutes = [
  restaurantRoute(credentialsApi.createSecret, {
    roles: OWNERS,
    handler: async (deps, { session }) => {
      const { restaurantId, actor } = session;
      const result = await createWebhookSecret(deps, { restaurantId, actor });
      if (result.kind === 'refused') return result;
      const { secretId, secret, state } = result;
      return ok({ secretId, secret, state }, 201);
    },
  }),
  restaurantRoute(credentialsApi.switchSecret, {
    roles: OWNERS,
    handler: async (deps, { session, params: { secretId } }) => {
      const { restaurantId, actor } = session;
      const result = await switchWebhookSecret(deps, { restaurantId, secretId, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
  restaurantRoute(credentialsApi.removeSecret, {
    roles: OWNERS,
    handler: async (deps, { session, params: { secretId } }) => {
      const { restaurantId, actor } = session;
      const result = await removeWebhookSecret(deps, { restaurantId, secretId, actor });
      return result.kind === 'refused' ? result : done();
    },
  }),
];

export const credentialRoutes = [...keyRoutes, ...basicRoutes, ...secretRoutes];
