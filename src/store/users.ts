// The people who sign in to the pages.
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toTimestamp } from './order-rows.ts';

export const USER_ROLES = ['restaurant', 'courier', 'operator'] as const;
export type UserRole = (typeof USER_ROLES)[number];

export interface User {
  id: string;
  email: string;
  role: UserRole;
  restaurantId: string | null;
  createdAt: Instant;
}

/** False when the address is taken. */
export async function insertUser(tx: Queryable, user: User & { passwordHash: string }): Promise<boolean> {
  const rows = await tx.query(
    `insert into users (id, email, role, restaurant_id, password_hash, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (email) do nothing
     returning id`,
    [user.id, user.email, user.role, user.restaurantId, user.passwordHash, toTimestamp(user.createdAt)],
  );
  return rows.length > 0;
}

interface UserRow {
  id: string;
  email: string;
  role: UserRole;
  restaurant_id: string | null;
  created_at: Date;
}

export async function listUsers(db: Queryable): Promise<User[]> {
  const rows = await db.query<UserRow>('select id, email, role, restaurant_id, created_at from users order by email');
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    restaurantId: row.restaurant_id,
    createdAt: row.created_at.getTime(),
  }));
}

/** Undefined when nobody has this address. */
export async function updateUserPassword(
  tx: Queryable,
  email: string,
  passwordHash: string,
): Promise<{ restaurantId: string | null } | undefined> {
  const [row] = await tx.query<{ restaurant_id: string | null }>(
    'update users set password_hash = $2 where email = $1 returning restaurant_id',
    [email, passwordHash],
  );
  return row && { restaurantId: row.restaurant_id };
}
