import type { Map as Maplibre } from 'maplibre-gl';
import { useCallback, useSyncExternalStore } from 'react';
import type { Place } from '../../../src/domain/geo.ts';
import { mapTexts } from '../texts/planning/map.ts';
import { goNorth, metersPerPixel, ringsToLabel } from './geometry.ts';
import { MapMarker } from './marker.tsx';

/** Distance labels of the rings that have room. In HTML, because map labels would need externally hosted fonts. */
export function MapRingLabels({ map, around }: { map: Maplibre; around: Place }) {
  const watchZoom = useCallback(
    (listener: () => void) => {
      map.on('zoomend', listener);
      return () => void map.off('zoomend', listener);
    },
    [map],
  );
  const zoom = useSyncExternalStore(watchZoom, () => map.getZoom());
  return ringsToLabel(metersPerPixel(around.latitude, zoom)).map((meters) => (
    <MapMarker key={meters} map={map} place={goNorth(around, meters)}>
      <span aria-hidden className="tabular rounded-sm bg-sunken px-1 text-2xs text-ink-faint">
        {mapTexts.meters(meters)}
      </span>
    </MapMarker>
  ));
}
