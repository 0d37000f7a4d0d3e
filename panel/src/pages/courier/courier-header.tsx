import { Menu } from 'lucide-react';
import type { KnownWork } from '../../api/couriers/courier.ts';
import { classes } from '../../ui/class-names.ts';
import { formatZoned } from '../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../ui/time/zone.ts';
import { courierTexts } from '../../texts/couriers/courier.ts';
import { Mark } from '../../shell/logo.tsx';

export interface CourierHeaderProps {
  work: KnownWork;
  isShiftOver: boolean;
  onOpenMenu: () => void;
}

export function CourierHeader({ work, isShiftOver, onOpenMenu }: CourierHeaderProps) {
  const timeZone = useRestaurantZone();
  const { onDuty } = work.courier;
  const { shiftEndsAt } = work;
  const shiftWords = isShiftOver ? courierTexts.shiftEnded : courierTexts.shiftUntil;
  return (
    <header className="flex items-center gap-3 border-b-2 bg-surface px-4 py-1.5">
      <Mark className="size-8 shrink-0" />
      <p className="flex min-w-0 flex-1 items-center gap-2.5 text-lg font-semibold">
        <span
          aria-hidden
          className={classes('size-3 shrink-0 rounded-full', onDuty ? 'bg-good' : 'border-2 border-ink-faint')}
        />
        <span>{onDuty ? courierTexts.onDuty : courierTexts.offDuty}</span>
        {onDuty && shiftEndsAt !== null && (
          <span className="truncate font-normal tabular">
            {shiftWords(formatZoned(Date.parse(shiftEndsAt), timeZone, 'time'))}
          </span>
        )}
      </p>
      <button
        type="button"
        aria-label={courierTexts.menu}
        onClick={onOpenMenu}
        className="-mr-2 grid size-14 shrink-0 place-items-center rounded-xl hover:bg-hover"
      >
        <Menu aria-hidden className="size-7" />
      </button>
    </header>
  );
}
