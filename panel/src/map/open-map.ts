// Opens a map: from our own address alone, or with the style that the operator has set.
import 'maplibre-gl/dist/maplibre-gl.css';
import './open-map.css';
import { Map as Maplibre, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import type { Place } from '../../../src/domain/geo.ts';
import { makePlainStyle } from './plain-style.ts';

// From our own address: the page's security policy lets no other script run.
setWorkerUrl(workerUrl);

export const NEAR_ZOOM = 13;
const FAR_ZOOM = 1;

/** `failed`: a style was set and could not be loaded, so the plain one stands in for it. */
export type Ground = 'streets' | 'plain' | 'failed';

export interface MapOpening {
  near: Place | undefined;
  /** Null: the plain style. */
  styleUrl: string | null;
  /** Within a page that scrolls: one finger moves the page, two the map. */
  isInPage?: boolean;
  /** From then on things may be drawn on it. Not after 'load', which waits until everything was drawn once. */
  onReady: (map: Maplibre, ground: Ground) => void;
}

/** Undefined where the browser cannot draw maps. */
export function openMap(
  container: HTMLElement,
  { near, styleUrl, isInPage = false, onReady }: MapOpening,
): Maplibre | undefined {
  try {
    const map = new Maplibre({
      container,
      style: styleUrl ?? makePlainStyle(near),
      center: near === undefined ? [0, 20] : [near.longitude, near.latitude],
      zoom: near === undefined ? FAR_ZOOM : NEAR_ZOOM,
      attributionControl: styleUrl === null ? false : { compact: true },
      cooperativeGestures: isInPage,
      dragRotate: false,
      pitchWithRotate: false,
    });
    map.touchZoomRotate.disableRotation();
    map.addControl(new ScaleControl(), 'bottom-left');
    let ground: Ground = styleUrl === null ? 'plain' : 'streets';
    let isReady = false;
    map.once('style.load', () => {
      isReady = true;
      onReady(map, ground);
    });
    // Later errors are single tiles, which leave a gap and no more.
    map.on('error', () => {
      if (isReady || ground !== 'streets') return;
      ground = 'failed';
      map.setStyle(makePlainStyle(near));
    });
    return map;
  } catch {
    return undefined;
  }
}
