// Outgoing mail. A mail is enqueued in the transaction that decides on it, so neither exists without the other; it is
// sent at least once, and duplicates carry the same Message-ID.
import type { Instant } from '../../domain/time.ts';
import { SEALED_IN, type Vault } from '../../secrets/vault.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export interface NewMail {
  id: string;
  to: string;
  subject: string;
  text: string;
  now: Instant;
}

export async function enqueueMail(db: Queryable, vault: Pick<Vault, 'seal'>, mail: NewMail): Promise<void> {
  await db.query(
    `insert into mail_outbox (id, to_address, subject, sealed_body, created_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, $5)`,
    [
      mail.id,
      mail.to,
      toHeaderText(mail.subject),
      vault.seal(mail.text, SEALED_IN.mailBody(mail.id)),
      toTimestamp(mail.now),
    ],
  );
}

const MAX_SUBJECT_LENGTH = 200;

// Subjects contain restaurant names: no name may end the header and start another.
function toHeaderText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT_LENGTH);
}

export interface ClaimedMail {
  id: string;
  to: string;
  subject: string;
  /** Null if it cannot be decrypted. */
  text: string | null;
  createdAt: Instant;
  /** Counts from 1, including this attempt. */
  attempt: number;
}

interface MailRow extends Omit<ClaimedMail, 'text'> {
  sealedBody: Buffer;
}

/** Claims due mail, oldest first. No other claim gets it before the lease expires. */
export async function claimDueMail(
  db: Queryable,
  vault: Pick<Vault, 'open'>,
  claim: { now: Instant; leaseMs: number; limit: number },
): Promise<ClaimedMail[]> {
  const rows = await db.query<MailRow>(
    {
      name: 'claim_due_mail',
      text: `
        with due as materialized (
          select id from mail_outbox
          where sent_at is null and refused_at is null and next_attempt_at <= $1
          order by next_attempt_at
          limit $3
          for update skip locked
        )
        update mail_outbox m set attempts = m.attempts + 1, next_attempt_at = $2
        from due where m.id = due.id
        returning m.id, m.to_address as "to", m.subject, m.sealed_body, m.created_at, m.attempts as attempt`,
    },
    [toTimestamp(claim.now), toTimestamp(claim.now + claim.leaseMs), claim.limit],
  );
  return rows.map(({ sealedBody, ...mail }) => ({ ...mail, text: openText(vault, mail.id, sealedBody) }));
}

/** A mail that cannot be decrypted must not block the others in its claim. */
function openText(vault: Pick<Vault, 'open'>, id: string, sealed: Buffer): string | null {
  try {
    return vault.open(sealed, SEALED_IN.mailBody(id));
  } catch {
    return null;
  }
}

export async function markMailSent(db: Queryable, id: string, now: Instant): Promise<void> {
  await db.query('update mail_outbox set sent_at = $2, last_error = null, sealed_body = null where id = $1', [
    id,
    toTimestamp(now),
  ]);
}

/** Only the newest claim may schedule the retry; a result that arrives after a newer claim changes nothing. */
export async function postponeMail(
  db: Queryable,
  mail: Pick<ClaimedMail, 'id' | 'attempt'>,
  postponement: { until: Instant; error: string },
): Promise<void> {
  await db.query(
    `update mail_outbox set next_attempt_at = $3, last_error = $4
     where id = $1 and attempts = $2 and sent_at is null and refused_at is null`,
    [mail.id, mail.attempt, toTimestamp(postponement.until), postponement.error],
  );
}

/** False if it was already marked as refused. */
export async function markMailRefused(
  tx: Queryable,
  id: string,
  refusal: { now: Instant; error: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update mail_outbox set refused_at = $2, last_error = $3, sealed_body = null
     where id = $1 and sent_at is null and refused_at is null
     returning id`,
    [id, toTimestamp(refusal.now), refusal.error],
  );
  return rows.length > 0;
}

/** Returns how many mails were deleted, and how many of them had never been sent. */
export async function deleteMailBefore(db: Queryable, before: Instant): Promise<{ deleted: number; unsent: number }> {
  const [row] = await db.query<{ deleted: number; unsent: number }>(
    `with gone as (delete from mail_outbox where created_at < $1 returning sent_at)
     select count(*)::int as deleted, count(*) filter (where sent_at is null)::int as unsent from gone`,
    [toTimestamp(before)],
  );
  return row ?? { deleted: 0, unsent: 0 };
}

export async function countQueuedMail(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'select count(*)::int as count from mail_outbox where sent_at is null and refused_at is null',
  );
  return row?.count ?? 0;
}
