// The numbers of orders beside their drop-offs, as far as there is room. The list says the same and can be reached by
// keyboard, so these are for eyes and pointers alone.
import type { Map as Maplibre } from 'maplibre-gl';
import { useCallback, useEffect, useState } from 'react';
import type { MapCourier, MapOrder } from '../../../../src/contract/panel/map.ts';
import type { Place } from '../../../../src/domain/geo.ts';
import { classes } from '../../components/class-names.ts';
import { MapMarker } from '../../components/map-marker.tsx';
import { mapTexts } from '../../texts/map.ts';
import { declutter, type Box, type LabelToPlace } from './declutter.ts';
import { LEVELS } from './levels.ts';
import { describeLateness, sortByLateness, type Lateness } from './map-orders.ts';
import { TONE_TEXTS } from './tones.ts';

export interface OrderLabelsProps {
  map: Maplibre;
  orders: readonly MapOrder[];
  /** Their marks are not covered. */
  couriers: readonly MapCourier[];
  chosenId: string | undefined;
  now: number;
  onChoose: (orderId: string) => void;
}

/** More names than this are a carpet. */
const MOST_LABELS = 120;
const LABEL = { characterPx: 7, paddingPx: 18, heightPx: 22, gapPx: 10 } as const;
const COURIER = { widthPx: 34, namedPx: 120, heightPx: 32, namedFromPx: 672 } as const;

type Side = 'left' | 'right';

interface Label {
  id: string;
  place: Place;
  text: string;
  tone: Lateness['tone'];
}

export function OrderLabels({ map, orders, couriers, chosenId, now, onChoose }: OrderLabelsProps) {
  useMapMoves(map);
  const labels = listLabels(orders, chosenId, now);
  const sides = declutter(
    labels.map((label) => measureLabel(map, label)),
    couriers.flatMap(({ position }) => (position === null ? [] : [measureCourier(map, position)])),
  );
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

/** The chosen one first, then by lateness: whoever comes first has room. */
function listLabels(orders: readonly MapOrder[], chosenId: string | undefined, now: number): Label[] {
  const sorted = sortByLateness(orders, now);
  const first = [...sorted.filter(({ id }) => id === chosenId), ...sorted.filter(({ id }) => id !== chosenId)];
  return first.slice(0, MOST_LABELS).flatMap(({ id, orderNumber, dropoff, ...order }) => {
    const { tone, words } = describeLateness(order, now);
    const number = mapTexts.number(orderNumber);
    const text = tone === 'warn' || tone === 'danger' ? `${number} ${words}` : number;
    return dropoff === null ? [] : [{ id, place: dropoff, text, tone }];
  });
}

function measureLabel(map: Maplibre, { id, place, text }: Label): LabelToPlace<Side> {
  const { x, y } = map.project([place.longitude, place.latitude]);
  const size = { width: text.length * LABEL.characterPx + LABEL.paddingPx, height: LABEL.heightPx };
  const top = y - size.height / 2;
  return {
    id,
    places: [
      { side: 'right', box: { left: x + LABEL.gapPx, top, ...size } },
      { side: 'left', box: { left: x - LABEL.gapPx - size.width, top, ...size } },
    ],
  };
}

/** Couriers carry their names where the map is wide. */
function measureCourier(map: Maplibre, place: Place): Box {
  const { x, y } = map.project([place.longitude, place.latitude]);
  const width = map.getContainer().clientWidth >= COURIER.namedFromPx ? COURIER.namedPx : COURIER.widthPx;
  return { left: x - width / 2, top: y - COURIER.heightPx / 2, width, height: COURIER.heightPx };
}

/** Renders again whenever the map has come to rest elsewhere. */
function useMapMoves(map: Maplibre): void {
  const [, setMoves] = useState(0);
  const count = useCallback(() => setMoves((moves) => moves + 1), []);
  useEffect(() => {
    const listening = map.on('moveend', count);
    return () => listening.unsubscribe();
  }, [map, count]);
}
