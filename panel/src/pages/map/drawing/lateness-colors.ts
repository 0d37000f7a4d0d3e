import type { Lateness } from '../model/orders.ts';

/** Colors for lateness; text always accompanies them. */
export const TONE_TEXTS = {
  good: 'text-good',
  warn: 'text-warn',
  danger: 'text-danger',
  neutral: 'text-ink-soft',
} as const satisfies Record<Lateness['tone'], string>;
