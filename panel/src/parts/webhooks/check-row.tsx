import { CircleAlert, CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Verdict } from '../../../../src/domain/webhooks/receiver-check.ts';
import { classes } from '../../ui/class-names.ts';

export type CheckMark = Verdict | 'running';

const MARKS: Record<CheckMark, { Icon: typeof CircleCheck; color: string }> = {
  pass: { Icon: CircleCheck, color: 'text-good' },
  warn: { Icon: CircleAlert, color: 'text-warn' },
  fail: { Icon: CircleX, color: 'text-danger' },
  skipped: { Icon: CircleDashed, color: 'text-ink-faint' },
  running: { Icon: LoaderCircle, color: 'text-ink-faint' },
};

export interface CheckRowProps {
  mark: CheckMark;
  title: string;
  /** The mark as text. */
  verdict: string;
  className?: string;
  children?: ReactNode;
}

/** One item of a checklist: its result and what was observed. */
export function CheckRow({ mark, title, verdict, className, children }: CheckRowProps) {
  const { Icon, color } = MARKS[mark];
  return (
    <li className={classes('flex gap-4', className)}>
      <Icon aria-hidden className={classes('mt-0.5 size-5 shrink-0', color, mark === 'running' && 'animate-spin')} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="font-medium">{title}</p>
          <p className={classes('text-sm font-medium', color)}>{verdict}</p>
        </div>
        {children}
      </div>
    </li>
  );
}
