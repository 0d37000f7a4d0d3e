// Revokes, in one transaction, all access that was created or changed since a given time.
import { formatUtc, type Instant } from '../../domain/time.ts';
import { deleteLinksOfUser } from '../../store/people/account-links.ts';
import { recordChange, type NewAuditEntry } from '../../store/people/audit-log.ts';
import {
  deleteAccessChangedSince,
  listAccessChangedSince,
  listChangesToReview,
  listCredentialsChangedSince,
  listUsersChangedSince,
  type ChangedAccess,
  type ChangedCredential,
  type ChangedUser,
  type ReviewEntry,
} from '../../store/people/access-changes.ts';
import { revokeApiKeyById, revokeBasicCredentialById } from '../../store/restaurants/credential-lists.ts';
import type { Queryable } from '../../store/database/database.ts';
import { deleteWebhookSecret } from '../../store/webhooks/endpoints.ts';
import { deleteSessionsOfUser } from '../../store/people/sessions.ts';
import { lockUsers, updateUserDisabled } from '../../store/people/users.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export interface RevokeSinceRequest extends ByActor {
  since: Instant;
  /** Only lists what would be revoked. */
  isDryRun: boolean;
}

export interface Revocation {
  apiKeys: ChangedCredential[];
  basicCredentials: ChangedCredential[];
  webhookSecrets: ChangedCredential[];
  users: ChangedUser[];
  sessions: ChangedAccess[];
  accountLinks: ChangedAccess[];
  /** Left unchanged, for a person to review. */
  toReview: ReviewEntry[];
}

const MAX_TO_REVIEW = 200;

export function revokeSince(
  deps: Pick<AdministrationDeps, 'clock' | 'db'>,
  request: RevokeSinceRequest,
): Promise<Revocation> {
  return deps.db.transaction(async (tx) => {
    // No user may be added between listing and revoking.
    if (!request.isDryRun) await lockUsers(tx);
    const found = await findChanged(tx, request.since);
    if (!request.isDryRun) await revoke(tx, found, { ...request, now: deps.clock.now() });
    return found;
  });
}

async function findChanged(tx: Queryable, since: Instant): Promise<Revocation> {
  return {
    apiKeys: await listCredentialsChangedSince(tx, 'api_keys', since),
    basicCredentials: await listCredentialsChangedSince(tx, 'basic_credentials', since),
    webhookSecrets: await listCredentialsChangedSince(tx, 'webhook_secrets', since),
    users: await listUsersChangedSince(tx, since),
    sessions: await listAccessChangedSince(tx, 'sessions', since),
    accountLinks: await listAccessChangedSince(tx, 'account_links', since),
    toReview: await listChangesToReview(tx, since, MAX_TO_REVIEW),
  };
}

async function revoke(
  tx: Queryable,
  found: Revocation,
  { actor, since, now }: RevokeSinceRequest & { now: Instant },
): Promise<void> {
  const record = (entry: Pick<NewAuditEntry, 'restaurantId' | 'action' | 'detail'>) =>
    recordChange(tx, {
      ...entry,
      at: now,
      actor,
      detail: { ...entry.detail, revokedSince: formatUtc(since) },
    });
  for (const { id, label, restaurantId } of found.apiKeys) {
    await revokeApiKeyById(tx, id, now);
    await record({ restaurantId, action: 'api_key.revoked', detail: { keyId: id, prefix: label } });
  }
  for (const { id, label, restaurantId } of found.basicCredentials) {
    await revokeBasicCredentialById(tx, id, now);
    await record({ restaurantId, action: 'basic_credential.revoked', detail: { credentialId: id, username: label } });
  }
  for (const { id, label, restaurantId } of found.webhookSecrets) {
    await deleteWebhookSecret(tx, id);
    await record({ restaurantId, action: 'webhook_secret.removed', detail: { secretId: id, state: label } });
  }
  for (const { userId, email, restaurantId, count } of found.sessions) {
    await record({ restaurantId, action: 'session.revoked', detail: { userId, email, count } });
  }
  for (const { userId, email, restaurantId, count } of found.accountLinks) {
    await record({ restaurantId, action: 'account_link.revoked', detail: { userId, email, count } });
  }
  await deleteAccessChangedSince(tx, 'sessions', since);
  await deleteAccessChangedSince(tx, 'account_links', since);
  for (const { id, email, restaurantId } of found.users) {
    await updateUserDisabled(tx, id, now);
    await deleteSessionsOfUser(tx, id);
    await deleteLinksOfUser(tx, id);
    await record({ restaurantId, action: 'user.disabled', detail: { userId: id, email } });
  }
}
