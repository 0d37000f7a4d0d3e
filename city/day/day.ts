// A day as data: who orders what where and when, how long each kitchen takes, and who works. Nothing in it depends on
// the service. Times are milliseconds after the city opens.
import type { CancelReasonId } from '../../src/domain/orders/cancellation.ts';
import type { Vehicle } from '../../src/domain/couriers/courier.ts';
import type { Place } from '../../src/domain/geo.ts';

export interface CityDay {
  name: string;
  /** Minutes after midnight, UTC. */
  opensAtMinute: number;
  restaurants: CityRestaurant[];
  orders: CityOrder[];
  couriers: CityCourier[];
  stops: { pickup: StopTimes; door: StopTimes };
}

/** Parking and finding the counter or the bell, then what is left to do after the bag has changed hands. */
export interface StopTimes {
  arrivingMs: number;
  leavingMs: number;
}

export interface CityRestaurant {
  name: string;
  place: Place;
  /** By the restaurant's setting, or by somebody who presses the button. */
  approval: 'auto' | 'cook';
}

export interface CityOrder {
  id: string;
  /** Its number in the list of restaurants. */
  restaurant: number;
  placedAtMs: number;
  dropoff: Place;
  bags: number;
  /** What the kitchen promises. */
  prepMinutes: number;
  /** What somebody who presses the button needs to see it. */
  approvedAfterMs: number;
  /** What the kitchen really takes, from the approval on. */
  cookingMs: number;
  cancellation: Cancellation | null;
}

/** By the restaurant so long after the approval, while it is being cooked; or by the courier at a closed door. */
export type Cancellation =
  | { by: 'restaurant'; afterMs: number; reasonId: CancelReasonId }
  | { by: 'courier'; reasonId: CancelReasonId };

export interface CityCourier {
  name: string;
  vehicle: Vehicle;
  capacity: number;
  home: Place;
  onAtMs: number;
  offAtMs: number;
  /** The share of offers that this courier does not want. */
  declineShare: number;
  /** When the telephone has no connection. */
  dark: { fromMs: number; toMs: number } | null;
}
