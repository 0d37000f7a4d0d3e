// Opens a map with the built-in style, served from our own origin, or with the style set by the operator.
import 'maplibre-gl/dist/maplibre-gl.css';
import './open-map.css';
import { Map as Maplibre, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import type { Place } from '../../../src/domain/geo.ts';
import { makePlainStyle } from './plain-style.ts';

// From our own origin: the page's security policy blocks scripts from elsewhere.
setWorkerUrl(workerUrl);

export const NEAR_ZOOM = 13;
const FAR_ZOOM = 1;

/** `failed`: the configured style did not load, so the plain one replaces it. */
export type Ground = 'streets' | 'plain' | 'failed';

export interface MapOpening {
  near: Place | undefined;
  /** Null for the plain style. */
  styleUrl: string | null;
  /** On a scrolling page: one finger scrolls the page, two move the map. */
  isInPage?: boolean;
  /** Called when layers can be added. Not on 'load', which waits until everything has been drawn once. */
  onReady: (map: Maplibre, ground: Ground) => void;
}

/** Undefined if the browser cannot draw maps. */
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
    // Later errors concern single tiles, which only leave a gap.
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
