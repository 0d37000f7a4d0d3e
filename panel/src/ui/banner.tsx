import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

export type Tone = 'info' | 'good' | 'warn' | 'danger';

const TONES = {
  info: { color: 'text-accent', Icon: Info },
  good: { color: 'text-good', Icon: CircleCheck },
  warn: { color: 'text-warn', Icon: TriangleAlert },
  danger: { color: 'text-danger', Icon: CircleAlert },
} as const satisfies Record<Tone, unknown>;

export interface BannerProps {
  tone: Tone;
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
}

export function Banner({ tone, title, children, actions, className }: BannerProps) {
  const { color, Icon } = TONES[tone];
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={classes('flex gap-3 rounded-lg border px-4 py-3 tint tint-line', color, className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 text-ink">
          {title !== undefined && <p className="font-medium">{title}</p>}
          {children !== undefined && <div className={title === undefined ? '' : 'text-ink-soft'}>{children}</div>}
        </div>
        {actions !== undefined && <div className="flex gap-2">{actions}</div>}
      </div>
    </div>
  );
}
