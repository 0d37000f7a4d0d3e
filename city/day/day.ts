// A day as data: the orders, the preparation time of each, and the couriers' shifts. Nothing in it depends on the
// service. Times are milliseconds after the city opens.
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
  stops: { pickup: StopTimes; dropoff: StopTimes };
}

/** Time to park and find the counter or door, and time to leave after the handover. */
export interface StopTimes {
  arrivingMs: number;
  leavingMs: number;
}

export interface CityRestaurant {
  name: string;
  place: Place;
  /** Automatic by the restaurant's setting, or by a cook who presses the button. */
  approval: 'auto' | 'cook';
}

export interface CityOrder {
  id: string;
  /** Index in the list of restaurants. */
  restaurant: number;
  placedAtMs: number;
  dropoff: Place;
  bags: number;
  /** The preparation time that the kitchen promises. */
  prepMinutes: number;
  /** How long a cook takes to notice the order and approve it. */
  approvedAfterMs: number;
  /** The kitchen's actual time, from the approval. */
  cookingMs: number;
  cancellation: Cancellation | null;
}

/** By the restaurant some time after the approval, during cooking; or by the courier at a closed door. */
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
  /** The share of offers that this courier declines. */
  declineShare: number;
  /** When the courier's phone has no connection. */
  dark: { fromMs: number; toMs: number } | null;
}
