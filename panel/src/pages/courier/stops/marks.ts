// Positions and labels of the markers on the courier's map.
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import type { Place } from '../../../../../src/domain/geo.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { nameOfStop } from './name.ts';

/** The fields of a stop that the map needs. */
export type MapStop = Pick<CourierStop, 'kind' | 'restaurant' | 'place' | 'customer'>;

export interface StopMark {
  location: Place;
  /** Numbers of the stops at this place. */
  numbers: string;
  label: string;
  isPickup: boolean;
  isShown: boolean;
}

/** One per place: markers of two orders from the same kitchen would hide each other. */
export function listMarks(stops: readonly MapStop[], shown: MapStop | undefined): StopMark[] {
  const located = stops.flatMap((stop, index) => {
    const { location } = stop.place;
    return location === undefined ? [] : [{ stop, location, number: String(index + 1) }];
  });
  const byPlace = Map.groupBy(located, ({ location: { latitude, longitude } }) => `${latitude} ${longitude}`);
  return [...byPlace.values()].flatMap((there): StopMark[] => {
    const [first] = there;
    if (first === undefined) return [];
    const labels = there.map(({ stop }) => `${courierTexts.stopKinds[stop.kind]} ${nameOfStop(stop)}`);
    return [
      {
        location: first.location,
        numbers: there.map(({ number }) => number).join(', '),
        label: [...new Set(labels)].join(', '),
        isPickup: there.some(({ stop }) => stop.kind === 'pickup'),
        isShown: there.some(({ stop }) => stop === shown),
      },
    ];
  });
}
