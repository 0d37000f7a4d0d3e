// Who is signed in. The authentication library writes sessions; request authentication reads them, one statement each.
import type { Role } from '../../domain/people/roles.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface SignedInUser {
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  role: Role;
  restaurantId: string | null;
  courierId: string | null;
  hasTwoFactor: boolean;
  /** The restaurant that an operator is currently acting as. */
  actingAs: string | null;
  restaurant: { name: string; timeZone: string } | null;
  renewedAt: Instant;
}

/** Undefined if the session has ended or its user may no longer sign in. */
export async function findSession(db: Queryable, token: string, now: Instant): Promise<SignedInUser | undefined> {
  const [row] = await db.query<SignedInUser>(
    {
      name: 'find_session',
      text: `select s.id as session_id, s.user_id, u.email, u.name, u.role, u.restaurant_id, u.courier_id,
               u.two_factor_enabled as has_two_factor, s.acting_restaurant_id as acting_as,
               case when r.id is not null then json_build_object('name', r.name, 'timeZone', r.time_zone) end
                 as restaurant,
               s.updated_at as renewed_at
             from sessions s
             join users u on u.id = s.user_id
             left join restaurants r on r.id = coalesce(s.acting_restaurant_id, u.restaurant_id)
             where s.token = $1 and s.expires_at > $2 and u.disabled_at is null`,
    },
    [token, toTimestamp(now)],
  );
  return row;
}

/** Which of these sessions are still valid, and for which restaurant; streams stay open long after the check. */
export async function listLivingSessions(
  db: Queryable,
  ids: readonly string[],
  now: Instant,
): Promise<Map<string, string | null>> {
  const rows = await db.query<{ id: string; restaurantId: string | null }>(
    {
      name: 'list_living_sessions',
      text: `select s.id, coalesce(s.acting_restaurant_id, u.restaurant_id) as restaurant_id
             from sessions s join users u on u.id = s.user_id
             where s.id = any($1::uuid[]) and s.expires_at > $2 and u.disabled_at is null`,
    },
    [ids, toTimestamp(now)],
  );
  return new Map(rows.map((row) => [row.id, row.restaurantId]));
}

export async function deleteSessionsOfUser(tx: Queryable, userId: string): Promise<void> {
  await tx.query('delete from sessions where user_id = $1', [userId]);
}

export async function updateActingRestaurant(
  tx: Queryable,
  sessionId: string,
  restaurantId: string | null,
): Promise<void> {
  await tx.query('update sessions set acting_restaurant_id = $2 where id = $1', [sessionId, restaurantId]);
}

/** Ends every session, and cancels every link and every sign-in waiting for its second step. */
export async function deleteAllSignIns(tx: Queryable): Promise<void> {
  for (const table of ['sessions', 'verifications', 'account_links']) await tx.query(`delete from ${table}`);
}

/** Every read rejects expired rows; this only keeps the tables small. */
export async function deleteExpiredSignIns(db: Queryable, now: Instant): Promise<void> {
  for (const table of ['sessions', 'verifications', 'account_links']) {
    await db.query(`delete from ${table} where expires_at < $1`, [toTimestamp(now)]);
  }
}
