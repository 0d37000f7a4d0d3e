// Credentials as sent to pages: everything but the secret.
import {
  EXPIRES_SOON_DAYS,
  type ApiKeyView,
  type BasicCredentialView,
  type WebhookSecretView,
} from '../../../contract/panel/restaurants/integration.ts';
import { DAY_MS, formatUtc, type Instant } from '../../../domain/time.ts';
import type {
  ApiKeyView as StoredKey,
  BasicCredentialView as StoredBasic,
} from '../../../store/restaurants/credential-lists.ts';
import type { SecretView } from '../../../store/webhooks/endpoints.ts';

export function toApiKeyView(key: StoredKey, now: Instant): ApiKeyView {
  return {
    keyId: key.id,
    prefix: key.prefix,
    environment: key.environment,
    state: stateOf(key, now),
    createdAt: formatUtc(key.createdAt),
    lastUsedAt: formatUtc(key.lastUsedAt),
    expiresAt: formatUtc(key.expiresAt),
    revokedAt: formatUtc(key.revokedAt),
  };
}

function stateOf({ expiresAt, revokedAt }: StoredKey, now: Instant): ApiKeyView['state'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'good';
  if (expiresAt <= now) return 'expired';
  return expiresAt - now <= EXPIRES_SOON_DAYS * DAY_MS ? 'expires-soon' : 'good';
}

export function toBasicView(credential: StoredBasic): BasicCredentialView {
  return {
    credentialId: credential.id,
    username: credential.username,
    state: credential.revokedAt === null ? 'good' : 'revoked',
    createdAt: formatUtc(credential.createdAt),
    lastUsedAt: formatUtc(credential.lastUsedAt),
    revokedAt: formatUtc(credential.revokedAt),
  };
}

export function toSecretView({ id, state, createdAt, activatedAt }: SecretView): WebhookSecretView {
  return { secretId: id, state, createdAt: formatUtc(createdAt), activatedAt: formatUtc(activatedAt) };
}
