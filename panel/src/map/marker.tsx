// A map marker written as a React component.
import { Marker, type Map as Maplibre, type PositionAnchor } from 'maplibre-gl';
import { useEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import type { Place } from '../../../src/domain/geo.ts';

export interface MapMarkerProps {
  map: Maplibre;
  place: Place;
  /** The part of the marker that is placed on `place`. */
  anchor?: PositionAnchor;
  /** Stacking order: higher covers lower. */
  level?: number;
  /** Horizontal offset, to leave room for what else is there. */
  shiftPx?: number;
  /** Makes the marker draggable; called on drop. */
  onMove?: (place: Place) => void;
  children: ReactNode;
}

export function MapMarker(props: MapMarkerProps) {
  const { map, place, anchor = 'center', level = 0, shiftPx = 0, onMove, children } = props;
  const [marker] = useState(() => {
    const element = document.createElement('div');
    return new Marker({ element, anchor, draggable: onMove !== undefined });
  });
  const { latitude, longitude } = place;
  useEffect(() => {
    marker.setLngLat([longitude, latitude]).addTo(map);
  }, [marker, map, latitude, longitude]);
  useEffect(() => () => void marker.remove(), [marker]);
  useEffect(() => {
    marker.getElement().style.zIndex = String(level);
  }, [marker, level]);
  useEffect(() => {
    marker.setOffset([shiftPx, 0]);
  }, [marker, shiftPx]);
  useEffect(() => {
    if (onMove === undefined) return;
    const report = (): void => {
      const { lat, lng } = marker.getLngLat();
      onMove({ latitude: lat, longitude: lng });
    };
    marker.on('dragend', report);
    return () => void marker.off('dragend', report);
  }, [marker, onMove]);
  return createPortal(children, marker.getElement());
}
