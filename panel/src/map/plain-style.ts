// A map style that needs nothing from anywhere: ground, a grid with fine and coarse lines, and rings of distance.
import type { GeoJSONSource, LayerSpecification, Map as Maplibre, StyleSpecification } from 'maplibre-gl';
import type { Place } from '../../../src/domain/geo.ts';
import { drawGrid, drawRing, RING_METERS } from './geometry.ts';

type Geometry = Exclude<Parameters<GeoJSONSource['setData']>[0], string>;

const GRIDS = [
  { id: 'grid-fine', stepMeters: 250, reachMeters: 10_000, minzoom: 13 },
  { id: 'grid', stepMeters: 1_000, reachMeters: 60_000, minzoom: 10 },
  { id: 'grid-coarse', stepMeters: 10_000, reachMeters: 600_000, minzoom: 5 },
] as const;

/** Which colour of the theme each layer has. */
const COLORS: readonly { id: string; property: 'background-color' | 'line-color' | 'fill-color'; variable: string }[] =
  [
    { id: 'ground', property: 'background-color', variable: '--sunken' },
    { id: 'discs', property: 'fill-color', variable: '--surface' },
    { id: 'world', property: 'line-color', variable: '--line' },
    ...GRIDS.map(({ id }) => ({ id, property: 'line-color' as const, variable: '--line' })),
    { id: 'rings', property: 'line-color', variable: '--line-strong' },
  ];

/** `near` is where the grid is measured; without it there is the globe alone. */
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

/** Rings round another place, or none. */
export function showRings(map: Maplibre, around: Place | undefined): void {
  void map.getSource<GeoJSONSource>('rings')?.setData(toRings(around));
  void map.getSource<GeoJSONSource>('discs')?.setData(toDiscs(around));
}

/** After the theme has changed. */
export function repaintPlain(map: Maplibre): void {
  for (const { id, property, variable } of COLORS) {
    if (map.getLayer(id) !== undefined) map.setPaintProperty(id, property, colorOf(variable));
  }
}

/** A colour of the theme that is shown now. */
export function colorOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** For what is not coloured by style sheets; gives a function that ends it. */
export function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

function toRings(around: Place | undefined): Geometry {
  const coordinates = around === undefined ? [] : RING_METERS.map((meters) => drawRing(around, meters));
  return { type: 'MultiLineString', coordinates };
}

/** One over the other, so that the ground is lightest where the orders are. */
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
