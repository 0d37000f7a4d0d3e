import type { Map as Maplibre } from 'maplibre-gl';
import { useCallback, useEffect, useState } from 'react';
import type { MapAnswer } from '../../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { mapTexts } from '../../../texts/planning/map.ts';
import { groupTogether, layOutLabels, type LabelLayout, type Spot } from './label-layout.ts';
import type { OrderLabel } from './order-labels.tsx';
import type { RouteStop } from '../model/route-stops.ts';

/** Below this width, couriers have no names and orders only numbers. */
const WIDE_FROM_PX = 672;

export function isWide(map: Maplibre): boolean {
  return map.getContainer().clientWidth >= WIDE_FROM_PX;
}

/** One or several restaurants at one place. */
export interface MapHome {
  id: string;
  name: string;
  place: Place;
}

export interface DrawnLabels extends LabelLayout {
  homes: readonly MapHome[];
}

/** Recomputed whenever the map stops moving or its content changes. */
export function useLabelLayout(
  map: Maplibre,
  shown: Pick<MapAnswer, 'restaurants' | 'couriers'> & {
    labels: readonly OrderLabel[];
    stops: readonly RouteStop[];
  },
): DrawnLabels {
  useMapMoves(map);
  const toSpot = ({ latitude, longitude }: Place): Spot => map.project([longitude, latitude]);
  const homes = groupTogether(
    shown.restaurants.flatMap(({ id, name, place }) =>
      place === null ? [] : [{ id, name, place, spot: toSpot(place) }],
    ),
  ).map(([first, ...others]) => ({ ...first, name: mapTexts.together([first, ...others].map(({ name }) => name)) }));
  const layout = layOutLabels({
    widthPx: map.getContainer().clientWidth,
    pins: homes.map(({ id, name, spot }) => ({ id, text: name, spot })),
    couriers: shown.couriers.flatMap(({ id, name, position }) =>
      position === null ? [] : [{ id, text: isWide(map) ? name : null, spot: toSpot(position) }],
    ),
    stops: shown.stops.map(({ key, place, text, numbers }) => ({
      id: key,
      text: `${text}${'000'.repeat(numbers.length)}`,
      spot: toSpot(place),
    })),
    orders: shown.labels.map(({ id, text, place }) => ({ id, text, spot: toSpot(place) })),
  });
  return { ...layout, homes };
}

function useMapMoves(map: Maplibre): void {
  const [, setMoves] = useState(0);
  const count = useCallback(() => setMoves((moves) => moves + 1), []);
  useEffect(() => {
    const listening = map.on('moveend', count);
    return () => listening.unsubscribe();
  }, [map, count]);
}
