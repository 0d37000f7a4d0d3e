// The stops on the way to the end of the chosen order.
import type { MapCourier } from '../../../../src/contract/panel/map.ts';
import type { Place } from '../../../../src/domain/geo.ts';
import { formatZoned } from '../../components/time-words.ts';
import { mapTexts } from '../../texts/map.ts';

export interface RouteStop {
  key: string;
  place: Place;
  /** Their places in the route, from one. */
  numbers: readonly number[];
  /** When the first of them is due. */
  text: string;
}

/** What is to be done at one place is one stop. */
export function listStops(courier: MapCourier, chosenId: string, zone: string): RouteStop[] {
  const last = courier.stops.findLastIndex(({ orderId }) => orderId === chosenId);
  const numbered = courier.stops.slice(0, last + 1).map((stop, index) => ({ ...stop, number: index + 1 }));
  const byPlace = Map.groupBy(numbered, ({ latitude, longitude }) => `${latitude} ${longitude}`);
  return [...byPlace].flatMap(([key, stops]) => {
    const [first] = stops;
    if (first === undefined) return [];
    const text = first.at === null ? mapTexts.stop[first.kind] : formatZoned(Date.parse(first.at), zone, 'time');
    return [{ key, place: first, numbers: stops.map(({ number }) => number), text }];
  });
}
