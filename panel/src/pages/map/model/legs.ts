// The map's route lines: from each courier through the stops in order, one leg at a time.
import type { MapAnswer, MapOrder } from '../../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { describeLateness, type Lateness } from './orders.ts';

export interface Leg {
  from: Place;
  to: Place;
  /** The order of the stop at its end. */
  orderId: string;
  /** Reflects that order's lateness. */
  tone: Lateness['tone'];
  /** No courier has accepted yet. */
  isTentative: boolean;
  isChosen: boolean;
}

/** `chosenId`: marks the legs up to the end of that order as chosen. */
export function drawLegs(map: MapAnswer, chosenId: string | undefined, now: number): Leg[] {
  const orders = new Map(map.orders.map((order) => [order.id, order]));
  const routed = map.couriers.flatMap(({ position, stops }) => {
    const last = stops.findLastIndex(({ orderId }) => orderId === chosenId);
    return stops.flatMap((stop, index): Leg[] => {
      const from = index === 0 ? position : stops[index - 1];
      const order = orders.get(stop.orderId);
      if (from === null || from === undefined || order === undefined) return [];
      return [{ from, to: stop, ...describeLeg(order, now), isChosen: index <= last }];
    });
  });
  const drawn = new Set(map.couriers.flatMap(({ stops }) => stops.map(({ orderId }) => orderId)));
  // Planned for a courier who is not shown, or unplanned: only pickup and drop-off are known.
  const single = map.orders.flatMap((order): Leg[] => {
    if (drawn.has(order.id) || order.pickup === null || order.dropoff === null) return [];
    return [
      {
        from: order.pickup,
        to: order.dropoff,
        ...describeLeg(order, now),
        isTentative: true,
        isChosen: order.id === chosenId,
      },
    ];
  });
  return [...routed, ...single];
}

function describeLeg(order: MapOrder, now: number): Pick<Leg, 'orderId' | 'tone' | 'isTentative'> {
  return {
    orderId: order.id,
    tone: describeLateness(order, now).tone,
    isTentative: order.courier?.standing !== 'accepted',
  };
}

export function placesOf(map: MapAnswer): Place[] {
  return [
    ...map.restaurants.flatMap(({ place }) => place ?? []),
    ...map.orders.flatMap(({ pickup, dropoff }) => [pickup ?? [], dropoff ?? []].flat()),
    ...map.couriers.flatMap(({ position }) => position ?? []),
  ];
}

/** The places of one order: its route, its courier and the stops before it. */
export function placesOfOrder(map: MapAnswer, order: MapOrder): Place[] {
  const legs = drawLegs(map, order.id, 0).filter(({ isChosen }) => isChosen);
  return [...legs.flatMap(({ from, to }) => [from, to]), ...[order.pickup ?? [], order.dropoff ?? []].flat()];
}
