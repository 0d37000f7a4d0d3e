import { expect, test } from 'vitest';
import type { MapAnswer, MapCourier, MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import { describeFreshness } from './courier-words.ts';
import { declutter } from '../drawing/declutter.ts';
import { drawLegs, placesOf, placesOfOrder } from './legs.ts';
import { describeLateness, findOrders, sortByLateness } from './orders.ts';
import { listZones } from './order-zones.ts';
import { listStops } from './route-stops.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const RESTAURANT = { latitude: 40.98, longitude: 29.02 };

function makeOrder(id: string, changes: Partial<MapOrder> = {}): MapOrder {
  return {
    id,
    restaurantId: 'fontana',
    orderNumber: `1000${id}`,
    displayId: null,
    state: 'ACCEPTED',
    pickup: RESTAURANT,
    dropoff: { latitude: 41, longitude: 29 + Number(id) / 100 },
    destination: 'Moda Caddesi 12',
    dueAt: at(20),
    pickupAt: at(5),
    dropoffAt: at(15),
    courier: { id: 'ada', name: 'Ada', standing: 'accepted' },
    why: null,
    alarms: [],
    ...changes,
  };
}

function makeMap(orders: MapOrder[], couriers: MapCourier[] = []): MapAnswer {
  return {
    restaurants: [{ id: 'fontana', name: 'Fontana', place: RESTAURANT, timeZone: 'Europe/Istanbul' }],
    orders,
    total: orders.length,
    couriers,
  };
}

const ADA = { id: 'ada', name: 'Ada', vehicle: 'BICYCLE', isDark: false } as const;
const POSITION = { latitude: 40.9, longitude: 29.5, reportedAt: at(0) };
const stop = (orderId: string, kind: 'pickup' | 'dropoff', latitude: number) => ({
  orderId,
  kind,
  latitude,
  longitude: 29,
  at: null,
});

test('lateness is described in words, from the plan while there is one and afterwards from the clock', () => {
  const etaOf = (dueInMinutes: number, arrivesInMinutes: number | null) =>
    describeLateness(
      { dueAt: at(dueInMinutes), dropoffAt: arrivesInMinutes === null ? null : at(arrivesInMinutes) },
      NOW,
    );
  expect(etaOf(20, 15)).toEqual({ tone: 'good', words: 'On time' });
  expect(etaOf(20, 20.5)).toEqual({ tone: 'good', words: 'On time' });
  expect(etaOf(20, 24)).toEqual({ tone: 'warn', words: '4 min late' });
  expect(etaOf(20, 31)).toEqual({ tone: 'danger', words: '11 min late' });
  expect(etaOf(20, null)).toEqual({ tone: 'neutral', words: 'Due in 20 min' });
  expect(etaOf(-12, null)).toEqual({ tone: 'danger', words: '12 min late' });
  // Planned to be on time, but now overdue.
  expect(etaOf(-3, -5)).toEqual({ tone: 'warn', words: '3 min late' });
});

test('the freshness of a courier’s position is described: reported, not yet reported, or no longer reported', () => {
  const freshnessOf = (position: MapCourier['position'], isDark = false) =>
    describeFreshness({ position, isDark }, NOW);
  expect(freshnessOf({ ...POSITION, reportedAt: at(-2) })).toBe('Last seen 2 min ago');
  expect(freshnessOf({ ...POSITION, reportedAt: at(-5) }, true)).toBe('No contact, last seen 5 min ago');
  expect(freshnessOf({ ...POSITION, reportedAt: null })).toBe('Usual location, not reported yet');
  expect([freshnessOf(null), freshnessOf(null, true)]).toEqual(['Location unknown', 'No contact']);
});

test('a route leads from the courier through all stops in order; selecting an order highlights its part', () => {
  const couriers: MapCourier[] = [
    {
      ...ADA,
      position: POSITION,
      stops: [stop('1', 'pickup', 1), stop('2', 'pickup', 2), stop('1', 'dropoff', 3), stop('2', 'dropoff', 4)],
    },
  ];
  const map = makeMap([makeOrder('1'), makeOrder('2', { dropoffAt: at(40) })], couriers);
  const legs = drawLegs(map, '1', NOW);
  expect(legs.map(({ from, to }) => [from.latitude, to.latitude])).toEqual([
    [40.9, 1],
    [1, 2],
    [2, 3],
    [3, 4],
  ]);
  expect(legs.map(({ isChosen }) => isChosen)).toEqual([true, true, true, false]);
  expect(legs.map(({ tone }) => tone)).toEqual(['good', 'danger', 'good', 'danger']);
});

test('without a position the route starts at the first stop, and an order without a courier shows its own route', () => {
  const couriers: MapCourier[] = [{ ...ADA, position: null, stops: [stop('1', 'pickup', 1), stop('1', 'dropoff', 2)] }];
  const map = makeMap([makeOrder('1'), makeOrder('2', { courier: null }), makeOrder('3', { dropoff: null })], couriers);
  expect(drawLegs(map, '2', NOW).map(({ orderId, isTentative, isChosen }) => [orderId, isTentative, isChosen])).toEqual(
    [
      ['1', false, false],
      ['2', true, true],
    ],
  );
  expect(placesOf(map)).toHaveLength(6);
  const [, second] = map.orders;
  expect(second && placesOfOrder(map, second).map(({ latitude }) => latitude)).toEqual([40.98, 41, 40.98, 41]);
});

test('the latest order comes first, and every word on its card can be searched', () => {
  const map = makeMap([
    makeOrder('1'),
    makeOrder('2', {
      dropoffAt: at(50),
      displayId: 'WEB-9',
      courier: { id: 'bo', name: 'Bo Larsen', standing: 'planned' },
    }),
  ]);
  expect(sortByLateness(map.orders, NOW).map(({ id }) => id)).toEqual(['2', '1']);
  const found = (text: string) => findOrders(map, text).map(({ id }) => id);
  expect([found('#10001'), found('larsen'), found('web-9'), found('moda'), found('fontana'), found('nobody')]).toEqual([
    ['1'],
    ['2'],
    ['2'],
    ['1', '2'],
    ['1', '2'],
    [],
  ]);
});

test('a label covers no other label and no obstacle; one without room on one side moves to the other', () => {
  const box = (left: number, top: number) => ({ left, top, width: 60, height: 20 });
  const label = (id: string, left: number, top: number) => ({
    id,
    places: [
      { side: 'right', box: box(left, top) },
      { side: 'left', box: box(left - 80, top) },
    ],
  });
  const shown = declutter(
    [label('a', 0, 0), label('b', 50, 10), label('c', 60, 0), label('d', 0, 20)],
    [box(-100, 20)],
  );
  expect([...shown]).toEqual([
    ['a', 'right'],
    ['c', 'right'],
    ['d', 'right'],
  ]);
  expect([...declutter([label('a', 0, 0)], [box(30, 0)])]).toEqual([['a', 'left']]);
});

test('a stop shows the time of its restaurant, with the zone if several zones are shown', () => {
  const orders = [makeOrder('1'), makeOrder('2', { restaurantId: 'hudson' })];
  const hudson = { id: 'hudson', name: 'Hudson', place: RESTAURANT, timeZone: 'America/New_York' };
  const map = makeMap(orders);
  const stops = [stop('1', 'pickup', 1), stop('2', 'pickup', 2), stop('2', 'dropoff', 3)];
  const courier: MapCourier = { ...ADA, position: null, stops: stops.map((one) => ({ ...one, at: at(0) })) };
  const timesIn = (restaurants: MapAnswer['restaurants'], chosenId: string) =>
    listStops(courier, chosenId, listZones({ orders, restaurants })).map(({ text }) => text);
  const [fontana] = map.restaurants;
  if (fontana === undefined) throw new Error('there is a restaurant');
  expect(timesIn([fontana, hudson], '2')).toEqual(['15:00 GMT+3', '07:00 GMT−5', '07:00 GMT−5']);
  expect(timesIn([fontana, { ...hudson, timeZone: fontana.timeZone }], '2')).toEqual(['15:00', '15:00', '15:00']);
});
