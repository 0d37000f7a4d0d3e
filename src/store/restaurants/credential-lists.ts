// Lists credentials for people, and revokes them.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';
import { isUuid } from '../database/uuid.ts';

export interface ApiKeyView {
  id: string;
  restaurantId: string;
  prefix: string;
  environment: 'live' | 'test';
  createdAt: Instant;
  expiresAt: Instant | null;
  revokedAt: Instant | null;
  lastUsedAt: Instant | null;
}

const API_KEY_COLUMNS = 'id, restaurant_id, prefix, environment, created_at, expires_at, revoked_at, last_used_at';

export function listApiKeys(db: Queryable, restaurantId: string): Promise<ApiKeyView[]> {
  return db.query<ApiKeyView>(
    `select ${API_KEY_COLUMNS} from api_keys where restaurant_id = $1 order by created_at, id`,
    [restaurantId],
  );
}

export async function findApiKeyById(db: Queryable, id: string): Promise<ApiKeyView | undefined> {
  if (!isUuid(id)) return undefined;
  const [key] = await db.query<ApiKeyView>(`select ${API_KEY_COLUMNS} from api_keys where id = $1`, [id]);
  return key;
}

/** False if it was already revoked. */
export async function revokeApiKeyById(tx: Queryable, id: string, now: Instant): Promise<boolean> {
  const rows = await tx.query('update api_keys set revoked_at = $2 where id = $1 and revoked_at is null returning id', [
    id,
    toTimestamp(now),
  ]);
  return rows.length > 0;
}

export interface BasicCredentialView {
  id: string;
  restaurantId: string;
  username: string;
  createdAt: Instant;
  revokedAt: Instant | null;
  lastUsedAt: Instant | null;
}

const BASIC_COLUMNS = 'id, restaurant_id, username, created_at, revoked_at, last_used_at';

export function listBasicCredentials(db: Queryable, restaurantId: string): Promise<BasicCredentialView[]> {
  return db.query<BasicCredentialView>(
    `select ${BASIC_COLUMNS} from basic_credentials where restaurant_id = $1 order by created_at, id`,
    [restaurantId],
  );
}

export async function findBasicCredentialById(db: Queryable, id: string): Promise<BasicCredentialView | undefined> {
  if (!isUuid(id)) return undefined;
  const [credential] = await db.query<BasicCredentialView>(
    `select ${BASIC_COLUMNS} from basic_credentials where id = $1`,
    [id],
  );
  return credential;
}

/** False if it was already revoked. */
export async function revokeBasicCredentialById(tx: Queryable, id: string, now: Instant): Promise<boolean> {
  const rows = await tx.query(
    'update basic_credentials set revoked_at = $2 where id = $1 and revoked_at is null returning id',
    [id, toTimestamp(now)],
  );
  return rows.length > 0;
}
