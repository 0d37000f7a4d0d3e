// Requests and responses under Settings, Integration. A secret is only in the response that creates it.
import { z } from 'zod';
import { ENDPOINT_KINDS } from '../../../domain/webhooks/events.ts';
import { declareRoutes } from '../routes.ts';

const time = z.string().describe('RFC 3339, UTC');
const id = z.uuid();
const kind = z.enum(ENDPOINT_KINDS);

/** The contract's suggestion. */
export const SUGGESTED_KEY_DAYS = 90;
const MAX_KEY_DAYS = 3650;
/** A key that expires within this many days is marked. */
export const EXPIRES_SOON_DAYS = 14;

export const apiKeyView = z.object({
  keyId: id,
  prefix: z.string(),
  environment: z.enum(['live', 'test']),
  state: z.enum(['good', 'expires-soon', 'expired', 'revoked']),
  createdAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
});
export type ApiKeyView = z.infer<typeof apiKeyView>;

export const basicCredentialView = z.object({
  credentialId: id,
  username: z.string(),
  state: z.enum(['good', 'revoked']),
  createdAt: time,
  lastUsedAt: time.nullable(),
  revokedAt: time.nullable(),
});
export type BasicCredentialView = z.infer<typeof basicCredentialView>;

export const webhookSecretView = z.object({
  secretId: id,
  state: z.enum(['pending', 'active']),
  createdAt: time,
  activatedAt: time.nullable(),
});
export type WebhookSecretView = z.infer<typeof webhookSecretView>;

const endpointView = z.object({
  url: z.string().nullable(),
  failingSince: time.nullable(),
  lastSuccessAt: time.nullable(),
  lastError: z.string().nullable(),
  heldCount: z.number().describe('Webhooks that wait for a URL, or for the integration to be enabled'),
});
export type EndpointView = z.infer<typeof endpointView>;

export const integrationAnswer = z.object({
  restaurantId: z.string().describe('What the integrator sends as restaurantId'),
  isEnabled: z.boolean(),
  hasDeliveryMetadata: z.boolean(),
  rate: z.object({ limitPerMinute: z.number(), used: z.number(), windowEndsAt: time.nullable() }),
  endpoints: z.record(kind, endpointView),
  apiKeys: z.array(apiKeyView),
  basicCredentials: z.array(basicCredentialView),
  webhookSecrets: z.array(webhookSecretView),
});
export type IntegrationAnswer = z.infer<typeof integrationAnswer>;

/** Enabling sends held webhooks; if there are any, `sendsHeld` must confirm that. */
export const switchRequest = z.object({ isEnabled: z.boolean(), sendsHeld: z.boolean().default(false) });
export const metadataRequest = z.object({ isOn: z.boolean() });
/** The number of held webhooks that are now being sent. */
export const releasedAnswer = z.object({ released: z.number() });
export type ReleasedAnswer = z.infer<typeof releasedAnswer>;

export const createKeyRequest = z.object({
  lifetimeDays: z.int().min(1).max(MAX_KEY_DAYS).nullable().describe('Null: it never expires'),
});
export const createdKeyAnswer = z.object({ keyId: id, apiKey: z.string(), expiresAt: time.nullable() });
export type CreatedKeyAnswer = z.infer<typeof createdKeyAnswer>;
export const createdBasicAnswer = z.object({ credentialId: id, username: z.string(), password: z.string() });
export type CreatedBasicAnswer = z.infer<typeof createdBasicAnswer>;
export const createdSecretAnswer = z.object({
  secretId: id,
  secret: z.string(),
  state: z.enum(['pending', 'active']),
});
export type CreatedSecretAnswer = z.infer<typeof createdSecretAnswer>;

const url = z.string().trim().min(1);
/** Omitted URLs are not changed; null removes one. A new URL sends its held webhooks; `sendsHeld` confirms that. */
export const urlsRequest = z.object({
  status: url.nullable().optional(),
  cancel: url.nullable().optional(),
  sendsHeld: z.boolean().default(false),
});

/** Inspects a URL and sends it a test event; nothing is saved. */
export const checkRequest = z.object({
  endpoint: kind,
  url,
  signedWith: z.enum(['active', 'pending']).default('active'),
});

const certificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  validFrom: time,
  validTo: time,
  daysLeft: z.number(),
  names: z.array(z.string()).describe('The first host names that it is valid for'),
  moreNames: z.number(),
  faults: z.array(z.enum(['validity', 'names', 'issuer'])).describe('Why it was refused, if it was'),
});
export type CertificateView = z.infer<typeof certificate>;

/** In the order in which they run; each needs the one before. */
export const INSPECTION_STEPS = ['name', 'address', 'connection', 'certificate'] as const;
export type InspectionStep = (typeof INSPECTION_STEPS)[number];

export const inspectionView = z.object({
  ok: z.boolean(),
  errorText: z.string().nullable(),
  failedAt: z
    .enum(INSPECTION_STEPS)
    .nullable()
    .describe('The step that failed; earlier steps succeeded, later ones were not reached'),
  addresses: z.array(z.string()),
  remoteAddress: z.string().nullable().describe('The last address that was tried'),
  isPrivateAddress: z.boolean().describe('It is only reachable because the operator allows its network'),
  tlsVersion: z.string().nullable(),
  certificates: z.array(certificate).describe('As presented by the receiver, its own first, even if refused'),
  dnsMs: z.number().nullable(),
  connectMs: z.number().nullable(),
  tlsMs: z.number().nullable(),
});
export type InspectionView = z.infer<typeof inspectionView>;

export const checkAnswer = z.object({
  url: z.string().describe('Normalized, as it would be stored'),
  inspection: inspectionView,
  test: z
    .object({
      ok: z.boolean(),
      status: z.number().nullable(),
      errorText: z.string().nullable(),
      answer: z.string().nullable().describe('The first 1 KiB of the body as plain text'),
      totalMs: z.number(),
      sentBody: z.string(),
      sentHeaders: z.record(z.string(), z.string()),
      signedWith: z.enum(['active', 'pending']).nullable(),
    })
    .nullable()
    .describe('Null: nothing was sent, because the endpoint is unreachable'),
});
export type CheckAnswer = z.infer<typeof checkAnswer>;

export const integrationApi = declareRoutes({
  read: { method: 'GET', path: '/api/integration', answer: integrationAnswer },
  switch: { method: 'PUT', path: '/api/integration/enabled', body: switchRequest, answer: releasedAnswer },
  switchMetadata: {
    method: 'PUT',
    path: '/api/integration/delivery-metadata',
    body: metadataRequest,
    answer: 'nothing',
  },
  setUrls: { method: 'PUT', path: '/api/integration/webhook-urls', body: urlsRequest, answer: releasedAnswer },
  checkUrl: { method: 'POST', path: '/api/integration/webhook-check', body: checkRequest, answer: checkAnswer },
});

export const credentialsApi = declareRoutes({
  createKey: { method: 'POST', path: '/api/integration/api-keys', body: createKeyRequest, answer: createdKeyAnswer },
  revokeKey: { method: 'DELETE', path: '/api/integration/api-keys/:keyId', answer: 'nothing' },
  createBasic: { method: 'POST', path: '/api/integration/basic-credentials', answer: createdBasicAnswer },
  revokeBasic: { method: 'DELETE', path: '/api/integration/basic-credentials/:credentialId', answer: 'nothing' },
  createSecret: { method: 'POST', path: '/api/integration/webhook-secrets', answer: createdSecretAnswer },
  switchSecret: { method: 'POST', path: '/api/integration/webhook-secrets/:secretId/switch', answer: 'nothing' },
  removeSecret: { method: 'DELETE', path: '/api/integration/webhook-secrets/:secretId', answer: 'nothing' },
});
