// Every attempt to send an integrator a webhook about one order, as logged.
import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';

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

const LIST = `
  select a.event_id, a.number, a.outcome, a.url, a.secret_id, s.sealed_secret, a.started_at, a.status, a.error_class,
    a.error_text, a.retry_after, a.answer, a.remote_address,
    coalesce(a.reused_connection, false) as is_reused_connection, coalesce(a.resent, false) as is_resent_at_once,
    a.dns_ms, a.connect_ms, a.tls_ms, a.first_byte_ms, a.total_ms, a.next_attempt_at, a.metadata_at
  from events e
  join attempts a on a.event_id = e.id
  left join webhook_secrets s on s.id = a.secret_id and s.restaurant_id = a.restaurant_id
  where e.order_id = $1
  order by a.id`;

/** Oldest first. */
export function listAttemptsOfOrder(db: Queryable, orderId: string): Promise<LoggedAttempt[]> {
  return db.query<LoggedAttempt>({ name: 'list_attempts_of_order', text: LIST }, [orderId]);
}
