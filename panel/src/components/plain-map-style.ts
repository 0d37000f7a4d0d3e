// A map style that needs nothing from anywhere: ground, and the lines of latitude and longitude.
import type { StyleSpecification } from 'maplibre-gl';

interface Center {
  latitude: number;
  longitude: number;
}

const WORLD = { step: 5, north: 85, east: 180 };
/** About a kilometre; enough of them to drag a pin across a town. */
const TOWN = { step: 0.01, reach: 0.4 };

export function makePlainStyle(
  colors: { ground: string; lines: string },
  near: Center | undefined,
): StyleSpecification {
  return {
    version: 8,
    sources: {
      lines: {
        type: 'geojson',
        data: {
          type: 'MultiLineString',
          coordinates: [...worldLines(), ...(near === undefined ? [] : townLines(near))],
        },
      },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': colors.ground } },
      { id: 'lines', type: 'line', source: 'lines', paint: { 'line-color': colors.lines, 'line-width': 1 } },
    ],
  };
}

function worldLines(): number[][][] {
  const { step, north, east } = WORLD;
  return drawGrid({ west: -east, east, south: -north, north, step });
}

function townLines({ latitude, longitude }: Center): number[][][] {
  const { step, reach } = TOWN;
  const round = (degrees: number): number => Math.round(degrees / step) * step;
  return drawGrid({
    west: round(longitude - reach),
    east: round(longitude + reach),
    south: round(latitude - reach),
    north: round(latitude + reach),
    step,
  });
}

interface Grid {
  west: number;
  east: number;
  south: number;
  north: number;
  step: number;
}

function drawGrid({ west, east, south, north, step }: Grid): number[][][] {
  const columns = Math.round((east - west) / step);
  const rows = Math.round((north - south) / step);
  const upright = Array.from({ length: columns + 1 }, (_, index) => west + index * step);
  const level = Array.from({ length: rows + 1 }, (_, index) => south + index * step);
  return [
    ...upright.map((x) => [
      [x, south],
      [x, north],
    ]),
    ...level.map((y) => [
      [west, y],
      [east, y],
    ]),
  ];
}
