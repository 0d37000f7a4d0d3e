// The people who sign in to the pages.
import type { Role } from '../../domain/people/roles.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface User {
  id: string;
  email: string;
  name: string;
  role: Role;
  restaurantId: string | null;
  courierId: string | null;
  hasTwoFactor: boolean;
  /** False for an invited person who has not chosen a password yet. */
  hasPassword: boolean;
  disabledAt: Instant | null;
  createdAt: Instant;
}

export type NewUser = Omit<User, 'hasTwoFactor' | 'hasPassword' | 'disabledAt'>;

/** False if the email address is taken. */
export async function insertUser(tx: Queryable, user: NewUser): Promise<boolean> {
  const rows = await tx.query(
    `insert into users (id, email, name, role, restaurant_id, courier_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)
     on conflict (email) do nothing
     returning id`,
    [user.id, user.email, user.name, user.role, user.restaurantId, user.courierId, toTimestamp(user.createdAt)],
  );
  return rows.length > 0;
}

const COLUMNS = `u.id, u.email, u.name, u.role, u.restaurant_id, u.courier_id, u.two_factor_enabled as has_two_factor,
  u.disabled_at, u.created_at, exists (select from user_passwords p where p.user_id = u.id) as has_password`;

export function listUsers(db: Queryable): Promise<User[]> {
  return db.query<User>(`select ${COLUMNS} from users u order by u.email`);
}

export function listTeam(db: Queryable, restaurantId: string): Promise<User[]> {
  return db.query<User>(
    `select ${COLUMNS} from users u
     where u.restaurant_id = $1 and u.role in ('owner', 'staff')
     order by u.created_at, u.id`,
    [restaurantId],
  );
}

/** Locked in a fixed order, so that two owners who remove each other concurrently do not both succeed. */
export function listTeamForUpdate(tx: Queryable, restaurantId: string): Promise<User[]> {
  return tx.query<User>(
    `select ${COLUMNS} from users u
     where u.restaurant_id = $1 and u.role in ('owner', 'staff')
     order by u.id for update of u`,
    [restaurantId],
  );
}

export function listOperatorsForUpdate(tx: Queryable): Promise<User[]> {
  return tx.query<User>(`select ${COLUMNS} from users u where u.role = 'operator' order by u.id for update of u`);
}

export async function findUser(db: Queryable, id: string): Promise<User | undefined> {
  const [row] = await db.query<User>(`select ${COLUMNS} from users u where u.id = $1`, [id]);
  return row;
}

export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [row] = await db.query<User>(`select ${COLUMNS} from users u where u.email = $1`, [email]);
  return row;
}

export async function hasOperator(db: Queryable): Promise<boolean> {
  const rows = await db.query(`select from users where role = 'operator' limit 1`);
  return rows.length > 0;
}

/** Blocks others from adding or changing users until the end of the transaction. */
export async function lockUsers(tx: Queryable): Promise<void> {
  await tx.query('lock table users in share row exclusive mode');
}

export async function updateUserRole(tx: Queryable, id: string, role: Role): Promise<void> {
  await tx.query('update users set role = $2, updated_at = now() where id = $1', [id, role]);
}

export async function updateUserName(tx: Queryable, id: string, name: string): Promise<void> {
  await tx.query('update users set name = $2, updated_at = now() where id = $1', [id, name]);
}

export async function updateUserDisabled(tx: Queryable, id: string, disabledAt: Instant | null): Promise<void> {
  await tx.query('update users set disabled_at = $2, updated_at = now() where id = $1', [
    id,
    disabledAt === null ? null : toTimestamp(disabledAt),
  ]);
}

export async function deleteUser(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from users where id = $1', [id]);
}

/** Sets or replaces the password. */
export async function savePassword(
  tx: Queryable,
  password: { id: string; userId: string; hash: string; at: Instant },
): Promise<void> {
  await tx.query(
    `insert into user_passwords (id, user_id, account_id, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5)
     on conflict (user_id) do update set password_hash = excluded.password_hash, updated_at = excluded.updated_at`,
    [password.id, password.userId, password.userId, password.hash, toTimestamp(password.at)],
  );
}

/** For a person who lost their device: they sign in with the password alone and set up two-factor again. */
export async function deleteTwoFactor(tx: Queryable, userId: string): Promise<void> {
  await tx.query('delete from two_factors where user_id = $1', [userId]);
  await tx.query('update users set two_factor_enabled = false, updated_at = now() where id = $1', [userId]);
}
