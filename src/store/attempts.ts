// Results of attempts: the log, the queue's next step, and the health of endpoints.
import type { EndpointKind } from '../domain/events.ts';
import type { Instant } from '../domain/time.ts';
import type { Queryable } from './database.ts';
import { toTimestamp } from './order-rows.ts';

export interface AttemptRecord {
  eventId: string;
  restaurantId: string;
  endpoint: EndpointKind;
  number: number;
  delivered: boolean;
  failures: number;
  /** Null when delivered. */
  nextAttemptAt: Instant | null;
  url: string;
  secretId: string | null;
  startedAt: Instant;
  endedAt: Instant;
  status: number | null;
  errorClass: string | null;
  errorText: string | null;
  retryAfter: string | null;
  answer: string | null;
  remoteAddress: string | null;
  reusedConnection: boolean;
  resent: boolean;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
}

// Only the holder of the lease finishes a delivery, and only with the attempt that comes next: a result that is too
// late, or written again because its answer was lost, changes nothing. ("is not distinct from" keeps the planner off the index on leases, which a busy node fills with
// thousands of dead entries under its one id.)
const RECORD_ATTEMPTS = `
  with result as materialized (
    select * from json_to_recordset($1::json) as r(
      "eventId" uuid, "restaurantId" uuid, endpoint text, number int, delivered boolean, failures int,
      "nextAttemptAt" bigint, url text, "secretId" uuid, "startedAt" bigint, "endedAt" bigint, status int,
      "errorClass" text, "errorText" text, "retryAfter" text, answer text, "remoteAddress" text,
      "reusedConnection" boolean, resent boolean, "dnsMs" real, "connectMs" real, "tlsMs" real, "firstByteMs" real,
      "totalMs" real)
  ),
  delivered as (
    delete from deliveries d using unnest($3::uuid[], $5::int[]) as r(event_id, number)
    where d.event_id = r.event_id and d.attempts = r.number - 1 and d.event_id = any($3::uuid[]) and d.leased_by is not distinct from $2
    returning d.event_id
  ),
  failed as (
    update deliveries d
    set attempts = r.number, failures = r.failures, due_at = to_timestamp(r."nextAttemptAt" / 1000.0), leased_by = null
    from result r
    where d.event_id = r."eventId" and d.attempts = r.number - 1 and d.event_id = any($4::uuid[])
      and d.leased_by is not distinct from $2
    returning d.event_id
  ),
  finished as (
    select event_id from delivered union all select event_id from failed
  ),
  logged as (
    insert into attempts (event_id, restaurant_id, endpoint, number, outcome, url, secret_id, started_at, ended_at,
      status, error_class, error_text, retry_after, answer, remote_address, reused_connection, resent, dns_ms,
      connect_ms, tls_ms, first_byte_ms, total_ms, next_attempt_at)
    select r."eventId", r."restaurantId", r.endpoint, r.number, case when r.delivered then 'delivered' else 'failed' end,
      r.url, r."secretId", to_timestamp(r."startedAt" / 1000.0), to_timestamp(r."endedAt" / 1000.0), r.status,
      r."errorClass", r."errorText", r."retryAfter", r.answer, r."remoteAddress", r."reusedConnection", r.resent,
      r."dnsMs", r."connectMs", r."tlsMs", r."firstByteMs", r."totalMs", to_timestamp(r."nextAttemptAt" / 1000.0)
    from result r join finished f on f.event_id = r."eventId"
  )
  select event_id from finished`;

/** The event ids whose result counted. */
export async function recordAttempts(
  db: Queryable,
  nodeId: string,
  records: readonly AttemptRecord[],
): Promise<Set<string>> {
  const delivered = records.filter((record) => record.delivered);
  const rows = await db.query<{ event_id: string }>({ name: 'record_attempts', text: RECORD_ATTEMPTS }, [
    JSON.stringify(records),
    nodeId,
    delivered.map((record) => record.eventId),
    records.filter((record) => !record.delivered).map((record) => record.eventId),
    delivered.map((record) => record.number),
  ]);
  return new Set(rows.map((row) => row.event_id));
}

/** What a batch of results says about one endpoint. */
export interface EndpointHealth {
  restaurantId: string;
  endpoint: EndpointKind;
  lastSuccessAt: Instant | null;
  lastFailureAt: Instant | null;
  lastError: string | null;
}

// A success ends a failing spell only if no failure came after it, and the spell starts at the first failure.
const RECORD_HEALTH = `
  with news as materialized (
    select * from json_to_recordset($1::json) as n(restaurant_id uuid, kind text, success_at timestamptz,
      failure_at timestamptz, error text)
  ),
  locked as materialized (
    select p.restaurant_id, p.kind from endpoints p join news n on n.restaurant_id = p.restaurant_id and n.kind = p.kind
    order by p.restaurant_id, p.kind
    for update of p
  )
  update endpoints p
  set last_success_at = coalesce(greatest(p.last_success_at, n.success_at), p.last_success_at),
    last_failure_at = coalesce(greatest(p.last_failure_at, n.failure_at), p.last_failure_at),
    last_error = case when n.failure_at is not null then n.error else p.last_error end,
    failing_since = case
      when n.failure_at is null then null
      when n.success_at is null then coalesce(p.failing_since, n.failure_at)
      when n.success_at >= n.failure_at then null
      else n.failure_at
    end
  from news n join locked l on l.restaurant_id = n.restaurant_id and l.kind = n.kind
  where p.restaurant_id = n.restaurant_id and p.kind = n.kind`;

export async function recordEndpointHealth(db: Queryable, news: readonly EndpointHealth[]): Promise<void> {
  const rows = news.map((entry) => ({
    restaurant_id: entry.restaurantId,
    kind: entry.endpoint,
    success_at: toTimestamp(entry.lastSuccessAt),
    failure_at: toTimestamp(entry.lastFailureAt),
    error: entry.lastError,
  }));
  await db.query({ name: 'record_endpoint_health', text: RECORD_HEALTH }, [JSON.stringify(rows)]);
}
