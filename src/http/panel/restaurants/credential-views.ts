// Credentials as the pages see them: everything but the secret.
import {
  EXPIRES_SOON_DAYS,
  type ApiKeyView,
  type BasicCredentialView,
  type WebhookSecretView,
} from '../../../contract/panel/restaurants/integration.ts';
import { DAY_MS, type Instant } from '../../../domain/time.ts';
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
    createdAt: toIso(key.createdAt),
    lastUsedAt: toIsoOrNull(key.lastUsedAt),
    expiresAt: toIsoOrNull(key.expiresAt),
    revokedAt: toIsoOrNull(key.revokedAt),
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
    createdAt: toIso(credential.createdAt),
    lastUsedAt: toIsoOrNull(credential.lastUsedAt),
    revokedAt: toIsoOrNull(credential.revokedAt),
  };
}

export function toSecretView({ id, state, createdAt, activatedAt }: SecretView): WebhookSecretView {
  return { secretId: id, state, createdAt: toIso(createdAt), activatedAt: toIsoOrNull(activatedAt) };
}

function toIso(at: Instant): string {
  return new Date(at).toISOString();
}

export function toIsoOrNull(at: Instant | null): string | null {
  return at === null ? null : toIso(at);
}
