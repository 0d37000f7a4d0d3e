// Where a restaurant's webhooks are sent, and which secret signs them.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import { SEALED_IN, type Vault } from '../../secrets/vault.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** What an attempt needs to know about its endpoint. */
export interface EndpointTarget {
  restaurantId: string;
  kind: EndpointKind;
  url: string | null;
  integrationEnabled: boolean;
  deliveryMetadata: boolean;
  secretId: string | null;
  sealedSecret: Buffer | null;
}

export function listEndpointTargets(db: Queryable, restaurantIds: readonly string[]): Promise<EndpointTarget[]> {
  return db.query<EndpointTarget>(
    {
      name: 'list_endpoint_targets',
      text: `
        select e.restaurant_id, e.kind, e.url, r.integration_enabled, r.delivery_metadata, s.id as secret_id,
          s.sealed_secret
        from endpoints e
        join restaurants r on r.id = e.restaurant_id
        left join webhook_secrets s on s.restaurant_id = e.restaurant_id and s.state = 'active'
        where e.restaurant_id = any($1::uuid[])`,
    },
    [restaurantIds],
  );
}

export interface EndpointView {
  kind: EndpointKind;
  url: string | null;
  failingSince: Instant | null;
  lastSuccessAt: Instant | null;
  lastFailureAt: Instant | null;
  lastError: string | null;
}

export function listEndpoints(db: Queryable, restaurantId: string): Promise<EndpointView[]> {
  return db.query<EndpointView>(
    `select kind, url, failing_since, last_success_at, last_failure_at, last_error
     from endpoints where restaurant_id = $1 order by kind desc`,
    [restaurantId],
  );
}

/** False if the URL is already registered. Clears the failure data, which belongs to the old URL. */
export async function updateEndpointUrl(
  tx: Queryable,
  restaurantId: string,
  endpoint: { kind: EndpointKind; url: string | null },
): Promise<boolean> {
  const rows = await tx.query(
    `update endpoints set url = $3, failing_since = null, last_failure_at = null, last_error = null
     where restaurant_id = $1 and kind = $2 and url is distinct from $3
     returning kind`,
    [restaurantId, endpoint.kind, endpoint.url],
  );
  return rows.length > 0;
}

export interface SecretView {
  id: string;
  state: 'pending' | 'active';
  createdAt: Instant;
  activatedAt: Instant | null;
}

export function listWebhookSecrets(db: Queryable, restaurantId: string): Promise<SecretView[]> {
  return db.query<SecretView>(
    'select id, state, created_at, activated_at from webhook_secrets where restaurant_id = $1 order by state',
    [restaurantId],
  );
}

/** As stored, encrypted; only the vault can decrypt it. Both fields or neither. */
export interface SealedSecret {
  secretId: string | null;
  sealedSecret: Buffer | null;
}

export function openSecret(vault: Pick<Vault, 'open'>, { secretId, sealedSecret }: SealedSecret): string | null {
  if (secretId === null || sealedSecret === null) return null;
  return vault.open(sealedSecret, SEALED_IN.webhookSecret(secretId));
}

export async function findSealedSecret(
  db: Queryable,
  restaurantId: string,
  state: SecretView['state'],
): Promise<SealedSecret | undefined> {
  const [row] = await db.query<SealedSecret>(
    'select id as secret_id, sealed_secret from webhook_secrets where restaurant_id = $1 and state = $2',
    [restaurantId, state],
  );
  return row;
}

export interface NewWebhookSecret {
  id: string;
  restaurantId: string;
  state: 'pending' | 'active';
  sealedSecret: Buffer;
  createdAt: Instant;
}

export async function insertWebhookSecret(tx: Queryable, secret: NewWebhookSecret): Promise<void> {
  const createdAt = toTimestamp(secret.createdAt);
  const activatedAt = secret.state === 'active' ? createdAt : null;
  await tx.query(
    `insert into webhook_secrets (id, restaurant_id, state, sealed_secret, created_at, activated_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [secret.id, secret.restaurantId, secret.state, secret.sealedSecret, createdAt, activatedAt],
  );
}

export async function activateWebhookSecret(tx: Queryable, id: string, now: Instant): Promise<void> {
  await tx.query(`update webhook_secrets set state = 'active', activated_at = $2 where id = $1`, [
    id,
    toTimestamp(now),
  ]);
}

export async function deleteWebhookSecret(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from webhook_secrets where id = $1', [id]);
}
