// Every attempt to send an integrator a webhook about one order, as logged.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toInstant } from '../database/timestamps.ts';

export interface LoggedAttempt {
  eventId: string;
  number: number;
  outcome: 'delivered' | 'failed' | 'discarded';
  url: string | null;
  secretId: string | null;
  /** Null if the attempt was not signed, or if its secret no longer exists. */
  sealedSecret: Buffer | null;
  /** The time stated in its delivery metadata; null without metadata. */
  metadataAt: Instant | null;
  startedAt: Instant;
  status: number | null;
  errorClass: string | null;
  errorText: string | null;
  retryAfter: string | null;
  answer: string | null;
  remoteAddress: string | null;
  isReusedConnection: boolean;
  isResentAtOnce: boolean;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number | null;
  nextAttemptAt: Instant | null;
}

interface AttemptRow {
  event_id: string;
  number: number;
  outcome: LoggedAttempt['outcome'];
  url: string | null;
  secret_id: string | null;
  sealed_secret: Buffer | null;
  metadata_at: Date | null;
  started_at: Date;
  status: number | null;
  error_class: string | null;
  error_text: string | null;
  retry_after: string | null;
  answer: string | null;
  remote_address: string | null;
  reused_connection: boolean | null;
  resent: boolean | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  total_ms: number | null;
  next_attempt_at: Date | null;
}

const LIST = `
  select a.event_id, a.number, a.outcome, a.url, a.secret_id, s.sealed_secret, a.started_at, a.status, a.error_class,
    a.error_text, a.retry_after, a.answer, a.remote_address, a.reused_connection, a.resent, a.dns_ms, a.connect_ms,
    a.tls_ms, a.first_byte_ms, a.total_ms, a.next_attempt_at, a.metadata_at
  from events e
  join attempts a on a.event_id = e.id
  left join webhook_secrets s on s.id = a.secret_id and s.restaurant_id = a.restaurant_id
  where e.order_id = $1
  order by a.id`;

/** Oldest first. */
export async function listAttemptsOfOrder(db: Queryable, orderId: string): Promise<LoggedAttempt[]> {
  const rows = await db.query<AttemptRow>({ name: 'list_attempts_of_order', text: LIST }, [orderId]);
  return rows.map((row) => ({
    eventId: row.event_id,
    number: row.number,
    outcome: row.outcome,
    url: row.url,
    secretId: row.secret_id,
    sealedSecret: row.sealed_secret,
    metadataAt: toInstant(row.metadata_at),
    startedAt: row.started_at.getTime(),
    status: row.status,
    errorClass: row.error_class,
    errorText: row.error_text,
    retryAfter: row.retry_after,
    answer: row.answer,
    remoteAddress: row.remote_address,
    isReusedConnection: row.reused_connection ?? false,
    isResentAtOnce: row.resent ?? false,
    dnsMs: row.dns_ms,
    connectMs: row.connect_ms,
    tlsMs: row.tls_ms,
    firstByteMs: row.first_byte_ms,
    totalMs: row.total_ms,
    nextAttemptAt: toInstant(row.next_attempt_at),
  }));
}
