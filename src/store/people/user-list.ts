// The operator's list of people who sign in.
import type { Role } from '../../domain/people/roles.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface UserEntry {
  id: string;
  email: string;
  name: string;
  role: Role;
  restaurantName: string | null;
  courierName: string | null;
  hasTwoFactor: boolean;
  /** False for an invited person who has not chosen a password yet. */
  hasPassword: boolean;
  disabledAt: Instant | null;
  createdAt: Instant;
  /** Number of current sessions. */
  sessions: number;
  lastSeenAt: Instant | null;
}

const SELECT_ENTRIES = `
  select u.id, u.email, u.name, u.role, r.name as restaurant_name, c.name as courier_name,
    u.two_factor_enabled as has_two_factor,
    exists (select from user_passwords p where p.user_id = u.id) as has_password, u.disabled_at, u.created_at,
    s.sessions, s.last_seen_at
  from users u
  left join restaurants r on r.id = u.restaurant_id
  left join couriers c on c.id = u.courier_id
  cross join lateral (
    select count(*)::int as sessions, max(updated_at) as last_seen_at from sessions
    where user_id = u.id and expires_at > $1::timestamptz
  ) s`;

export interface UserSearch {
  /** Part of the email address, the name or the restaurant's name; empty for all. */
  text: string;
  role: Role | null;
  /** Email address of the last user on the previous page. */
  after: string | null;
  limit: number;
  now: Instant;
}

/** Sorted by email address. */
export function searchUsers(db: Queryable, search: UserSearch): Promise<UserEntry[]> {
  return db.query<UserEntry>(
    {
      name: 'search_users',
      text: `${SELECT_ENTRIES}
        where (strpos(u.email, lower($2)) > 0 or strpos(lower(u.name), lower($2)) > 0
            or strpos(lower(coalesce(r.name, '')), lower($2)) > 0)
          and ($3::text is null or u.role = $3) and ($4::text is null or u.email > $4)
        order by u.email
        limit $5`,
    },
    [toTimestamp(search.now), search.text, search.role, search.after, search.limit],
  );
}
