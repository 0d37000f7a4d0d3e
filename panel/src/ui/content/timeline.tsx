import type { ReactNode } from 'react';
import { classes } from '../class-names.ts';

export interface TimelineEntry {
  key: string;
  /** A text color class, also used by the dot. */
  color: string;
  /** A large dot for a change of state, a small one for events in between. */
  isMajor?: boolean;
  title: ReactNode;
  time: ReactNode;
  children?: ReactNode;
}

export function Timeline({ label, entries }: { label: string; entries: readonly TimelineEntry[] }) {
  return (
    <ol aria-label={label} className="flex flex-col">
      {entries.map((entry) => (
        <li key={entry.key} className="group relative flex gap-4 pb-5 last:pb-0">
          <span aria-hidden className="absolute top-5 bottom-0 left-[0.5625rem] w-px bg-line group-last:hidden" />
          <span aria-hidden className={classes('grid h-5.5 w-5 shrink-0 place-items-center', entry.color)}>
            <span className={classes('rounded-full bg-current', entry.isMajor === true ? 'size-2.5' : 'size-1.5')} />
          </span>
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <div className={classes('min-w-0', entry.isMajor === true && 'font-medium')}>{entry.title}</div>
              <div className="text-sm text-ink-faint">{entry.time}</div>
            </div>
            {entry.children}
          </div>
        </li>
      ))}
    </ol>
  );
}
