// The stops up to the end of the chosen order.
import type { MapCourier } from '../../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { formatZoned, zoneName } from '../../../ui/time/time-words.ts';
import { mapTexts } from '../../../texts/planning/map.ts';
import { zoneOf, type OrderZones } from './order-zones.ts';

export interface RouteStop {
  key: string;
  place: Place;
  /** Positions in the route, from 1. */
  numbers: readonly number[];
  /** Time of the first of them. */
  text: string;
}

/** Stops at the same place are merged into one. */
export function listStops(courier: MapCourier, chosenId: string, zones: OrderZones): RouteStop[] {
  // With a single zone, only the list beside the map names it.
  const isZoneNamed = new Set(zones.values()).size > 1;
  const last = courier.stops.findLastIndex(({ orderId }) => orderId === chosenId);
  const numbered = courier.stops.slice(0, last + 1).map((stop, index) => ({ ...stop, number: index + 1 }));
  const byPlace = Map.groupBy(numbered, ({ latitude, longitude }) => `${latitude} ${longitude}`);
  return [...byPlace].flatMap(([key, stops]) => {
    const [first] = stops;
    if (first === undefined) return [];
    const text = sayWhen(first, { zone: zoneOf(zones, first.orderId), isZoneNamed });
    return [{ key, place: first, numbers: stops.map(({ number }) => number), text }];
  });
}

function sayWhen(
  { at, kind }: MapCourier['stops'][number],
  { zone, isZoneNamed }: { zone: string; isZoneNamed: boolean },
): string {
  if (at === null) return mapTexts.stop[kind];
  const instant = Date.parse(at);
  const time = formatZoned(instant, zone, 'time');
  return isZoneNamed ? `${time} ${zoneName(instant, zone)}` : time;
}
