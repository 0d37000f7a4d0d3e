// A map on which one place is set. It draws without tiles, so it works offline; the pickup and a scale give bearings.
import 'maplibre-gl/dist/maplibre-gl.css';
import { LngLat, Map as Maplibre, Marker, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { useEffect, useRef, useState } from 'react';
import { orderPageTexts } from '../texts/order-page.ts';
import { makePlainStyle } from './plain-map-style.ts';

// From our own address: the page's security policy lets no other script run.
setWorkerUrl(workerUrl);

export interface Place {
  latitude: number;
  longitude: number;
}

export interface PlaceMapProps {
  label: string;
  hint: string;
  /** Names the pin for screen readers. */
  pinLabel?: string;
  place: Place | undefined;
  /** Something known nearby, such as the pickup. */
  reference: Place | undefined;
  onMove: (place: Place) => void;
}

const NEAR_ZOOM = 13;
const FAR_ZOOM = 1;
const MARGIN_PX = 48;

export function PlaceMap(props: PlaceMapProps) {
  const { label, hint, pinLabel = orderPageTexts.dropoffPin, place, reference, onMove } = props;
  const frame = useRef<HTMLDivElement>(null);
  const pin = useRef<{ map: Maplibre; marker: Marker } | null>(null);
  const moved = useRef(onMove);
  const [hasFailed, setHasFailed] = useState(false);
  const start = useRef({ place, reference, pinLabel });
  useEffect(() => {
    moved.current = onMove;
  }, [onMove]);
  useEffect(() => {
    if (frame.current === null) return;
    const opened = openMap(frame.current, start.current);
    if (opened === undefined) {
      setHasFailed(true);
      return;
    }
    const { map, marker } = opened;
    const tell = ({ lat, lng }: LngLat): void => moved.current({ latitude: lat, longitude: lng });
    marker.on('dragend', () => tell(marker.getLngLat()));
    map.on('click', (event) => tell(event.lngLat));
    pin.current = opened;
    return () => {
      pin.current = null;
      map.remove();
    };
  }, []);
  useEffect(() => {
    if (pin.current === null || place === undefined) return;
    const { map, marker } = pin.current;
    const at = new LngLat(place.longitude, place.latitude);
    marker.setLngLat(at).addTo(map);
    // With room for the pin, which stands above its place.
    const { x, y } = map.project(at);
    const { clientWidth, clientHeight } = map.getContainer();
    const isInSight = x > MARGIN_PX && x < clientWidth - MARGIN_PX && y > MARGIN_PX && y < clientHeight - MARGIN_PX;
    if (!isInSight) map.jumpTo({ center: at, zoom: Math.max(map.getZoom(), NEAR_ZOOM) });
  }, [place]);
  if (hasFailed) return <p className="text-ink-soft">{orderPageTexts.mapFailed}</p>;
  return (
    <figure className="flex flex-col gap-1.5">
      <div ref={frame} role="application" aria-label={label} className="h-64 overflow-hidden rounded-md border" />
      <figcaption className="text-sm text-ink-faint">{hint}</figcaption>
    </figure>
  );
}

/** Undefined where the browser cannot draw maps. */
function openMap(
  container: HTMLElement,
  { place, reference, pinLabel }: Pick<PlaceMapProps, 'place' | 'reference'> & { pinLabel: string },
): { map: Maplibre; marker: Marker } | undefined {
  const colors = getComputedStyle(document.documentElement);
  const near = place ?? reference;
  try {
    const map = new Maplibre({
      container,
      style: makePlainStyle(
        { ground: colors.getPropertyValue('--sunken'), lines: colors.getPropertyValue('--line') },
        near,
      ),
      center: near === undefined ? [0, 20] : [near.longitude, near.latitude],
      zoom: near === undefined ? FAR_ZOOM : NEAR_ZOOM,
      attributionControl: false,
    });
    map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    map.addControl(new ScaleControl(), 'bottom-left');
    if (reference !== undefined) {
      new Marker({ color: colors.getPropertyValue('--ink-faint'), scale: 0.8 })
        .setLngLat([reference.longitude, reference.latitude])
        .addTo(map)
        .getElement()
        .setAttribute('aria-label', orderPageTexts.pickupPin);
    }
    const marker = new Marker({ color: colors.getPropertyValue('--accent'), draggable: true });
    marker.getElement().setAttribute('aria-label', pinLabel);
    return { map, marker };
  } catch {
    return undefined;
  }
}
