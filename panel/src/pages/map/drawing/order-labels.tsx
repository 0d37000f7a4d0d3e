// The numbers of orders beside their drop-offs, as far as there is room. The list says the same and can be reached by
// keyboard, so these are for eyes and pointers alone.
import type { Map as Maplibre } from 'maplibre-gl';
import type { MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { classes } from '../../../ui/class-names.ts';
import { MapMarker } from '../../../map/marker.tsx';
import { mapTexts } from '../../../texts/planning/map.ts';
import type { Side } from './label-layout.ts';
import { LEVELS } from './layers.ts';
import { describeLateness, sortByLateness, type Lateness } from '../model/orders.ts';
import { TONE_TEXTS } from './lateness-colors.ts';

export interface OrderLabel {
  id: string;
  place: Place;
  text: string;
  tone: Lateness['tone'];
}

export interface OrderLabelsProps {
  map: Maplibre;
  labels: readonly OrderLabel[];
  /** Those without one have no room. */
  sides: ReadonlyMap<string, Side>;
  chosenId: string | undefined;
  onChoose: (orderId: string) => void;
}

/** More names than this are a carpet. */
const MOST_LABELS = 120;

export function OrderLabels({ map, labels, sides, chosenId, onChoose }: OrderLabelsProps) {
  return labels.map(({ id, place, text, tone }) => {
    const side = sides.get(id);
    if (side === undefined) return null;
    return (
      // Which side it hangs on is decided when a marker is made.
      <MapMarker
        key={`${id} ${side}`}
        map={map}
        place={place}
        anchor={side === 'right' ? 'left' : 'right'}
        level={id === chosenId ? LEVELS.stop : LEVELS.label}
      >
        <span
          aria-hidden
          onClick={() => onChoose(id)}
          className={classes(
            'tabular mx-2.5 block cursor-pointer rounded-sm border bg-surface/95 px-1.5 text-2xs font-medium whitespace-nowrap shadow-card',
            tone === 'good' || tone === 'neutral' ? 'text-ink' : TONE_TEXTS[tone],
            id === chosenId && 'border-current',
            chosenId !== undefined && id !== chosenId && 'opacity-60',
          )}
        >
          {text}
        </span>
      </MapMarker>
    );
  });
}

/**
 * The chosen one first, then by lateness: whoever comes first has room. Where there is little, the colour alone tells
 * what is late.
 */
export function listLabels(
  orders: readonly MapOrder[],
  { chosenId, now, isWide }: { chosenId: string | undefined; now: number; isWide: boolean },
): OrderLabel[] {
  const sorted = sortByLateness(orders, now);
  const first = [...sorted.filter(({ id }) => id === chosenId), ...sorted.filter(({ id }) => id !== chosenId)];
  return first.slice(0, MOST_LABELS).flatMap(({ id, orderNumber, dropoff, ...order }) => {
    const { tone, words } = describeLateness(order, now);
    const number = mapTexts.number(orderNumber);
    const isLate = tone === 'warn' || tone === 'danger';
    const text = isLate && isWide ? `${number} ${words}` : number;
    return dropoff === null ? [] : [{ id, place: dropoff, text, tone }];
  });
}
