import type { Lateness } from '../model/orders.ts';

/** Lateness in colour; words always stand beside it. */
export const TONE_TEXTS = {
  good: 'text-good',
  warn: 'text-warn',
  danger: 'text-danger',
  neutral: 'text-ink-soft',
} as const satisfies Record<Lateness['tone'], string>;
