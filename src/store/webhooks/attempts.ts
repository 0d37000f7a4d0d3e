// Records results of attempts: the log, the next step in the queue, and the endpoints' health.
import type { EndpointKind } from '../../domain/webhooks/events.ts';
import { WAITS_MS } from '../../domain/webhooks/retry.ts';
import type { Instant } from '../../domain/time.ts';
import { column } from '../database/array-parameter.ts';
import type { Queryable } from '../database/database.ts';
import { prepare, type Columns } from '../database/prepared.ts';
import { toTimestamp } from '../database/timestamps.ts';

/** What an attempt found out. Times are wall clock. */
export interface AttemptFacts {
  startedAt: Instant;
  endedAt: Instant;
  status: number | null;
  errorClass: string | null;
  /** Safe to show to a tenant. */
  errorText: string | null;
  retryAfter: string | null;
  /** The first 1 KiB of the answer's body, as inert text. */
  answer: string | null;
  remoteAddress: string | null;
  reusedConnection: boolean;
  /** The request was repeated once on a fresh connection, because a reused one was closed without an answer. */
  resent: boolean;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
}

export interface AttemptRecord extends AttemptFacts {
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
}

/** What the log keeps of an attempt, besides its outcome. */
const LOGGED_COLUMNS: Columns<AttemptRecord> = {
  event_id: column.uuid((record) => record.eventId),
  restaurant_id: column.uuid((record) => record.restaurantId),
  endpoint: column.text((record) => record.endpoint),
  number: column.int((record) => record.number),
  next_attempt_at: column.timestamp((record) => record.nextAttemptAt),
  url: column.text((record) => record.url),
  secret_id: column.uuid((record) => record.secretId),
  started_at: column.timestamp((record) => record.startedAt),
  ended_at: column.timestamp((record) => record.endedAt),
  status: column.int((record) => record.status),
  error_class: column.text((record) => record.errorClass),
  error_text: column.text((record) => record.errorText),
  retry_after: column.text((record) => record.retryAfter),
  answer: column.text((record) => record.answer),
  remote_address: column.text((record) => record.remoteAddress),
  reused_connection: column.boolean((record) => record.reusedConnection),
  resent: column.boolean((record) => record.resent),
  dns_ms: column.real((record) => record.dnsMs),
  connect_ms: column.real((record) => record.connectMs),
  tls_ms: column.real((record) => record.tlsMs),
  first_byte_ms: column.real((record) => record.firstByteMs),
  total_ms: column.real((record) => record.totalMs),
  metadata_at: column.timestamp((record) => record.metadataAt),
};
const LOGGED = Object.keys(LOGGED_COLUMNS);

export const RESULT_COLUMNS: Columns<AttemptRecord> = {
  ...LOGGED_COLUMNS,
  is_delivered: column.boolean((record) => record.delivered),
  failures: column.int((record) => record.failures),
};

interface RecordedRow {
  /** Omitted if all of them counted. */
  counted: string[] | null;
  recovering: string[];
}

// Only the lease holder may finish a delivery, and only with the next attempt: a result that is late, or rewritten
// because its answer was lost, has no effect. ("is not distinct from" keeps the planner off the index on leases, which
// a busy node fills with thousands of dead entries under its one id.) A failure also counts if the lease was lost and
// nobody has claimed it since: the attempt was made, so its retry delay applies. That includes a delivery that was held
// meanwhile: reopening the endpoint would otherwise send it before its retry is due. It is held again when it is due.
const record = prepare<{ nodeId: string; records: readonly AttemptRecord[] }, RecordedRow>(
  'record_attempts',
  (parameters) => {
    const node = parameters.value('bigint', ({ nodeId }) => nodeId);
    const results = parameters.rows(RESULT_COLUMNS, ({ records }) => records);
    return `
  with result as materialized (
    select * from ${results.source} as r
  ),
  delivered as (
    delete from deliveries d using result r
    where d.event_id = r.event_id and r.is_delivered and d.attempts = r.number - 1
      and d.leased_by is not distinct from ${node}
    returning d.event_id
  ),
  failed as (
    update deliveries d
    set attempts = r.number, failures = r.failures, leased_by = null, due_at = r.next_attempt_at
    from result r
    where d.event_id = r.event_id and not r.is_delivered and d.attempts = r.number - 1
      and coalesce(d.leased_by, ${node}) = ${node}
    returning d.event_id
  ),
  finished as materialized (
    select event_id from delivered union all select event_id from failed
  ),
  logged as (
    insert into attempts (outcome, ${LOGGED.join(', ')})
    select case when r.is_delivered then 'delivered' else 'failed' end, ${LOGGED.map((name) => `r.${name}`).join(', ')}
    from result r join finished f on f.event_id = r.event_id
  )
  select (
      select case when count(*) < ${results.size} then coalesce(array_agg(event_id), '{}') end from finished
    ) as counted,
    array(
      select p.restaurant_id || '/' || p.kind
      from (select distinct restaurant_id, endpoint from result where is_delivered) r
      join endpoints p on p.restaurant_id = r.restaurant_id and p.kind = r.endpoint and p.failing_since is not null
    ) as recovering`;
  },
);

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
  const [row] = await record(db, { nodeId, records });
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
