// Lists credentials for people, and revokes them.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toInstant, toTimestamp } from '../database/timestamps.ts';
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

interface ApiKeyViewRow {
  id: string;
  restaurant_id: string;
  prefix: string;
  environment: 'live' | 'test';
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const API_KEY_COLUMNS = 'id, restaurant_id, prefix, environment, created_at, expires_at, revoked_at, last_used_at';

function toApiKeyView(row: ApiKeyViewRow): ApiKeyView {
  return {
    id: row.id,
    restaurantId: row.restaurant_id,
    prefix: row.prefix,
    environment: row.environment,
    createdAt: row.created_at.getTime(),
    expiresAt: toInstant(row.expires_at),
    revokedAt: toInstant(row.revoked_at),
    lastUsedAt: toInstant(row.last_used_at),
  };
}

export async function listApiKeys(db: Queryable, restaurantId: string): Promise<ApiKeyView[]> {
  const rows = await db.query<ApiKeyViewRow>(
    `select ${API_KEY_COLUMNS} from api_keys where restaurant_id = $1 order by created_at, id`,
    [restaurantId],
  );
  return rows.map(toApiKeyView);
}

export async function findApiKeyById(db: Queryable, id: string): Promise<ApiKeyView | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.query<ApiKeyViewRow>(`select ${API_KEY_COLUMNS} from api_keys where id = $1`, [id]);
  return row && toApiKeyView(row);
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

interface BasicViewRow {
  id: string;
  restaurant_id: string;
  username: string;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

const BASIC_COLUMNS = 'id, restaurant_id, username, created_at, revoked_at, last_used_at';

function toBasicView(row: BasicViewRow): BasicCredentialView {
  return {
    id: row.id,
    restaurantId: row.restaurant_id,
    username: row.username,
    createdAt: row.created_at.getTime(),
    revokedAt: toInstant(row.revoked_at),
    lastUsedAt: toInstant(row.last_used_at),
  };
}

export async function listBasicCredentials(db: Queryable, restaurantId: string): Promise<BasicCredentialView[]> {
  const rows = await db.query<BasicViewRow>(
    `select ${BASIC_COLUMNS} from basic_credentials where restaurant_id = $1 order by created_at, id`,
    [restaurantId],
  );
  return rows.map(toBasicView);
}

export async function findBasicCredentialById(db: Queryable, id: string): Promise<BasicCredentialView | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.query<BasicViewRow>(`select ${BASIC_COLUMNS} from basic_credentials where id = $1`, [id]);
  return row && toBasicView(row);
}

/** False if it was already revoked. */
export async function revokeBasicCredentialById(tx: Queryable, id: string, now: Instant): Promise<boolean> {
  const rows = await tx.query(
    'update basic_credentials set revoked_at = $2 where id = $1 and revoked_at is null returning id',
    [id, toTimestamp(now)],
  );
  return rows.length > 0;
}
