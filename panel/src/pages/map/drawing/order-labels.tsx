// Order numbers beside their drop-offs, where there is room. For sighted pointer users only: the list has the same
// content and is reachable by keyboard.
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
  /** Labels without an entry do not fit. */
  sides: ReadonlyMap<string, Side>;
  chosenId: string | undefined;
  onChoose: (orderId: string) => void;
}

/** More labels than this are unreadable. */
const MAX_LABELS = 120;

export function OrderLabels({ map, labels, sides, chosenId, onChoose }: OrderLabelsProps) {
  return labels.map(({ id, place, text, tone }) => {
    const side = sides.get(id);
    if (side === undefined) return null;
    return (
      // The side is in the key because a marker's anchor is fixed when it is created.
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
 * The selected order first, then by lateness: earlier ones get room first. On narrow maps, only the color shows
 * lateness.
 */
export function listLabels(
  orders: readonly MapOrder[],
  { chosenId, now, isWide }: { chosenId: string | undefined; now: number; isWide: boolean },
): OrderLabel[] {
  const sorted = sortByLateness(orders, now);
  const first = [...sorted.filter(({ id }) => id === chosenId), ...sorted.filter(({ id }) => id !== chosenId)];
  return first.slice(0, MAX_LABELS).flatMap(({ id, orderNumber, dropoff, ...order }) => {
    const { tone, words } = describeLateness(order, now);
    const number = mapTexts.number(orderNumber);
    const isLate = tone === 'warn' || tone === 'danger';
    const text = isLate && isWide ? `${number} ${words}` : number;
    return dropoff === null ? [] : [{ id, place: dropoff, text, tone }];
  });
}
