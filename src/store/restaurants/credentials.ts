// API keys and Basic credentials. Only keyed hashes are stored, so no secret can be recovered from here.
import type { Restaurant } from '../../domain/restaurants/restaurant.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { RESTAURANT_COLUMNS } from './restaurants.ts';

type CredentialKind = 'api_key' | 'basic';

export interface Credential {
  id: string;
  kind: CredentialKind;
  /** Null if it never expires. */
  expiresAt: Instant | null;
  /** Null if valid in both environments. */
  environment: 'live' | 'test' | null;
  restaurant: Restaurant;
  /** Set for a Basic credential only. */
  passwordHash: Buffer | null;
}

/** A revoked key is treated as unknown; an expired key is returned, because its error message differs. */
export async function findCredentialByKeyHash(db: Queryable, keyHash: Buffer): Promise<Credential | undefined> {
  const [row] = await db.query<Restaurant & Pick<Credential, 'environment' | 'expiresAt'> & { keyId: string }>(
    {
      name: 'find_credential_by_key_hash',
      text: `
        select k.id as key_id, k.environment, k.expires_at, ${RESTAURANT_COLUMNS}
        from api_keys k join restaurants r on r.id = k.restaurant_id
        where k.key_hash = $1 and k.revoked_at is null`,
    },
    [keyHash],
  );
  if (row === undefined) return undefined;
  const { keyId, environment, expiresAt, ...restaurant } = row;
  return { id: keyId, kind: 'api_key', expiresAt, environment, restaurant, passwordHash: null };
}

export async function findCredentialByUsername(db: Queryable, username: string): Promise<Credential | undefined> {
  const [row] = await db.query<Restaurant & { credentialId: string; passwordHash: Buffer }>(
    {
      name: 'find_credential_by_username',
      text: `
        select b.id as credential_id, b.password_hash, ${RESTAURANT_COLUMNS}
        from basic_credentials b join restaurants r on r.id = b.restaurant_id
        where b.username = $1 and b.revoked_at is null`,
    },
    [username],
  );
  if (row === undefined) return undefined;
  const { credentialId, passwordHash, ...restaurant } = row;
  return { id: credentialId, kind: 'basic', expiresAt: null, environment: null, restaurant, passwordHash };
}

export interface CredentialUse {
  kind: CredentialKind;
  id: string;
  at: Instant;
}

const TABLES = { api_key: 'api_keys', basic: 'basic_credentials' } as const satisfies Record<CredentialKind, string>;

/** Saves the last use of many credentials in one go; a late report never moves the time back. */
export async function touchCredentials(db: Queryable, uses: readonly CredentialUse[]): Promise<void> {
  for (const kind of ['api_key', 'basic'] as const) {
    const own = uses.filter((use) => use.kind === kind);
    if (own.length === 0) continue;
    await db.query(
      {
        name: `touch_${kind}`,
        // Grouped and sorted by id: an update touches each row once, and two nodes never deadlock.
        text: `
          update ${TABLES[kind]} c set last_used_at = greatest(c.last_used_at, u.at)
          from (
            select held.id, uses.at
            from (
              select id, max(at) as at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at) group by id
            ) uses
            join ${TABLES[kind]} held on held.id = uses.id
            order by held.id
            for no key update of held
          ) u
          where c.id = u.id`,
      },
      [own.map((use) => use.id), own.map((use) => toTimestamp(use.at))],
    );
  }
}

export interface NewApiKey {
  id: string;
  restaurantId: string;
  keyHash: Buffer;
  prefix: string;
  environment: 'live' | 'test';
  createdAt: Instant;
  expiresAt: Instant | null;
}

export async function insertApiKey(tx: Queryable, key: NewApiKey): Promise<void> {
  await tx.query(
    `insert into api_keys (id, restaurant_id, key_hash, prefix, environment, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      key.id,
      key.restaurantId,
      key.keyHash,
      key.prefix,
      key.environment,
      toTimestamp(key.createdAt),
      toTimestamp(key.expiresAt),
    ],
  );
}

export interface NewBasicCredential {
  id: string;
  restaurantId: string;
  username: string;
  passwordHash: Buffer;
  createdAt: Instant;
}

export async function insertBasicCredential(tx: Queryable, credential: NewBasicCredential): Promise<void> {
  await tx.query(
    `insert into basic_credentials (id, restaurant_id, username, password_hash, created_at)
     values ($1, $2, $3, $4, $5)`,
    [
      credential.id,
      credential.restaurantId,
      credential.username,
      credential.passwordHash,
      toTimestamp(credential.createdAt),
    ],
  );
}
