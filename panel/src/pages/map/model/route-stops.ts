// The stops on the way to the end of the chosen order.
import type { MapCourier } from '../../../../../src/contract/panel/planning/map.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { formatZoned, zoneName } from '../../../ui/time/time-words.ts';
import { mapTexts } from '../../../texts/planning/map.ts';
import { zoneOf, type OrderZones } from './order-zones.ts';

export interface RouteStop {
  key: string;
  place: Place;
  /** Their places in the route, from one. */
  numbers: readonly number[];
  /** When the first of them is due. */
  text: string;
}

/** What is to be done at one place is one stop. */
export function listStops(courier: MapCourier, chosenId: string, zones: OrderZones): RouteStop[] {
  // Where all clocks show the same, the list beside the map names the zone.
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
