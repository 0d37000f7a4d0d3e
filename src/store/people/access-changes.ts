// Everything that grants access and was created or changed at or after a given time, as recorded in this database.
import type { Role } from '../../domain/people/roles.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** A credential that is not revoked. */
export interface ChangedCredential {
  id: string;
  /** Prefix of an API key, user name of a Basic credential, or state of a webhook secret. */
  label: string;
  restaurantId: string;
  providerRestaurantId: string;
  createdAt: Instant;
}

/** A user who is not disabled. */
export interface ChangedUser {
  id: string;
  email: string;
  role: Role;
  restaurantId: string | null;
  createdAt: Instant;
}

/** Number of one person's sessions or links. */
export interface ChangedAccess {
  userId: string;
  email: string;
  restaurantId: string | null;
  count: number;
}

const CREDENTIALS = {
  api_keys: { label: 'c.prefix', isChanged: 'c.created_at >= $1 and c.revoked_at is null' },
  basic_credentials: { label: 'c.username', isChanged: 'c.created_at >= $1 and c.revoked_at is null' },
  // The only change to a secret after its creation is its activation.
  webhook_secrets: { label: 'c.state', isChanged: '(c.created_at >= $1 or c.activated_at >= $1)' },
} as const;

export function listCredentialsChangedSince(
  tx: Queryable,
  table: keyof typeof CREDENTIALS,
  since: Instant,
): Promise<ChangedCredential[]> {
  const { label, isChanged } = CREDENTIALS[table];
  return tx.query<ChangedCredential>(
    `select c.id, ${label} as label, c.restaurant_id, r.provider_restaurant_id, c.created_at
     from ${table} c join restaurants r on r.id = c.restaurant_id
     where ${isChanged} order by c.created_at, c.id`,
    [toTimestamp(since)],
  );
}

/** Users who were added, or whose name, role, password or second factor changed. */
export function listUsersChangedSince(tx: Queryable, since: Instant): Promise<ChangedUser[]> {
  return tx.query<ChangedUser>(
    `select u.id, u.email, u.role, u.restaurant_id, u.created_at
     from users u left join user_passwords p on p.user_id = u.id
     where (u.created_at >= $1 or u.updated_at >= $1 or p.updated_at >= $1) and u.disabled_at is null
     order by u.email`,
    [toTimestamp(since)],
  );
}

const ACCESS = {
  // Use renews a session, so an old session still in use counts as changed.
  sessions: 'a.created_at >= $1 or a.updated_at >= $1',
  account_links: 'a.created_at >= $1',
} as const;

export function listAccessChangedSince(
  tx: Queryable,
  table: keyof typeof ACCESS,
  since: Instant,
): Promise<ChangedAccess[]> {
  return tx.query<ChangedAccess>(
    `select u.id as user_id, u.email, u.restaurant_id, count(*)::int as count
     from ${table} a join users u on u.id = a.user_id
     where ${ACCESS[table]} group by u.id order by u.email`,
    [toTimestamp(since)],
  );
}

export async function deleteAccessChangedSince(
  tx: Queryable,
  table: keyof typeof ACCESS,
  since: Instant,
): Promise<void> {
  await tx.query(`delete from ${table} a where ${ACCESS[table]}`, [toTimestamp(since)]);
}

export interface ReviewEntry {
  at: Instant;
  actor: string;
  /** Null if the change did not come from a request. */
  clientAddress: string | null;
  action: string;
  providerRestaurantId: string | null;
}

/** Changes that revoking access does not undo, from the audit log; newest first. */
export function listChangesToReview(tx: Queryable, since: Instant, limit: number): Promise<ReviewEntry[]> {
  return tx.query<ReviewEntry>(
    `select a.at, a.actor, a.client_address, a.action, r.provider_restaurant_id
     from audit_entries a left join restaurants r on r.id = a.restaurant_id
     where a.at >= $1 and (a.action like 'webhook_url.%' or a.action like 'integration.%'
       or a.action in ('restaurant.changed', 'user.role_changed', 'user.removed', 'user.enabled',
         'webhook_secret.removed', 'operator.signed_in_as_restaurant'))
     order by a.id desc limit $2`,
    [toTimestamp(since), limit],
  );
}
