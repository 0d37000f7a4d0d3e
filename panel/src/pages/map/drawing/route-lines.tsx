// Routes and drop-offs as map layers rather than elements, because there may be thousands.
import type { ExpressionSpecification, GeoJSONSource, LineLayerSpecification, Map as Maplibre } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import { colorOf, watchTheme } from '../../../map/plain-style.ts';
import { STATE_COLORS } from '../../../parts/orders/state-colors.ts';
import type { Leg } from '../model/legs.ts';

export interface RouteLinesProps {
  map: Maplibre;
  legs: readonly Leg[];
  orders: readonly MapOrder[];
  chosenId: string | undefined;
  onChoose: (orderId: string) => void;
}

const SOURCES = ['legs', 'drop-offs'] as const;
const LINES = ['legs-tentative', 'legs-firm'] as const;
const DOTS = 'drop-offs';
const TONES = { good: '--good', warn: '--warn', danger: '--danger', neutral: '--ink-faint' } as const;
const STATES = Object.fromEntries(Object.entries(STATE_COLORS).map(([state, { variable }]) => [state, variable]));

export function RouteLines({ map, legs, orders, chosenId, onChoose }: RouteLinesProps) {
  useEffect(() => {
    addLayers(map);
  }, [map]);
  const isChosen = chosenId !== undefined;
  useEffect(() => {
    paint(map, isChosen);
    return watchTheme(() => paint(map, isChosen));
  }, [map, isChosen]);
  useEffect(() => {
    void map.getSource<GeoJSONSource>('legs')?.setData({
      type: 'FeatureCollection',
      features: legs.map(({ from, to, ...properties }) => ({
        type: 'Feature',
        properties,
        geometry: {
          type: 'LineString',
          coordinates: [
            [from.longitude, from.latitude],
            [to.longitude, to.latitude],
          ],
        },
      })),
    });
  }, [map, legs]);
  useEffect(() => {
    void map.getSource<GeoJSONSource>('drop-offs')?.setData({
      type: 'FeatureCollection',
      features: orders.flatMap(({ id, state, dropoff }) =>
        dropoff === null
          ? []
          : {
              type: 'Feature' as const,
              properties: { id, state, isChosen: id === chosenId },
              geometry: { type: 'Point' as const, coordinates: [dropoff.longitude, dropoff.latitude] },
            },
      ),
    });
  }, [map, orders, chosenId]);
  useDotClicks(map, onChoose);
  return null;
}

function addLayers(map: Maplibre): void {
  if (map.getSource(DOTS) !== undefined) return;
  for (const id of SOURCES) {
    map.addSource(id, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  }
  const layout: LineLayerSpecification['layout'] = {
    'line-cap': 'butt',
    'line-join': 'round',
    'line-sort-key': ['to-number', ['get', 'isChosen']],
  };
  const [tentative, firm] = LINES;
  map.addLayer({
    id: tentative,
    type: 'line',
    source: 'legs',
    filter: ['get', 'isTentative'],
    layout,
    paint: { 'line-dasharray': [2, 1.5] },
  });
  map.addLayer({
    id: firm,
    type: 'line',
    source: 'legs',
    filter: ['!', ['get', 'isTentative']],
    layout: { ...layout, 'line-cap': 'round' },
  });
  map.addLayer({ id: DOTS, type: 'circle', source: 'drop-offs' });
}

/** Uses the theme's colors; dims the other routes when one is selected. */
function paint(map: Maplibre, isChosen: boolean): void {
  const tone = colorBy('tone', TONES);
  for (const id of LINES) {
    map.setPaintProperty(id, 'line-color', tone);
    map.setPaintProperty(id, 'line-width', ['case', ['get', 'isChosen'], 4.5, 2]);
    map.setPaintProperty(id, 'line-opacity', isChosen ? ['case', ['get', 'isChosen'], 1, 0.25] : 0.7);
  }
  map.setPaintProperty(DOTS, 'circle-color', colorBy('state', STATES));
  map.setPaintProperty(DOTS, 'circle-radius', ['case', ['get', 'isChosen'], 10, 7]);
  map.setPaintProperty(DOTS, 'circle-stroke-width', ['case', ['get', 'isChosen'], 3, 2]);
  map.setPaintProperty(DOTS, 'circle-stroke-color', colorOf('--surface'));
}

/** The theme's color for each value of a property. */
function colorBy(property: string, variables: Readonly<Record<string, string>>): ExpressionSpecification {
  const colors = Object.fromEntries(Object.entries(variables).map(([value, variable]) => [value, colorOf(variable)]));
  return ['to-color', ['get', ['get', property], ['literal', colors]]];
}

function useDotClicks(map: Maplibre, onChoose: (orderId: string) => void): void {
  const choose = useRef(onChoose);
  useEffect(() => {
    choose.current = onChoose;
  }, [onChoose]);
  useEffect(() => {
    const { style } = map.getCanvas();
    const listening = [
      map.on('click', DOTS, ({ features }) => {
        const id: unknown = features?.[0]?.properties['id'];
        if (typeof id === 'string') choose.current(id);
      }),
      map.on('mouseenter', DOTS, () => {
        style.cursor = 'pointer';
      }),
      map.on('mouseleave', DOTS, () => {
        style.cursor = '';
      }),
    ];
    return () => {
      for (const one of listening) one.unsubscribe();
    };
  }, [map]);
}
