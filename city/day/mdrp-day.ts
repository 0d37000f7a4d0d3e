// Converts a day of the Meal Delivery Routing Problem into a city day: meters become coordinates, couriers get a
// vehicle of about the instance's speed, and food is ready at the instance's times.
import type { Place } from '../../src/domain/geo.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import type { MdrpInstance, Place as Point } from '../../harness/instances/mdrp-instance.ts';
import type { CityDay, StopTimes } from './day.ts';
import { moveMeters } from './map.ts';

const ORIGIN: Place = { latitude: 40.9, longitude: 28.95 };
/** The instances' 320 meters a minute in a straight line match a motorcycle with the planner's usual detour factor. */
const VEHICLE = 'MOTORCYCLE';
const CAPACITY = 4;

/** `most` limits the number of orders; the selected ones are distributed over the day like all of them. */
export function readMdrpDay(instance: MdrpInstance, most = Infinity): CityDay {
  const all = instance.orders.toSorted((a, b) => a.placement - b.placement);
  const share = Math.min(1, most / all.length);
  const orders = all.filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share));
  const used = [...new Set(orders.map(({ restaurant }) => restaurant))].toSorted((a, b) => a - b);
  const numbers = new Map(used.map((number, index) => [number, index]));
  const opensAtMinute = Math.min(...instance.couriers.map(({ on }) => on), ...orders.map(({ placement }) => placement));
  const after = (minute: number): number => (minute - opensAtMinute) * MINUTE_MS;
  return {
    name: `${instance.name} of the Meal Delivery Routing Problem, ${orders.length} orders`,
    opensAtMinute,
    restaurants: used.map((number) => ({
      name: `Restaurant ${number + 1}`,
      place: onGlobe(instance.restaurants[number] ?? { x: 0, y: 0 }),
      approval: 'auto',
    })),
    orders: orders.map((order) => ({
      id: `${instance.name}-${order.id}`,
      restaurant: numbers.get(order.restaurant) ?? 0,
      placedAtMs: after(order.placement),
      dropoff: onGlobe(order),
      bags: 1,
      prepMinutes: order.ready - order.placement,
      approvedAfterMs: 0,
      cookingMs: (order.ready - order.placement) * MINUTE_MS,
      cancellation: null,
    })),
    couriers: instance.couriers.map((courier) => ({
      name: `Courier ${courier.id}`,
      vehicle: VEHICLE,
      capacity: CAPACITY,
      home: onGlobe(courier),
      onAtMs: after(courier.on),
      offAtMs: after(courier.off),
      declineShare: 0,
      dark: null,
    })),
    stops: { pickup: halves(instance.pickupService), dropoff: halves(instance.dropoffService) },
  };
}

function onGlobe({ x, y }: Point): Place {
  return moveMeters(ORIGIN, { east: x, north: y });
}

function halves(minutes: number): StopTimes {
  return { arrivingMs: (minutes / 2) * MINUTE_MS, leavingMs: (minutes / 2) * MINUTE_MS };
}
