import { refuse, type Refusal } from '../../../domain/refusals.ts';

export function tooManyAttempts(retryAfterSeconds: number, alternative = ''): Refusal {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = minutes === 1 ? '1 minute' : `${minutes} minutes`;
  return { ...refuse('RATE_001', `Too many attempts. Try again in ${wait}${alternative}`), retryAfterSeconds };
}
