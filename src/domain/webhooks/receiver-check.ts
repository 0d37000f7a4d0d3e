// What an integrator's receiver must handle, as a short series of requests about an order that does not exist, and what
// each answer shows about the receiver. Pure: the caller sends the requests.
import { testEventBody, type TestEventSource } from './test-event.ts';
import { MINUTE_MS, type Instant } from '../time.ts';

export const CHECK_CASES = [
  'valid',
  'duplicate',
  'older',
  'wrong-signature',
  'unknown-field',
  'acknowledgement',
] as const;
export type CheckCase = (typeof CHECK_CASES)[number];

export const VERDICTS = ['pass', 'warn', 'fail', 'skipped'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const FINDINGS = [
  'handled',
  /** No answer, or none in time. */
  'not-reached',
  /** An earlier request did not get through, so this one would show nothing. */
  'not-tried',
  /** A correct signature was answered with 401. */
  'good-signature-refused',
  'refused',
  /** A wrong signature was accepted. */
  'forgery-accepted',
  /** A wrong signature was rejected, but not with 401. */
  'other-status',
  'no-secret',
  'slow',
] as const;
export type Finding = (typeof FINDINGS)[number];

/** Number of requests sent together to measure how fast the receiver acknowledges. */
const BURST_SIZE = 5;
/** Contract 6.4.5: acknowledge fast. Slower answers leave too little of the five seconds under load. */
const SLOW_MS = 2_000;

export interface CheckSubject extends Omit<TestEventSource, 'eventId'> {
  /** New for each check, so that its order ids never match real orders. */
  mark: string;
}

export interface CheckRequest {
  /** The same for a duplicate; sent only if delivery metadata is on. */
  eventId: string;
  body: string;
  /** Sign with the secret, or with a value that cannot be the secret. */
  signature: 'good' | 'wrong';
}

/** The requests of a case. They are sent concurrently; cases run one after another. */
export function requestsOf(name: CheckCase, subject: CheckSubject): CheckRequest[] {
  const { at } = subject;
  switch (name) {
    case 'valid':
    case 'duplicate':
      return [requestAbout(subject, { at, order: 'a' })];
    case 'older':
      return [requestAbout(subject, { at: at - MINUTE_MS, order: 'a' })];
    case 'wrong-signature':
      return [{ ...requestAbout(subject, { at, order: 'b' }), signature: 'wrong' }];
    case 'unknown-field': {
      const request = requestAbout(subject, { at, order: 'c' });
      return [{ ...request, body: withUnknownField(request.body) }];
    }
    case 'acknowledgement':
      return Array.from({ length: BURST_SIZE }, (_, index) => requestAbout(subject, { at, order: `d${index + 1}` }));
  }
}

/** A test event, as in the check of a URL: one prefix marks every event without a real order. */
function requestAbout({ mark, ...source }: CheckSubject, { at, order }: { at: Instant; order: string }): CheckRequest {
  const body = testEventBody({ ...source, at, eventId: `receiver-check-${mark}-${order}` });
  return { eventId: `receiver-check-${mark}-${order}-${at}`, body, signature: 'good' };
}

function withUnknownField(body: string): string {
  return body.replace(/}$/, ',"waybillTest":"A field that may be added one day"}');
}

export interface CheckAnswer {
  isAccepted: boolean;
  /** Null if there was no answer in time. */
  status: number | null;
  totalMs: number;
}

export interface Judgment {
  verdict: Verdict;
  finding: Finding;
}

/** Judges the answers to all requests of a case. */
export function judgeAnswers(name: CheckCase, answers: readonly CheckAnswer[]): Judgment {
  if (answers.some(({ status }) => status === null)) return { verdict: 'fail', finding: 'not-reached' };
  if (name === 'wrong-signature') return judgeForgery(answers);
  const refusal = answers.find(({ isAccepted }) => !isAccepted);
  if (refusal !== undefined) {
    return { verdict: 'fail', finding: refusal.status === 401 ? 'good-signature-refused' : 'refused' };
  }
  const isSlow = answers.some(({ totalMs }) => totalMs > SLOW_MS);
  return isSlow ? { verdict: 'warn', finding: 'slow' } : { verdict: 'pass', finding: 'handled' };
}

function judgeForgery(answers: readonly CheckAnswer[]): Judgment {
  if (answers.some(({ isAccepted }) => isAccepted)) return { verdict: 'fail', finding: 'forgery-accepted' };
  if (answers.every(({ status }) => status === 401)) return { verdict: 'pass', finding: 'handled' };
  // A 5xx error would also be returned for a correct signature; any other refusal at least rejects the request.
  const hasFailed = answers.some(({ status }) => status !== null && status >= 500);
  return { verdict: hasFailed ? 'fail' : 'warn', finding: 'other-status' };
}
