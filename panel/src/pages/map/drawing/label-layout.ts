// Lays out the live map's markers and labels in pixels without overlaps: restaurants at the same place share a pin,
// couriers there stand side by side, and names without room are omitted. The lists beside the map are complete.
import { declutter, type Box, type LabelToPlace } from './declutter.ts';

export interface Spot {
  x: number;
  y: number;
}

export type Side = 'left' | 'right';

interface Named {
  id: string;
  text: string;
  spot: Spot;
}

/** Each list is in order of priority. */
export interface ToLayOut {
  /** Width of the map: labels cut off by its edge are omitted. */
  widthPx: number;
  pins: readonly Named[];
  /** Text is null on narrow maps. */
  couriers: readonly (Omit<Named, 'text'> & { text: string | null })[];
  /** Their labels are below their places. */
  stops: readonly Named[];
  orders: readonly Named[];
}

export interface LabelLayout {
  pins: ReadonlyMap<string, Side>;
  couriers: ReadonlyMap<string, { shiftPx: number; side: Side | undefined }>;
  orders: ReadonlyMap<string, Side>;
}

const CHARACTER_PX = 7;
const LABEL = { paddingPx: 18, heightPx: 20 } as const;
const PIN = { widthPx: 34, heightPx: 38 } as const;
const COURIER = { widthPx: 34, heightPx: 34 } as const;
const STOP = { gapPx: 10, heightPx: 24 } as const;
const DOT_PX = 18;
const TOGETHER_PX = 20;

export function layOutLabels({ widthPx, pins, couriers, stops, orders }: ToLayOut): LabelLayout {
  const pinBoxes = pins.map(({ spot: { x, y } }) => boxAround({ x, y: y - PIN.heightPx / 2 }, PIN));
  const shifts = shiftApart(couriers, pinBoxes);
  const courierSpots = new Map(couriers.map(({ id, spot }) => [id, shift(spot, shifts.get(id) ?? 0)]));
  const taken = [
    ...pinBoxes,
    ...[...courierSpots.values()].map((spot) => boxAround(spot, COURIER)),
    ...orders.map(({ spot }) => boxAround(spot, { widthPx: DOT_PX, heightPx: DOT_PX })),
    ...stops.map(measureStop),
  ];
  const sides = declutter(
    [
      ...orders.slice(0, 1).map(({ id, text, spot }) => besides({ id: `order ${id}`, text, spot }, DOT_PX)),
      ...pins.map(({ id, text, spot: { x, y } }) =>
        besides({ id: `pin ${id}`, text, spot: { x, y: y - PIN.heightPx / 2 } }, PIN.widthPx),
      ),
      ...couriers.flatMap(({ id, text, spot }) =>
        text === null
          ? []
          : [besides({ id: `courier ${id}`, text, spot: courierSpots.get(id) ?? spot }, COURIER.widthPx)],
      ),
      ...orders.slice(1).map(({ id, text, spot }) => besides({ id: `order ${id}`, text, spot }, DOT_PX)),
    ].map(({ id, places }) => ({ id, places: places.filter(({ box }) => isWithin(box, widthPx)) })),
    taken,
  );
  const sidesOf = (kind: string, named: readonly { id: string }[]): Map<string, Side> =>
    new Map(
      named.flatMap(({ id }) => {
        const side = sides.get(`${kind} ${id}`);
        return side === undefined ? [] : [[id, side] as const];
      }),
    );
  const courierSides = sidesOf('courier', couriers);
  return {
    pins: sidesOf('pin', pins),
    couriers: new Map(couriers.map(({ id }) => [id, { shiftPx: shifts.get(id) ?? 0, side: courierSides.get(id) }])),
    orders: sidesOf('order', orders),
  };
}

/** Groups items that would cover each other. */
export function groupTogether<T extends { spot: Spot }>(items: readonly T[]): [T, ...T[]][] {
  const groups: [T, ...T[]][] = [];
  for (const item of items) {
    const near = groups.find(([first]) => areTogether(first.spot, item.spot));
    if (near === undefined) groups.push([item]);
    else near.push(item);
  }
  return groups;
}

function areTogether(one: Spot, other: Spot): boolean {
  return Math.abs(one.x - other.x) < TOGETHER_PX && Math.abs(one.y - other.y) < TOGETHER_PX;
}

/** Side by side, the nearest free place first. If none is free, couriers overlap rather than disappear. */
function shiftApart(couriers: ToLayOut['couriers'], pinBoxes: readonly Box[]): Map<string, number> {
  const steps = [0, 1, -1, 2, -2, 3, -3].map((step) => step * COURIER.widthPx);
  return declutter(
    couriers.map(({ id, spot }) => ({
      id,
      places: steps.map((shiftPx) => ({ side: shiftPx, box: boxAround(shift(spot, shiftPx), COURIER) })),
    })),
    pinBoxes,
  );
}

function shift({ x, y }: Spot, byPx: number): Spot {
  return { x: x + byPx, y };
}

function boxAround({ x, y }: Spot, { widthPx, heightPx }: { widthPx: number; heightPx: number }): Box {
  return { left: x - widthPx / 2, top: y - heightPx / 2, width: widthPx, height: heightPx };
}

function isWithin({ left, width }: Box, widthPx: number): boolean {
  return left >= 0 && left + width <= widthPx;
}

function widthOf(text: string): number {
  return text.length * CHARACTER_PX + LABEL.paddingPx;
}

/** To the right of its marker, or else to the left. */
function besides({ id, text, spot: { x, y } }: Named, namedWidthPx: number): LabelToPlace<Side> {
  const size = { width: widthOf(text), height: LABEL.heightPx };
  const top = y - size.height / 2;
  return {
    id,
    places: [
      { side: 'right', box: { left: x + namedWidthPx / 2, top, ...size } },
      { side: 'left', box: { left: x - namedWidthPx / 2 - size.width, top, ...size } },
    ],
  };
}

function measureStop({ text, spot: { x, y } }: Named): Box {
  const width = widthOf(text);
  return { left: x - width / 2, top: y + STOP.gapPx, width, height: STOP.heightPx };
}
