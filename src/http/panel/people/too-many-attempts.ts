import { countOf } from '../../../domain/counts.ts';
import { refuse, type Refusal } from '../../../domain/refusals.ts';

export function tooManyAttempts(retryAfterSeconds: number, alternative = ''): Refusal {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait = countOf(minutes, 'minute');
  return { ...refuse('RATE_001', `Too many attempts. Try again in ${wait}${alternative}`), retryAfterSeconds };
}
