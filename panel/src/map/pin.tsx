import type { ReactNode } from 'react';
import { classes } from '../ui/class-names.ts';

export interface MapPinProps {
  /** Shown beside the pin, and its name for screen readers. */
  label: string;
  /** Side of the label, away from neighbors; none if there is no room. */
  side?: 'left' | 'right' | 'none';
  icon: ReactNode;
  /** A text color class, also used for the pin. */
  color: string;
}

/** The tip of the pin marks its place, so its marker is anchored at the bottom. */
export function MapPin({ label, side = 'right', icon, color }: MapPinProps) {
  return (
    <div role="img" aria-label={label} className={classes('relative flex flex-col items-center', color)}>
      <span className="grid size-8 place-items-center rounded-full border-2 border-surface bg-current shadow-float">
        <span aria-hidden className="text-surface [&>svg]:size-4">
          {icon}
        </span>
      </span>
      <span aria-hidden className="-mt-1 size-2 rotate-45 bg-current" />
      {side !== 'none' && (
        <span
          aria-hidden
          className={classes(
            'absolute top-1/2 -translate-y-1/2 rounded-sm bg-surface/90 px-1.5 py-0.5 text-xs font-medium whitespace-nowrap text-ink shadow-card',
            side === 'right' ? 'left-full ml-1' : 'right-full mr-1',
          )}
        >
          {label}
        </span>
      )}
    </div>
  );
}
