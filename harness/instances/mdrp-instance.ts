// One day of the Meal Delivery Routing Problem (Reyes et al. 2018), read from its folder. Minutes and meters.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readNumber, readTable } from './data-folder.ts';

export interface Place {
  x: number;
  y: number;
}

export interface MdrpOrder extends Place {
  id: string;
  placement: number;
  restaurant: number;
  ready: number;
}

export interface MdrpCourier extends Place {
  id: string;
  on: number;
  off: number;
}

export interface MdrpInstance {
  name: string;
  restaurants: Place[];
  orders: MdrpOrder[];
  couriers: MdrpCourier[];
  metersPerMinute: number;
  pickupService: number;
  dropoffService: number;
  targetClickToDoor: number;
  maxClickToDoor: number;
  payPerOrder: number;
  payPerHour: number;
}

export function listMdrp(folder: string): string[] {
  return readdirSync(path.join(folder, 'mdrp')).sort();
}

export function readMdrp(folder: string, name: string): MdrpInstance {
  const read = (file: string): Record<string, string>[] => readTable(path.join(folder, 'mdrp', name, file), '\t');
  const [parameters = {}] = read('instance_parameters.txt');
  const restaurantRows = read('restaurants.txt');
  const restaurantIndex = new Map(restaurantRows.map((row, index) => [row['restaurant'], index]));
  return {
    name,
    restaurants: restaurantRows.map(readPlace),
    orders: read('orders.txt').map((row) => {
      const restaurant = restaurantIndex.get(row['restaurant']);
      if (restaurant === undefined) throw new Error(`${name}: restaurant ${row['restaurant']} is unknown`);
      const placement = readNumber(row, 'placement_time');
      return { ...readPlace(row), id: row['order'] ?? '', placement, restaurant, ready: readNumber(row, 'ready_time') };
    }),
    couriers: read('couriers.txt').map((row) => {
      return {
        ...readPlace(row),
        id: row['courier'] ?? '',
        on: readNumber(row, 'on_time'),
        off: readNumber(row, 'off_time'),
      };
    }),
    metersPerMinute: readNumber(parameters, 'meters_per_minute'),
    pickupService: readNumber(parameters, 'pickup service minutes'),
    dropoffService: readNumber(parameters, 'dropoff service minutes'),
    targetClickToDoor: readNumber(parameters, 'target click-to-door'),
    maxClickToDoor: readNumber(parameters, 'maximum click-to-door'),
    payPerOrder: readNumber(parameters, 'pay per order'),
    payPerHour: readNumber(parameters, 'guaranteed pay per hour'),
  };
}

function readPlace(row: Record<string, string>): Place {
  return { x: readNumber(row, 'x'), y: readNumber(row, 'y') };
}

/** One completed trip: a bundle from one restaurant, its orders in drop-off order. */
export interface MdrpTrip {
  courier: number;
  assignedAt: number;
  departure: number;
  pickup: number;
  drops: { order: number; time: number }[];
}
