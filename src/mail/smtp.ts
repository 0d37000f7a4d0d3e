// Sends one mail to one mail server and returns the result. Retries are up to the caller.
import { createTransport } from 'nodemailer';
import type { Instant } from '../domain/time.ts';

export interface OutgoingMail {
  id: string;
  to: string;
  subject: string;
  text: string;
  createdAt: Instant;
}

export type MailResult =
  | { kind: 'sent' }
  /** The server will never accept mail for this recipient. */
  | { kind: 'refused'; error: string }
  /** A retry may succeed: the server is unreachable, slow or misconfigured. */
  | { kind: 'failed'; error: string };

export interface Mailer {
  /** Never rejects. */
  send(mail: OutgoingMail): Promise<MailResult>;
}

export interface MailerOptions {
  smtpUrl: string;
  from: string;
  deadlineMs?: number;
}

/** For the whole send, from the DNS lookup to the last response: a slow server must not block a mail indefinitely. */
export const MAIL_DEADLINE_MS = 60_000;
const STEP_TIMEOUT_MS = 15_000;

export function createMailer({ smtpUrl, from, deadlineMs = MAIL_DEADLINE_MS }: MailerOptions): Mailer {
  const stepMs = Math.min(STEP_TIMEOUT_MS, deadlineMs);
  const transport = createTransport({
    url: smtpUrl,
    dnsTimeout: stepMs,
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    // The mail's content is only what is in the outbox: it never loads a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');
  return {
    async send(mail) {
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise<MailResult>((resolve) => {
        timer = setTimeout(
          () => resolve({ kind: 'failed', error: 'The mail server did not respond in time.' }),
          deadlineMs,
        );
      });
      const sending = transport
        .sendMail({
          from,
          // An object is always a single address; a string would be parsed as a list.
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          date: new Date(mail.createdAt),
          messageId: `<${mail.id}@${domain}>`,
          // Prevents automatic replies to an address that nobody reads.
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        .then((): MailResult => ({ kind: 'sent' }), toResult);
      return Promise.race([sending, deadline]).finally(() => clearTimeout(timer));
    },
  };
}

const MAX_ERROR_LENGTH = 500;

function toResult(cause: unknown): MailResult {
  const { message, code, command, responseCode } = readError(cause);
  const error = `${message}${code === '' ? '' : ` (${code})`}`.slice(0, MAX_ERROR_LENGTH);
  const isRecipientRefused = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500;
  return { kind: isRecipientRefused ? 'refused' : 'failed', error };
}

function readError(cause: unknown): { message: string; code: string; command: string; responseCode: number } {
  if (!(cause instanceof Error)) return { message: String(cause), code: '', command: '', responseCode: 0 };
  const text = (name: string): string => String(Reflect.get(cause, name) ?? '');
  return {
    message: cause.message,
    code: text('code'),
    command: text('command'),
    responseCode: Number(text('responseCode')) || 0,
  };
}
