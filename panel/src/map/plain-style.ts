// A map style without external resources: background, a fine and a coarse grid, and distance rings.
import type { GeoJSONSource, LayerSpecification, Map as Maplibre, StyleSpecification } from 'maplibre-gl';
import type { Place } from '../../../src/domain/geo.ts';
import { drawGrid, drawRing, RING_METERS } from './geometry.ts';

type Geometry = Exclude<Parameters<GeoJSONSource['setData']>[0], string>;

const GRIDS = [
  { id: 'grid-fine', stepMeters: 250, reachMeters: 10_000, minzoom: 13 },
  { id: 'grid', stepMeters: 1_000, reachMeters: 60_000, minzoom: 10 },
  { id: 'grid-coarse', stepMeters: 10_000, reachMeters: 600_000, minzoom: 5 },
] as const;

/** The theme color of each layer. */
const COLORS: readonly { id: string; property: 'background-color' | 'line-color' | 'fill-color'; variable: string }[] =
  [
    { id: 'ground', property: 'background-color', variable: '--sunken' },
    { id: 'discs', property: 'fill-color', variable: '--surface' },
    { id: 'world', property: 'line-color', variable: '--line' },
    ...GRIDS.map(({ id }) => ({ id, property: 'line-color' as const, variable: '--line' })),
    { id: 'rings', property: 'line-color', variable: '--line-strong' },
  ];

/** `near` is the center of the grid; without it, only the globe is shown. */
export function makePlainStyle(near: Place | undefined): StyleSpecification {
  const grids = near === undefined ? [] : GRIDS;
  return {
    version: 8,
    sources: {
      world: { type: 'geojson', data: { type: 'MultiLineString', coordinates: drawWorld() } },
      rings: { type: 'geojson', data: toRings(undefined) },
      discs: { type: 'geojson', data: toDiscs(undefined) },
      ...Object.fromEntries(
        grids.map((grid) => [
          grid.id,
          {
            type: 'geojson' as const,
            data: { type: 'MultiLineString' as const, coordinates: near === undefined ? [] : drawGrid(near, grid) },
          },
        ]),
      ),
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': colorOf('--sunken') } },
      {
        id: 'discs',
        type: 'fill',
        source: 'discs',
        paint: { 'fill-color': colorOf('--surface'), 'fill-opacity': 0.14 },
      },
      { id: 'world', type: 'line', source: 'world', maxzoom: 8, paint: linePaint() },
      ...grids.map((grid): LayerSpecification => ({
        id: grid.id,
        type: 'line',
        source: grid.id,
        minzoom: grid.minzoom,
        paint: { ...linePaint(), 'line-width': grid.id === 'grid-fine' ? 0.5 : 1.25 },
      })),
      {
        id: 'rings',
        type: 'line',
        source: 'rings',
        paint: {
          'line-color': colorOf('--line-strong'),
          'line-width': 1,
          'line-opacity': 0.55,
          'line-dasharray': [4, 4],
        },
      },
    ],
  };
}

function linePaint() {
  return { 'line-color': colorOf('--line'), 'line-width': 1 };
}

/** Moves the rings, or hides them. */
export function showRings(map: Maplibre, around: Place | undefined): void {
  void map.getSource<GeoJSONSource>('rings')?.setData(toRings(around));
  void map.getSource<GeoJSONSource>('discs')?.setData(toDiscs(around));
}

/** Call after the theme has changed. */
export function repaintPlain(map: Maplibre): void {
  for (const { id, property, variable } of COLORS) {
    if (map.getLayer(id) !== undefined) map.setPaintProperty(id, property, colorOf(variable));
  }
}

/** A color of the current theme. */
export function colorOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** For colors set without CSS; returns a function that unsubscribes. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

function toRings(around: Place | undefined): Geometry {
  const coordinates = around === undefined ? [] : RING_METERS.map((meters) => drawRing(around, meters));
  return { type: 'MultiLineString', coordinates };
}

/** Stacked, so that the background is lightest where the orders are. */
function toDiscs(around: Place | undefined): Geometry {
  const rings = around === undefined ? [] : RING_METERS.map((meters) => drawRing(around, meters));
  return {
    type: 'FeatureCollection',
    features: rings.map((ring) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'Polygon', coordinates: [ring] },
    })),
  };
}

const WORLD = { step: 10, north: 80, east: 180 };

function drawWorld(): [number, number][][] {
  const { step, north, east } = WORLD;
  const upright = Array.from({ length: (2 * east) / step + 1 }, (_, index) => index * step - east);
  const level = Array.from({ length: (2 * north) / step + 1 }, (_, index) => index * step - north);
  return [
    ...upright.map((x): [number, number][] => [
      [x, -north],
      [x, north],
    ]),
    ...level.map((y): [number, number][] => [
      [-east, y],
      [east, y],
    ]),
  ];
}
