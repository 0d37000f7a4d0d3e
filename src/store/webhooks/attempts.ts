// Records results of attempts: the log, the next step in the queue, and the endpoints' health.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import type { Instant } from '../../domain/time.ts';
import {
  booleanArray,
  intArray,
  realArray,
  rowsOf,
  textArray,
  timestampArray,
  uuidArray,
} from '../database/array-parameter.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface AttemptRecord {
  eventId: string;
  restaurantId: string;
  endpoint: EndpointKind;
  number: number;
  delivered: boolean;
  failures: number;
  /** Null if delivered. */
  nextAttemptAt: Instant | null;
  url: string;
  secretId: string | null;
  /** The time stated in its delivery metadata; null without metadata. */
  metadataAt: Instant | null;
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

const GIVEN_RESULTS = rowsOf(2, {
  event_id: 'uuid',
  restaurant_id: 'uuid',
  endpoint: 'text',
  number: 'int',
  is_delivered: 'boolean',
  failures: 'int',
  next_attempt_at: 'timestamptz',
  url: 'text',
  secret_id: 'uuid',
  started_at: 'timestamptz',
  ended_at: 'timestamptz',
  status: 'int',
  error_class: 'text',
  error_text: 'text',
  retry_after: 'text',
  answer: 'text',
  remote_address: 'text',
  reused_connection: 'boolean',
  resent: 'boolean',
  dns_ms: 'real',
  connect_ms: 'real',
  tls_ms: 'real',
  first_byte_ms: 'real',
  total_ms: 'real',
  metadata_at: 'timestamptz',
});

// Only the lease holder may finish a delivery, and only with the next attempt: a result that is late, or rewritten
// because its answer was lost, has no effect. ("is not distinct from" keeps the planner off the index on leases, which
// a busy node fills with thousands of dead entries under its one id.) A failure also counts if the lease was lost and
// nobody has claimed it since: the attempt was made, so its retry delay applies. Deliveries held meanwhile stay held.
const RECORD_ATTEMPTS = `
  with result as materialized (
    select * from ${GIVEN_RESULTS} as r
  ),
  delivered as (
    delete from deliveries d using result r
    where d.event_id = r.event_id and r.is_delivered and d.attempts = r.number - 1 and d.leased_by is not distinct from $1
    returning d.event_id
  ),
  failed as (
    update deliveries d
    set attempts = r.number, failures = r.failures, leased_by = null,
      due_at = case when d.leased_by is null and d.due_at is null then null else r.next_attempt_at end
    from result r
    where d.event_id = r.event_id and not r.is_delivered and d.attempts = r.number - 1
      and coalesce(d.leased_by, $1) = $1
    returning d.event_id
  ),
  finished as materialized (
    select event_id from delivered union all select event_id from failed
  ),
  logged as (
    insert into attempts (event_id, restaurant_id, endpoint, number, outcome, url, secret_id, started_at, ended_at,
      status, error_class, error_text, retry_after, answer, remote_address, reused_connection, resent, dns_ms,
      connect_ms, tls_ms, first_byte_ms, total_ms, next_attempt_at, metadata_at)
    select r.event_id, r.restaurant_id, r.endpoint, r.number, case when r.is_delivered then 'delivered' else 'failed' end,
      r.url, r.secret_id, r.started_at, r.ended_at, r.status, r.error_class, r.error_text, r.retry_after, r.answer,
      r.remote_address, r.reused_connection, r.resent, r.dns_ms, r.connect_ms, r.tls_ms, r.first_byte_ms, r.total_ms,
      r.next_attempt_at, r.metadata_at
    from result r join finished f on f.event_id = r.event_id
  )
  select (
      select case when count(*) < cardinality($2::uuid[]) then coalesce(array_agg(event_id), '{}') end from finished
    ) as counted,
    array(
      select p.restaurant_id || '/' || p.kind
      from (select distinct restaurant_id, endpoint from result where is_delivered) r
      join endpoints p on p.restaurant_id = r.restaurant_id and p.kind = r.endpoint and p.failing_since is not null
    ) as recovering`;

interface RecordedRow {
  /** Omitted if all of them counted. */
  counted: string[] | null;
  recovering: string[];
}

export interface RecordedAttempts {
  /** Events whose results counted. */
  eventIds: Set<string>;
  /** Endpoints that were failing and have now accepted a webhook, as `restaurant id/kind`. */
  recovering: Set<string>;
}

export async function recordAttempts(
  db: Queryable,
  nodeId: string,
  records: readonly AttemptRecord[],
): Promise<RecordedAttempts> {
  const [row] = await db.query<RecordedRow>({ name: 'record_attempts', text: RECORD_ATTEMPTS }, [
    nodeId,
    uuidArray(records, (record) => record.eventId),
    uuidArray(records, (record) => record.restaurantId),
    textArray(records, (record) => record.endpoint),
    intArray(records, (record) => record.number),
    booleanArray(records, (record) => record.delivered),
    intArray(records, (record) => record.failures),
    timestampArray(records, (record) => record.nextAttemptAt),
    textArray(records, (record) => record.url),
    uuidArray(records, (record) => record.secretId),
    timestampArray(records, (record) => record.startedAt),
    timestampArray(records, (record) => record.endedAt),
    intArray(records, (record) => record.status),
    textArray(records, (record) => record.errorClass),
    textArray(records, (record) => record.errorText),
    textArray(records, (record) => record.retryAfter),
    textArray(records, (record) => record.answer),
    textArray(records, (record) => record.remoteAddress),
    booleanArray(records, (record) => record.reusedConnection),
    booleanArray(records, (record) => record.resent),
    realArray(records, (record) => record.dnsMs),
    realArray(records, (record) => record.connectMs),
    realArray(records, (record) => record.tlsMs),
    realArray(records, (record) => record.firstByteMs),
    realArray(records, (record) => record.totalMs),
    timestampArray(records, (record) => record.metadataAt),
  ]);
  return {
    eventIds: new Set(row?.counted ?? records.map((record) => record.eventId)),
    recovering: new Set(row?.recovering),
  };
}

/** For an attempt that was made but cannot be recorded: counts as failed, so that each repetition waits longer. */
export async function postponeUnrecorded(
  db: Queryable,
  attempt: { nodeId: string; eventId: string; number: number; now: Instant },
): Promise<void> {
  await db.query(
    `update deliveries
     set attempts = $3, failures = failures + 1, leased_by = null,
       due_at = $4::timestamptz + ($5::float8[])[least(failures + 1, cardinality($5::float8[]))] * interval '1 millisecond'
     where event_id = $1 and leased_by = $2 and attempts = $3 - 1`,
    [attempt.eventId, attempt.nodeId, attempt.number, toTimestamp(attempt.now), WAITS_MS],
  );
}

/** What a batch of results shows about one endpoint. */
export interface EndpointHealth {
  restaurantId: string;
  endpoint: EndpointKind;
  lastSuccessAt: Instant | null;
  lastFailureAt: Instant | null;
  lastError: string | null;
}

// A success ends an outage only if no failure came after it; the outage starts at the first failure.
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
