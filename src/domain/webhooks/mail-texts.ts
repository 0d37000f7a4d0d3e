// Texts of mails about webhooks. Plain text without customer data or secrets.
import { countOf, plural } from '../counts.ts';
import type { EndpointKind } from './events.ts';
import { describeDuration, formatWithOffset, type Instant } from '../time.ts';

export interface MailText {
  subject: string;
  text: string;
}

export interface FailingFacts {
  restaurantName: string;
  /** The integrator's id for the restaurant. */
  providerRestaurantId: string;
  timeZone: string;
  endpoint: EndpointKind;
  url: string | null;
  failingSince: Instant;
  lastError: string | null;
  waiting: number;
  failedAttempts: number;
  now: Instant;
  publicUrl: string;
}

const NAMES: Record<EndpointKind, string> = { status: 'Status Update Webhook URL', cancel: 'Cancel Webhook URL' };

export function failingText(facts: FailingFacts): MailText {
  return {
    subject: `Webhooks to ${nameOf(facts)} are failing`,
    text: lines(
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${formatTime(facts.failingSince, facts)}.`,
      '',
      ...describeTrouble(facts),
      '',
      'No webhook is lost. Each one is retried after 1, 5 and 15 minutes, after 1 and 4 hours, and then every 24 hours.',
      '',
      'What to do:',
      '- Check that your receiver is running and responds with a status from 200 to 299 within 5 seconds.',
      '- Check its host name and its certificate. It must not be self-signed.',
      '- If the receiver has moved, register the new URL under Settings → Integration.',
      '- When it works again, resend the waiting webhooks from the webhook log, or wait for the next attempts.',
      '',
      `Panel: ${facts.publicUrl}`,
      '',
      'We will email you when it works again. If it still fails after 24 hours, our support will contact you.',
    ),
  };
}

export function caseOpenedText(
  facts: FailingFacts,
  support: {
    caseId: string;
    contacts: readonly string[];
    lastErrors: readonly { at: Instant; error: string | null }[];
  },
): MailText {
  return {
    subject: `Support case: webhooks to ${nameOf(facts)} have failed for 24 hours`,
    text: lines(
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${formatTime(facts.failingSince, facts)}.`,
      'Please contact the integrator.',
      '',
      `Contact:     ${support.contacts.map(toLine).join(', ') || 'none. Add a contact email to the restaurant'}`,
      ...describeTrouble(facts),
      '',
      'Last errors:',
      ...support.lastErrors.map(({ at, error }) => `- ${formatTime(at, facts)}: ${toLine(error ?? 'unknown')}`),
      '',
      'Open the case to see details, check the endpoint and record that you contacted the integrator:',
      `${facts.publicUrl}/operator/support/${support.caseId}`,
      '',
      'The case closes automatically when the endpoint accepts a webhook.',
    ),
  };
}

/** For the operator, if the restaurant has no address for notices. */
export function noRecipientText(facts: FailingFacts): MailText {
  return {
    subject: `Webhooks to ${nameOf(facts)} are failing, and the restaurant has no email address`,
    text: lines(
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${formatTime(facts.failingSince, facts)}.`,
      'Nobody at the restaurant was notified, because it has neither a contact email nor an owner with an account.',
      '',
      ...describeTrouble(facts),
      '',
      'What to do: notify the restaurant. Then sign in as it from the console, and add a contact email under Settings → Restaurant.',
      '',
      `Console: ${facts.publicUrl}`,
    ),
  };
}

export interface RecoveryFacts extends FailingFacts {
  recoveredAt: Instant;
  /** Start of a new outage, if there is one. */
  failsAgainSince: Instant | null;
}

export function recoveredText(facts: RecoveryFacts): MailText {
  return {
    subject: `Webhooks to ${nameOf(facts)} work again`,
    text: lines(
      ...describeRecovery(facts),
      '',
      ...(facts.waiting === 0
        ? ['No webhooks are waiting.']
        : [
            `${countOf(facts.waiting, 'webhook')} still ${plural(facts.waiting, 'waits', 'wait')} for the next attempt.`,
            'To get them now, resend them from the webhook log.',
          ]),
      '',
      `Panel: ${facts.publicUrl}`,
    ),
  };
}

export function caseClosedText(facts: RecoveryFacts): MailText {
  return {
    subject: `Support case closed: webhooks to ${nameOf(facts)} work again`,
    text: lines(
      ...describeRecovery(facts),
      'The support case is closed.',
      '',
      `Waiting:     ${countOf(facts.waiting, 'webhook')}`,
      '',
      `Console: ${facts.publicUrl}`,
    ),
  };
}

export function mailRefusedText(mail: { to: string; subject: string; error: string; publicUrl: string }): MailText {
  return {
    subject: `Email to ${toLine(mail.to)} was rejected`,
    text: lines(
      `The mail server permanently rejected the recipient ${toLine(mail.to)}:`,
      toLine(mail.error),
      '',
      `Subject: ${toLine(mail.subject)}`,
      '',
      'It will not be retried. Correct the address, and notify the recipient in another way.',
      '',
      `Console: ${mail.publicUrl}`,
    ),
  };
}

function describeTrouble(facts: FailingFacts): string[] {
  return [
    `Address:     ${facts.url === null ? 'none' : new URL(facts.url).origin}`,
    `Failing for: ${describeDuration(facts.now - facts.failingSince)}`,
    `Last error:  ${toLine(facts.lastError ?? 'unknown')}`,
    `Waiting:     ${countOf(facts.waiting, 'webhook')}, after ${countOf(facts.failedAttempts, 'failed attempt')}`,
  ];
}

function describeRecovery(facts: RecoveryFacts): string[] {
  const { failsAgainSince } = facts;
  const first =
    `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} accepted a webhook at ${formatTime(facts.recoveredAt, facts)}, ` +
    `after it had failed for ${describeDuration(facts.recoveredAt - facts.failingSince)}.`;
  if (failsAgainSince === null) return [first];
  return [
    first,
    `It has been failing again since ${formatTime(failsAgainSince, facts)}. We will email you if that continues.`,
  ];
}

function nameOf(facts: Pick<FailingFacts, 'restaurantName' | 'providerRestaurantId'>): string {
  return `${toLine(facts.restaurantName)} (${toLine(facts.providerRestaurantId)})`;
}

function formatTime(at: Instant, { timeZone }: Pick<FailingFacts, 'timeZone'>): string {
  const text = formatWithOffset(at, timeZone);
  return `${text.slice(0, 10)} ${text.slice(11, 19)} (UTC${text.slice(23)})`;
}

// Names and errors come from outside and must not be able to imitate lines of the mail.
function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function lines(...parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}
