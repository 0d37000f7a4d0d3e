import type { ReactNode } from 'react';
import type { OrderState } from '../../../../src/domain/orders/order.ts';
import { stateTexts } from '../../texts/orders/states.ts';
import { classes } from '../../ui/class-names.ts';
import { STATE_COLORS } from './state-colors.ts';

export type BadgeTone = 'neutral' | 'accent' | 'good' | 'warn' | 'danger';

const TONES: Record<BadgeTone, string> = {
  neutral: 'text-ink-soft',
  accent: 'text-accent',
  good: 'text-good',
  warn: 'text-warn',
  danger: 'text-danger',
};

const SHAPE = 'inline-flex items-center gap-1.5 rounded-full border px-2 py-0.5 text-xs font-medium whitespace-nowrap';

export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={classes(SHAPE, 'tint tint-line', TONES[tone])}>{children}</span>;
}

/** A state in its color, always with its name: color alone is not accessible. */
export function StateBadge({ state }: { state: OrderState }) {
  return (
    <span className={classes(SHAPE, 'tint tint-line', STATE_COLORS[state].text)}>
      <span aria-hidden className="size-1.5 rounded-full bg-current" />
      {stateTexts[state].name}
    </span>
  );
}
