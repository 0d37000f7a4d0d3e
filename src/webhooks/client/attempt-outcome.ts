// The input and the outcome of an attempt.
import { nextAttemptAt } from '../../domain/webhooks/retry.ts';
import type { Instant } from '../../domain/time.ts';
import type { AttemptFacts, AttemptRecord } from '../../store/webhooks/attempts.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { AttemptFailure, ErrorClass } from '../dial/attempt-failure.ts';
import type { Target } from './targets.ts';

export interface AttemptRequest {
  url: string;
  /** Tenants on the same host take turns. Defaults to the URL. */
  tenant?: string;
  body: string | Uint8Array;
  headers: Record<string, string>;
  /** Called when the attempt gets its turn for a connection, and again right before anything is written. */
  mayBegin?: () => boolean;
}

export interface AttemptOutcome extends AttemptFacts {
  ok: boolean;
  errorClass: ErrorClass | null;
}

/** What is unknown without a connection. */
export const NO_CONNECTION = {
  retryAfter: null,
  answer: null,
  remoteAddress: null,
  reusedConnection: false,
  resent: false,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
} satisfies Partial<AttemptOutcome>;

/** The outcome of an attempt that ended before it started. */
export function notSent(failure: AttemptFailure, now: Instant): AttemptOutcome {
  return {
    ok: false,
    startedAt: now,
    endedAt: now,
    status: null,
    ...failure,
    ...NO_CONNECTION,
    totalMs: 0,
  };
}

/** `failures` counts the steps of the retry schedule. */
export function toRecord(
  delivery: Delivery,
  outcome: AttemptOutcome,
  used: { url: string; target: Pick<Target, 'secretId' | 'hasMetadata'>; signedAt: Instant },
): AttemptRecord {
  const { ok } = outcome;
  const failures = ok ? 0 : delivery.failures + 1;
  // Field by field, because destructuring and spreading are slow, and this runs for every attempt.
  return {
    eventId: delivery.eventId,
    restaurantId: delivery.restaurantId,
    endpoint: delivery.endpoint,
    number: delivery.attempts + 1,
    delivered: ok,
    failures,
    nextAttemptAt: ok ? null : nextAttemptAt(failures, outcome.endedAt),
    url: used.url,
    secretId: used.target.secretId,
    metadataAt: used.target.hasMetadata ? used.signedAt : null,
    startedAt: outcome.startedAt,
    endedAt: outcome.endedAt,
    status: outcome.status,
    errorClass: outcome.errorClass,
    errorText: outcome.errorText,
    retryAfter: outcome.retryAfter,
    answer: outcome.answer,
    remoteAddress: outcome.remoteAddress,
    reusedConnection: outcome.reusedConnection,
    resent: outcome.resent,
    dnsMs: outcome.dnsMs,
    connectMs: outcome.connectMs,
    tlsMs: outcome.tlsMs,
    firstByteMs: outcome.firstByteMs,
    totalMs: outcome.totalMs,
  };
}
