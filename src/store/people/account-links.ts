// Links sent by mail: an invitation or a password reset. Only a hash is stored, and using a link deletes it.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export type LinkPurpose = 'invitation' | 'reset';

export interface AccountLink {
  tokenHash: Buffer;
  userId: string;
  purpose: LinkPurpose;
  createdAt: Instant;
  expiresAt: Instant;
}

export async function insertLink(tx: Queryable, link: AccountLink): Promise<void> {
  await tx.query(
    `insert into account_links (token_hash, user_id, purpose, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
    [link.tokenHash, link.userId, link.purpose, toTimestamp(link.createdAt), toTimestamp(link.expiresAt)],
  );
}

/** Returns the link's user. Deletes all links of that user, so only one of two concurrent uses succeeds. */
export async function claimLink(
  tx: Queryable,
  tokenHash: Buffer,
  now: Instant,
): Promise<Pick<AccountLink, 'userId' | 'purpose'> | undefined> {
  const [row] = await tx.query<Pick<AccountLink, 'userId' | 'purpose'>>(
    `delete from account_links where token_hash = $1 and expires_at > $2 returning user_id, purpose`,
    [tokenHash, toTimestamp(now)],
  );
  if (row !== undefined) await deleteLinksOfUser(tx, row.userId);
  return row;
}

export interface LinkOwner {
  purpose: LinkPurpose;
  email: string;
  name: string;
  restaurantName: string | null;
}

export async function findLinkOwner(db: Queryable, tokenHash: Buffer, now: Instant): Promise<LinkOwner | undefined> {
  const [row] = await db.query<LinkOwner>(
    `select l.purpose, u.email, u.name, r.name as restaurant_name
     from account_links l
     join users u on u.id = l.user_id
     left join restaurants r on r.id = u.restaurant_id
     where l.token_hash = $1 and l.expires_at > $2 and u.disabled_at is null`,
    [tokenHash, toTimestamp(now)],
  );
  return row;
}

export async function countLinksSince(
  db: Queryable,
  link: { userId: string; purpose: LinkPurpose; since: Instant },
): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    `select count(*) from account_links where user_id = $1 and purpose = $2 and created_at > $3`,
    [link.userId, link.purpose, toTimestamp(link.since)],
  );
  return Number(row?.count ?? 0);
}

export async function deleteLinksOfUser(tx: Queryable, userId: string): Promise<void> {
  await tx.query('delete from account_links where user_id = $1', [userId]);
}
