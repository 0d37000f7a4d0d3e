// The stops in order and the courier's position, on streets if the operator has set a style; otherwise, and offline, on
// the plain style, which needs no network.
import { useQuery } from '@tanstack/react-query';
import { LngLatBounds, Marker, type GeoJSONSource, type Map as Maplibre } from 'maplibre-gl';
import { useEffect, useRef, useState } from 'react';
import type { Place } from '../../../../../src/domain/geo.ts';
import { mapStyleQuery } from '../../../api/planning/map.ts';
import { classes } from '../../../ui/class-names.ts';
import { openMap } from '../../../map/open-map.ts';
import { colorOf } from '../../../map/plain-style.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { listMarks, type MapStop } from './marks.ts';

export interface StopsMapProps {
  stops: readonly MapStop[];
  shown: MapStop | undefined;
  position: Place | undefined;
  /** Inside the scrolling page rather than beside it. */
  isInPage: boolean;
}

const MARGIN_PX = 56;
const YOU = 'size-5 rounded-full border-4 border-surface bg-accent shadow-float';
const NEAREST_ZOOM = 16;

export function StopsMap({ stops, shown, position, isInPage }: StopsMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<Maplibre>();
  const [hasFailed, setHasFailed] = useState(false);
  const start = useRef(position ?? placesOf(stops)[0]);
  const { data, isPending, isPaused } = useQuery(mapStyleQuery);
  const styleUrl = data?.styleUrl ?? null;
  // Offline, the style query never resolves, and the courier needs the map now.
  const isAwaited = isPending && !isPaused;
  useEffect(() => {
    if (frame.current === null || isAwaited) return;
    const opened = openMap(frame.current, {
      near: start.current,
      styleUrl,
      isInPage,
      onReady: (ready) => {
        addWay(ready);
        setMap(ready);
      },
    });
    if (opened === undefined) setHasFailed(true);
    return () => {
      setMap(undefined);
      opened?.remove();
    };
  }, [styleUrl, isInPage, isAwaited]);
  const latest = useRef(position);
  const fitted = useRef<{ map: Maplibre; where: string }>(undefined);
  useEffect(() => {
    latest.current = position;
  }, [position]);
  useEffect(() => {
    if (map === undefined) return;
    const markers = addStops(map, stops, shown);
    const places = placesOf(stops);
    const where = JSON.stringify(places);
    // Not on every move or new ETA: a map that keeps moving is hard to read.
    if (fitted.current?.map !== map || fitted.current.where !== where) {
      fitted.current = { map, where };
      fit(map, [...places, ...(latest.current === undefined ? [] : [latest.current])]);
    }
    return () => {
      for (const marker of markers) marker.remove();
    };
  }, [map, stops, shown]);
  useEffect(() => {
    if (map === undefined || position === undefined) return;
    const marker = new Marker({ element: makeMark('', { label: courierTexts.you, look: YOU }) });
    marker.setLngLat([position.longitude, position.latitude]).addTo(map);
    return () => void marker.remove();
  }, [map, position]);
  if (hasFailed) return <p className="p-4 text-lg">{courierTexts.mapFailed}</p>;
  return <div ref={frame} role="application" aria-label={courierTexts.map} className="h-full" />;
}

function placesOf(stops: readonly MapStop[]): Place[] {
  return stops.flatMap(({ place }) => (place.location === undefined ? [] : [place.location]));
}

function addWay(map: Maplibre): void {
  map.addSource('way', { type: 'geojson', data: { type: 'LineString', coordinates: [] } });
  map.addLayer({
    id: 'way',
    type: 'line',
    source: 'way',
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': colorOf('--ink'), 'line-width': 4, 'line-dasharray': [1, 1.6] },
  });
}

function addStops(map: Maplibre, stops: readonly MapStop[], shown: MapStop | undefined): Marker[] {
  const way = map.getSource<GeoJSONSource>('way');
  const coordinates = placesOf(stops).map(({ latitude, longitude }) => [longitude, latitude]);
  void way?.setData({ type: 'LineString', coordinates });
  return listMarks(stops, shown).map(({ location, numbers, label, isPickup, isShown }) => {
    const look = classes(
      'grid h-10 min-w-10 place-items-center border-2 border-ink px-2 text-lg font-bold shadow-float',
      isPickup ? 'rounded-md' : 'rounded-full',
      isShown ? 'z-10 bg-ink text-on-ink' : 'bg-surface text-ink',
    );
    const element = makeMark(numbers, { label, look });
    return new Marker({ element }).setLngLat([location.longitude, location.latitude]).addTo(map);
  });
}

function makeMark(text: string, { label, look }: { label: string; look: string }): HTMLElement {
  const element = document.createElement('div');
  element.className = look;
  element.textContent = text;
  element.role = 'img';
  element.ariaLabel = label;
  return element;
}

function fit(map: Maplibre, places: readonly Place[]): void {
  const bounds = new LngLatBounds();
  for (const { latitude, longitude } of places) bounds.extend([longitude, latitude]);
  // The map may just have been hidden by an offer.
  map.resize();
  if (!bounds.isEmpty()) map.fitBounds(bounds, { padding: MARGIN_PX, maxZoom: NEAREST_ZOOM, animate: false });
}
