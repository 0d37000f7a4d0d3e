import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { classes } from '../../../ui/class-names.ts';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { nameOfStop } from './name.ts';

export interface StopListProps {
  stops: readonly CourierStop[];
  shown: CourierStop;
  onShow: (stop: CourierStop) => void;
}

/** In the planned order; the courier may open any of them first, because streets do not always match plans. */
export function StopList({ stops, shown, onShow }: StopListProps) {
  const timeZone = useRestaurantZone();
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-lg font-bold">{courierTexts.otherStops}</h2>
      <ol className="flex flex-col gap-2">
        {stops.map((stop, index) => (
          <li key={`${stop.orderId} ${stop.kind}`}>
            <button
              type="button"
              aria-current={stop === shown ? 'step' : undefined}
              onClick={() => onShow(stop)}
              className={classes(
                'flex min-h-16 w-full items-center gap-4 rounded-xl border-2 px-4 py-2 text-left',
                stop === shown ? 'border-ink' : 'border-line',
              )}
            >
              <span
                aria-hidden
                className={classes(
                  'grid size-9 shrink-0 place-items-center text-lg font-bold',
                  stop.kind === 'pickup' ? 'rounded-md' : 'rounded-full',
                  stop === shown ? 'bg-ink text-on-ink' : 'border-2 border-ink',
                )}
              >
                {index + 1}
              </span>
              <span className="min-w-0 flex-1">
                <span className="block text-base font-medium text-ink-soft">{courierTexts.stopKinds[stop.kind]}</span>
                <span className="block truncate text-lg font-bold">{nameOfStop(stop)}</span>
                <span className="block truncate text-base font-medium">{courierTexts.order(stop.handoverCode)}</span>
              </span>
              {stop.plannedAt !== null && (
                <span className="text-lg font-medium tabular">
                  {formatZoned(Date.parse(stop.plannedAt), timeZone, 'time')}
                </span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
