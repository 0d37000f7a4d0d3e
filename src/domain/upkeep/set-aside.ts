// Items that a worker could not process and skips, so that everything else is processed.

/** The worker that could not process it. */
export const WORK_KINDS = [
  'planning',
  'deadlines',
  'robots',
  'audit',
  'endpoint_watch',
  'webhooks',
  'erasure',
] as const;
export type Work = (typeof WORK_KINDS)[number];

export const SUBJECT_KINDS = ['order', 'courier', 'restaurant'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export interface Trouble {
  kind: SubjectKind;
  id: string;
  reason: string;
}

export interface SetAside {
  /** Never fails: a trouble that cannot be stored is in the log, and is reported again. */
  report(work: Work, troubles: readonly Trouble[]): Promise<void>;
}

/** Workers report ongoing trouble at least this often. */
export const REPORT_INTERVAL_MS = 30_000;
/** Trouble not reported for this long is considered over. */
export const TROUBLE_OVER_MS = 3 * 60_000;

const MAX_REASON_LENGTH = 500;

/** One line for people to read. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1).join('').slice(0, MAX_REASON_LENGTH).toWellFormed();
}
