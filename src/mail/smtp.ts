// One mail to one mail server. Says what came of it; everything about trying again is its caller's.
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
  /** The server will never take mail for this recipient. */
  | { kind: 'refused'; error: string }
  /** It may work later: the server is away, slow, or set up wrongly. */
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

/** For everything from the name of the server to its last answer: a server that drips must not hold a mail for ever. */
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
    // A mail is what is in the outbox: it names no file and no address to fetch something from.
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
          // As an object it is one address, whatever it holds; as text it would be a list.
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          date: new Date(mail.createdAt),
          messageId: `<${mail.id}@${domain}>`,
          // Keeps holiday replies away from an address that nobody reads.
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        .then((): MailResult => ({ kind: 'sent' }), toResult);
      return Promise.race([sending, deadline]).finally(() => clearTimeout(timer));
    },
  };
}

const LONGEST_ERROR = 500;

function toResult(cause: unknown): MailResult {
  const { message, code, command, responseCode } = readError(cause);
  const error = `${message}${code === '' ? '' : ` (${code})`}`.slice(0, LONGEST_ERROR);
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
