// A map for setting one place. It also works offline, without tiles.
import type { Map as Maplibre } from 'maplibre-gl';
import { Flag, Store } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Place } from '../../../src/domain/geo.ts';
import { orderPageTexts } from '../texts/orders/order-page.ts';
import { MapCanvas } from './canvas.tsx';
import { MapMarker } from './marker.tsx';
import { MapPin } from './pin.tsx';
import { NEAR_ZOOM } from './open-map.ts';

export interface PlaceMapProps {
  label: string;
  hint: string;
  /** Names the pin. */
  pinLabel?: string;
  place: Place | undefined;
  /** A known place nearby, for example the pickup. */
  reference: Place | undefined;
  onMove: (place: Place) => void;
}

const MARGIN_PX = 48;

export function PlaceMap(props: PlaceMapProps) {
  const { label, hint, pinLabel = orderPageTexts.dropoffPin, place, reference, onMove } = props;
  const isWest = (place?.longitude ?? 0) < (reference?.longitude ?? 0);
  return (
    <figure className="flex flex-col gap-1.5">
      <MapCanvas
        label={label}
        near={reference ?? place}
        ringsAround={reference ?? place}
        className="h-64 rounded-md border"
        fallback={<p className="text-ink-soft">{orderPageTexts.mapFailed}</p>}
      >
        {(map) => (
          <>
            {reference !== undefined && (
              <MapMarker map={map} place={reference} anchor="bottom">
                <MapPin
                  label={orderPageTexts.pickupPin}
                  side={isWest ? 'right' : 'left'}
                  icon={<Store />}
                  color="text-ink-soft"
                />
              </MapMarker>
            )}
            <ClickedPlace map={map} onMove={onMove} />
            {place !== undefined && (
              <MovablePin map={map} place={place} onMove={onMove}>
                <MapPin label={pinLabel} side={isWest ? 'left' : 'right'} icon={<Flag />} color="text-accent" />
              </MovablePin>
            )}
          </>
        )}
      </MapCanvas>
      <figcaption className="text-sm text-ink-faint">{hint}</figcaption>
    </figure>
  );
}

interface MovablePinProps {
  map: Maplibre;
  place: Place;
  onMove: (place: Place) => void;
  children: ReactNode;
}

function MovablePin({ map, place, onMove, children }: MovablePinProps) {
  const { latitude, longitude } = place;
  useEffect(() => {
    // The margin leaves room for the pin, which is drawn above its place.
    const { x, y } = map.project([longitude, latitude]);
    const { clientWidth, clientHeight } = map.getContainer();
    const isInSight = x > MARGIN_PX && x < clientWidth - MARGIN_PX && y > MARGIN_PX && y < clientHeight - MARGIN_PX;
    if (!isInSight) map.jumpTo({ center: [longitude, latitude], zoom: Math.max(map.getZoom(), NEAR_ZOOM) });
  }, [map, latitude, longitude]);
  return (
    <MapMarker map={map} place={place} anchor="bottom" level={1} onMove={onMove}>
      {children}
    </MapMarker>
  );
}

function ClickedPlace({ map, onMove }: { map: Maplibre; onMove: (place: Place) => void }) {
  const report = useRef(onMove);
  useEffect(() => {
    report.current = onMove;
  }, [onMove]);
  useEffect(() => {
    const listening = map.on('click', ({ lngLat }) => report.current({ latitude: lngLat.lat, longitude: lngLat.lng }));
    return () => listening.unsubscribe();
  }, [map]);
  return null;
}
