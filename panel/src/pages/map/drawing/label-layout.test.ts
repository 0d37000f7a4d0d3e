import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupTogether, layOutLabels, type Spot, type ToLayOut } from './label-layout.ts';

const at = (x: number, y: number): Spot => ({ x, y });
const NOTHING = { widthPx: 800, pins: [], couriers: [], stops: [], orders: [] };
const named = (id: string, spot: Spot, text = `#10000${id}`) => ({ id, text, spot });

test('couriers waiting at one restaurant are placed side by side next to its pin', () => {
  const home = at(300, 300);
  const { couriers } = layOutLabels({
    ...NOTHING,
    pins: [named('fontana', home, 'Trattoria Fontana')],
    couriers: ['ada', 'bo', 'cem'].map((id) => named(id, home, id)),
  });
  const shifts = [...couriers.values()].map(({ shiftPx }) => shiftPx);
  expect(shifts).not.toContain(0);
  expect(new Set(shifts).size).toBe(3);
});

test('of several orders for one house, only those that leave the restaurant’s name readable get a label', () => {
  const house = at(300, 300);
  const layout = layOutLabels({
    ...NOTHING,
    pins: [named('fontana', at(280, 318), 'Trattoria Fontana')],
    orders: ['1', '2', '3'].map((id) => named(id, house)),
  });
  expect([...layout.orders]).toEqual([['1', 'right']]);
  expect([...layout.pins]).toEqual([['fontana', 'left']]);
});

test('an order keeps its label above its stop time and leaves that of another order readable', () => {
  const place = at(300, 300);
  const own = named('drop-off', place, '2 13:06');
  const other = named('other', at(350, 280), '3 13:20');
  const sidesWith = (stops: (typeof own)[]) => [
    ...layOutLabels({ ...NOTHING, stops, orders: [named('1', place)] }).orders,
  ];
  expect(sidesWith([own])).toEqual([['1', 'right']]);
  expect(sidesWith([own, other])).toEqual([['1', 'left']]);
});

test('a label covers no marker of another order, courier or restaurant', () => {
  const order = named('1', at(300, 300));
  const inTheWay = named('2', at(345, 300), '');
  const sideOf = (marks: Partial<ToLayOut>) => layOutLabels({ ...NOTHING, orders: [order], ...marks }).orders.get('1');
  expect(sideOf({})).toBe('right');
  expect(sideOf({ orders: [order, inTheWay] })).toBe('left');
  expect(sideOf({ couriers: [{ ...inTheWay, text: null }] })).toBe('left');
  expect(sideOf({ pins: [named('2', at(345, 320), '')] })).toBe('left');
});

test('a courier whose name does not fit keeps the marker', () => {
  const spots = [at(300, 100), at(340, 100), at(260, 100)];
  const { couriers } = layOutLabels({
    ...NOTHING,
    couriers: spots.map((spot, index) => named(String(index), spot, 'Defne Arslan')),
  });
  expect([...couriers.values()].map(({ side }) => side)).toEqual([undefined, 'right', 'left']);
});

test('a label that would be cut off by the map edge is placed on the other side', () => {
  const { orders } = layOutLabels({ ...NOTHING, orders: [named('1', at(780, 50)), named('2', at(30, 200))] });
  expect([...orders]).toEqual([
    ['1', 'left'],
    ['2', 'right'],
  ]);
});

test('restaurants at the same location share a pin', () => {
  const groups = groupTogether([named('a', at(10, 10)), named('b', at(12, 8)), named('c', at(90, 10))]);
  expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
});

test('a few couriers never cover each other, at any positions', () => {
  const spot = fc.record({ x: fc.integer({ min: 0, max: 150 }), y: fc.integer({ min: 0, max: 150 }) });
  fc.assert(
    fc.property(fc.array(spot, { maxLength: 4 }), (spots) => {
      const couriers = spots.map((place, index) => named(String(index), place));
      const layout = layOutLabels({ ...NOTHING, couriers });
      const places = couriers.map(({ id, spot: { x, y } }) => at(x + (layout.couriers.get(id)?.shiftPx ?? 0), y));
      for (const [index, one] of places.entries()) {
        for (const other of places.slice(index + 1)) {
          expect(Math.abs(one.x - other.x) >= 34 || Math.abs(one.y - other.y) >= 34).toBe(true);
        }
      }
    }),
  );
});
