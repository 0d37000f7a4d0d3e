// What mails about webhooks say. Plain text; a subject and a body, nothing of a customer and no secret.
import type { EndpointKind } from './events.ts';
import { formatWithOffset, HOUR_MS, MINUTE_MS, type Instant } from '../time.ts';

export interface MailText {
  subject: string;
  text: string;
}

export interface FailingFacts {
  restaurantName: string;
  /** The integrator's id of the restaurant. */
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
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${tellTime(facts.failingSince, facts)}.`,
      '',
      ...describeTrouble(facts),
      '',
      'Nothing is lost: every webhook is kept and tried again, after 1, 5 and 15 minutes, 1 and 4 hours, then daily.',
      '',
      'What to do:',
      '- Check that the receiver runs and answers with a status from 200 to 299 within 5 seconds.',
      '- Check its certificate and its name: HTTPS only, nothing self-signed.',
      '- If it has moved, register the new URL: Settings, Integration.',
      '- Once it works, send what waits at once from the webhook log, instead of waiting for the next attempt.',
      '',
      `Panel: ${facts.publicUrl}`,
      '',
      'You get one more mail when it works again. If it still fails after 24 hours, our support will contact you.',
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
    subject: `Support case: webhooks to ${nameOf(facts)} fail for 24 hours`,
    text: lines(
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${tellTime(facts.failingSince, facts)}.`,
      'Please contact the integrator.',
      '',
      `Contact:     ${support.contacts.map(toLine).join(', ') || 'none is known; add one to the restaurant'}`,
      ...describeTrouble(facts),
      '',
      'Last errors:',
      ...support.lastErrors.map(({ at, error }) => `- ${tellTime(at, facts)}: ${toLine(error ?? 'unknown')}`),
      '',
      'What to do:',
      `- Look at it:            support show ${support.caseId}`,
      `- Try the endpoint:      support probe ${support.caseId}`,
      `- Say that you wrote:    support contacted ${support.caseId}`,
      '',
      `Console: ${facts.publicUrl}`,
      '',
      'The case closes by itself when the endpoint accepts a webhook.',
    ),
  };
}

/** Nobody at the restaurant can be told, so the operator is. */
export function nobodyToTellText(facts: FailingFacts): MailText {
  return {
    subject: `Webhooks to ${nameOf(facts)} are failing, and it has no address to write to`,
    text: lines(
      `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} has not accepted a webhook since ${tellTime(facts.failingSince, facts)}.`,
      'The restaurant has neither a contact e-mail nor an owner with an account, so nobody there was told.',
      '',
      ...describeTrouble(facts),
      '',
      'What to do: tell the restaurant, and add an address with',
      `restaurant set --restaurant ${toLine(facts.providerRestaurantId)} --contact-email E`,
      '',
      `Console: ${facts.publicUrl}`,
    ),
  };
}

export interface RecoveryFacts extends FailingFacts {
  recoveredAt: Instant;
  /** Since when it fails again, if it does. */
  failsAgainSince: Instant | null;
}

export function recoveredText(facts: RecoveryFacts): MailText {
  return {
    subject: `Webhooks to ${nameOf(facts)} work again`,
    text: lines(
      ...describeRecovery(facts),
      '',
      ...(facts.waiting === 0
        ? ['Nothing waits any more.']
        : [
            `${countOf(facts.waiting, 'webhook')} still ${facts.waiting === 1 ? 'waits' : 'wait'} for the next attempt.`,
            'To have them at once, send them again from the webhook log.',
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
    subject: `A mail to ${toLine(mail.to)} was refused`,
    text: lines(
      `The mail server refused the recipient ${toLine(mail.to)} for good:`,
      toLine(mail.error),
      '',
      `Subject of the mail: ${toLine(mail.subject)}`,
      '',
      'It is not tried again. Correct the address, and tell whoever should have got the mail in another way.',
      '',
      `Console: ${mail.publicUrl}`,
    ),
  };
}

function describeTrouble(facts: FailingFacts): string[] {
  return [
    `Address:     ${facts.url === null ? 'none' : new URL(facts.url).origin}`,
    `Failing for: ${tellDuration(facts.now - facts.failingSince)}`,
    `Last error:  ${toLine(facts.lastError ?? 'unknown')}`,
    `Waiting:     ${countOf(facts.waiting, 'webhook')}, after ${countOf(facts.failedAttempts, 'failed attempt')}`,
  ];
}

function describeRecovery(facts: RecoveryFacts): string[] {
  const { failsAgainSince } = facts;
  const first =
    `The ${NAMES[facts.endpoint]} of ${nameOf(facts)} accepted a webhook at ${tellTime(facts.recoveredAt, facts)}, ` +
    `after ${tellDuration(facts.recoveredAt - facts.failingSince)} of failing.`;
  if (failsAgainSince === null) return [first];
  return [first, `It fails again since ${tellTime(failsAgainSince, facts)}; you are told if that lasts.`];
}

function nameOf(facts: Pick<FailingFacts, 'restaurantName' | 'providerRestaurantId'>): string {
  return `${toLine(facts.restaurantName)} (${toLine(facts.providerRestaurantId)})`;
}

function tellTime(at: Instant, { timeZone }: Pick<FailingFacts, 'timeZone'>): string {
  const text = formatWithOffset(at, timeZone);
  return `${text.slice(0, 10)} ${text.slice(11, 19)} (UTC${text.slice(23)})`;
}

function tellDuration(durationMs: number): string {
  const minutes = Math.max(0, Math.floor(durationMs / MINUTE_MS));
  if (minutes < 120) return countOf(minutes, 'minute');
  return countOf(Math.floor(durationMs / HOUR_MS), 'hour');
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

// Names and errors come from outside: none of them may look like a line of ours.
function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function lines(...parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}
