// Sends the mail in the outbox, on any number of nodes. The claim on a mail outlasts the longest possible send, so a
// duplicate occurs only if a node dies after the server has accepted the mail and before recording that.
import { setTimeout as delay } from 'node:timers/promises';
import { reportRefusedMail, type RefusedMailDeps } from '../actions/webhooks/report-refused-mail.ts';
import { describeError } from '../domain/upkeep/set-aside.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import { DatabaseUnavailable } from '../store/database/database.ts';
import {
  claimDueMail,
  countQueuedMail,
  deleteMailBefore,
  markMailSent,
  postponeMail,
  type ClaimedMail,
} from '../store/people/mail-outbox.ts';
import { everyMs, type Worker } from '../runtime/supervisor.ts';
import { MAIL_DEADLINE_MS, type Mailer } from './smtp.ts';

export type OutboxDeps = RefusedMailDeps & {
  /** Null if no mail server is configured; mails then wait. */
  mailer: Mailer | null;
};

const LEASE_MS = 2 * MAIL_DEADLINE_MS;
const MAX_CONCURRENT = 5;
const FIRST_WAIT_MS = MINUTE_MS;
const MAX_WAIT_MS = HOUR_MS;
const KEPT_MS = 30 * 24 * HOUR_MS;
const ROUND_MS = 2_000;
/** A graceful stop does not wait for a slow server: the mail's lease expires, and another node sends it. */
const STOP_WAIT_MS = 3_000;

export function createOutboxWorker(deps: OutboxDeps): Worker {
  const sending = (signal: AbortSignal) =>
    everyMs('mail', ROUND_MS, { log: deps.log, round: () => sendDueMail(deps) }).run(signal);
  const keeping = everyMs('mail keeping', HOUR_MS, { log: deps.log, round: () => keepOutbox(deps) });
  return {
    name: 'mail',
    async run(signal) {
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      const patience = stopped.then(() => delay(STOP_WAIT_MS, undefined, { ref: false }));
      await Promise.all([keeping.run(signal), Promise.race([sending(signal), patience])]);
    },
  };
}

/** Sends all mail that is due; returns how many mails were sent. */
export async function sendDueMail(deps: OutboxDeps): Promise<number> {
  const { mailer } = deps;
  if (mailer === null) return 0;
  let sent = 0;
  for (;;) {
    const claim = { now: deps.clock.now(), leaseMs: LEASE_MS, limit: MAX_CONCURRENT };
    const mails = await claimDueMail(deps.db, deps.vault, claim);
    const results = await Promise.all(mails.map((mail) => sendSafely(deps, mailer, mail)));
    sent += results.filter((isSent) => isSent).length;
    if (mails.length < MAX_CONCURRENT) return sent;
  }
}

/** A mail that causes an error is postponed like one the server did not accept; the rest of the claim is sent. */
async function sendSafely(deps: OutboxDeps, mailer: Mailer, mail: ClaimedMail): Promise<boolean> {
  try {
    return await sendOne(deps, mailer, mail);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    const reason = describeError(error);
    deps.log.error({ event: 'mail.broken', mailId: mail.id, reason });
    const until = deps.clock.now() + waitAfter(mail.attempt);
    await postponeMail(deps.db, mail, { until, error: reason }).catch(() => undefined);
    return false;
  }
}

async function sendOne(deps: OutboxDeps, mailer: Mailer, { text, ...mail }: ClaimedMail): Promise<boolean> {
  if (text === null) throw new Error('The text of this mail cannot be read.');
  const result = await mailer.send({ ...mail, text });
  const line = { mailId: mail.id, attempt: mail.attempt };
  if (result.kind === 'sent') {
    await markMailSent(deps.db, mail.id, deps.clock.now());
    deps.log.info({ event: 'mail.sent', ...line });
    return true;
  }
  deps.log.warn({ event: `mail.${result.kind}`, ...line, reason: result.error });
  if (result.kind === 'refused') {
    await reportRefusedMail(deps, mail, result.error);
  } else {
    const until = deps.clock.now() + waitAfter(mail.attempt);
    await postponeMail(deps.db, mail, { until, error: result.error });
  }
  return false;
}

/** 1, 2, 4 minutes and so on, at most an hour. */
function waitAfter(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
}

/** Deletes mails that are 30 days old, sent or not: an unsent mail of that age is no longer useful. */
export async function keepOutbox(deps: OutboxDeps): Promise<void> {
  const { unsent } = await deleteMailBefore(deps.db, deps.clock.now() - KEPT_MS);
  if (unsent > 0) deps.log.error({ event: 'mail.expired', count: unsent });
  if (deps.mailer !== null) return;
  const queued = await countQueuedMail(deps.db);
  if (queued > 0) deps.log.warn({ event: 'mail.no_server', queued, advice: 'set WAYBILL_SMTP_URL' });
}
