// The retry schedule of contract 6.4: the delay after the n-th failure, counted from the end of the failed attempt.
import { HOUR_MS, MINUTE_MS, type Instant } from '../time.ts';

export const WAITS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  24 * HOUR_MS,
];

const MAX_WAIT_MS = 24 * HOUR_MS;

export function nextAttemptAt(failures: number, failedAt: Instant): Instant {
  return failedAt + (WAITS_MS[failures - 1] ?? MAX_WAIT_MS);
}
