// Failing endpoints, the outages reported to their restaurants, and the details to report.
import type { EndpointCondition } from '../../domain/webhooks/endpoint-watch.ts';
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface EndpointKey {
  restaurantId: string;
  endpoint: EndpointKind;
}

export interface WatchedEndpoint extends EndpointKey, EndpointCondition {
  restaurantName: string;
  /** The integrator's id for the restaurant. */
  providerRestaurantId: string;
  timeZone: string;
  contactEmail: string | null;
  url: string | null;
  lastError: string | null;
  outage: { id: string; failingSince: Instant; hasCase: boolean } | null;
}

interface WatchedRow extends Omit<WatchedEndpoint, 'outage'> {
  outageId: string | null;
  outageSince: Instant | null;
  hasCase: boolean;
}

const SELECT_WATCHED = `
  select p.restaurant_id, p.kind as endpoint, r.name as restaurant_name, r.provider_restaurant_id, r.time_zone,
    r.contact_email, p.url, p.url is not null and r.integration_enabled as is_sending, p.failing_since,
    p.last_success_at, p.last_error, s.id as outage_id, s.failing_since as outage_since,
    exists (select from support_cases c where c.spell_id = s.id) as has_case
  from endpoints p
  join restaurants r on r.id = p.restaurant_id
  left join failing_spells s on s.restaurant_id = p.restaurant_id and s.endpoint = p.kind and s.ended_at is null`;

/** Every endpoint that is failing, or whose restaurant has been notified that it is. */
export async function listWatchedEndpoints(db: Queryable): Promise<WatchedEndpoint[]> {
  const rows = await db.query<WatchedRow>({
    name: 'list_watched_endpoints',
    // Two halves, each of which starts from an index of failing endpoints.
    text: `
      ${SELECT_WATCHED} where p.failing_since is not null
      union all
      ${SELECT_WATCHED} where p.failing_since is null and s.ended_at is null and s.id is not null`,
  });
  return rows.map(toWatched);
}

/** Undefined if another transaction holds the lock. Reads after locking, and so sees what the last holder wrote. */
export async function findWatchedEndpointForUpdate(
  tx: Queryable,
  { restaurantId, endpoint }: EndpointKey,
): Promise<WatchedEndpoint | undefined> {
  const locked = await tx.query(
    'select from endpoints where restaurant_id = $1 and kind = $2 for no key update skip locked',
    [restaurantId, endpoint],
  );
  if (locked.length === 0) return undefined;
  const [row] = await tx.query<WatchedRow>(`${SELECT_WATCHED} where p.restaurant_id = $1 and p.kind = $2`, [
    restaurantId,
    endpoint,
  ]);
  return row && toWatched(row);
}

function toWatched({ outageId, outageSince, hasCase, ...endpoint }: WatchedRow): WatchedEndpoint {
  const outage =
    outageId === null || outageSince === null ? null : { id: outageId, failingSince: outageSince, hasCase };
  return { ...endpoint, outage };
}

const ATTEMPTS_LOOKED_AT = 10_000;

/**
 * True if the log contains a success missing from the endpoint's health, because a node died between the two writes.
 * The health is then corrected from the newest part of the log.
 */
export async function correctHealthFromLog(tx: Queryable, { restaurantId, endpoint }: EndpointKey): Promise<boolean> {
  const rows = await tx.query(
    `with newest as materialized (
       select endpoint, outcome, ended_at from attempts where restaurant_id = $1 order by id desc limit $3
     ),
     success as materialized (
       select max(ended_at) as at from newest where endpoint = $2 and outcome = 'delivered'
     )
     update endpoints p
     set last_success_at = greatest(p.last_success_at, success.at),
       failing_since = (
         select min(n.ended_at) from newest n
         where n.endpoint = $2 and n.outcome = 'failed' and n.ended_at > success.at
       )
     from success
     where p.restaurant_id = $1 and p.kind = $2 and success.at > p.failing_since
     returning p.kind`,
    [restaurantId, endpoint, ATTEMPTS_LOOKED_AT],
  );
  return rows.length > 0;
}

export async function clearFailingSince(tx: Queryable, { restaurantId, endpoint }: EndpointKey): Promise<void> {
  await tx.query('update endpoints set failing_since = null where restaurant_id = $1 and kind = $2', [
    restaurantId,
    endpoint,
  ]);
}

export async function insertOutage(
  tx: Queryable,
  outage: EndpointKey & { id: string; failingSince: Instant; notifiedAt: Instant },
): Promise<void> {
  await tx.query(
    'insert into failing_spells (id, restaurant_id, endpoint, failing_since, told_at) values ($1, $2, $3, $4, $5)',
    [outage.id, outage.restaurantId, outage.endpoint, toTimestamp(outage.failingSince), toTimestamp(outage.notifiedAt)],
  );
}

export async function endOutage(
  tx: Queryable,
  outageId: string,
  end: { at: Instant; ending: 'recovered' | 'switched_off' },
): Promise<void> {
  await tx.query('update failing_spells set ended_at = $2, ending = $3 where id = $1', [
    outageId,
    toTimestamp(end.at),
    end.ending,
  ]);
}

export interface FailedAttempt {
  at: Instant;
  status: number | null;
  error: string | null;
}

export interface EndpointTrouble {
  /** Failed webhooks waiting for their next attempt. */
  waiting: number;
  /** Number of attempts made for those so far. */
  failedAttempts: number;
  oldestWaitingAt: Instant | null;
  /** Newest first. */
  lastErrors: FailedAttempt[];
}

const ERRORS_SHOWN = 5;
const ATTEMPTS_SEARCHED = 1_000;

/** Size of the outage. Counts cover only waiting rows, errors only the newest attempts: neither grows with history. */
export async function readEndpointTrouble(
  db: Queryable,
  { restaurantId, endpoint }: EndpointKey,
): Promise<EndpointTrouble> {
  const [totals] = await db.query<Omit<EndpointTrouble, 'lastErrors'>>(
    `select count(*)::int as waiting, coalesce(sum(attempts), 0)::int as failed_attempts,
       min(occurred_at) as oldest_waiting_at
     from deliveries where restaurant_id = $1 and endpoint = $2 and failures > 0`,
    [restaurantId, endpoint],
  );
  const lastErrors = await db.query<FailedAttempt>(
    `select ended_at as at, status, error
     from (
       select id, endpoint, outcome, ended_at, status, coalesce(error_text, error_class) as error
       from attempts where restaurant_id = $1 order by id desc limit $3
     ) newest
     where endpoint = $2 and outcome = 'failed'
     order by id desc limit $4`,
    [restaurantId, endpoint, ATTEMPTS_SEARCHED, ERRORS_SHOWN],
  );
  return { waiting: 0, failedAttempts: 0, oldestWaitingAt: null, ...totals, lastErrors };
}

/** The webhook that has waited longest for its next attempt: used to test an endpoint. */
export async function findOldestWaiting(
  db: Queryable,
  { restaurantId, endpoint }: EndpointKey,
): Promise<string | undefined> {
  const [row] = await db.query<{ eventId: string }>(
    `select event_id from deliveries
     where restaurant_id = $1 and endpoint = $2 and failures > 0 and leased_by is null and due_at is not null
     order by occurred_at, event_id limit 1`,
    [restaurantId, endpoint],
  );
  return row?.eventId;
}

/** Whom to notify if the restaurant has no contact address. */
export async function listOwnerAddresses(db: Queryable, restaurantId: string): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email from users where restaurant_id = $1 and role = 'owner' and disabled_at is null order by email`,
    [restaurantId],
  );
  return rows.map((row) => row.email);
}

export async function listOperatorAddresses(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `select email from users where role = 'operator' and disabled_at is null order by email`,
  );
  return rows.map((row) => row.email);
}
