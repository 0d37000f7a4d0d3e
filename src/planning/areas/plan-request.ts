// The input and output of a plan: plain values that refer to orders and couriers by id.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import type { Place } from '../../domain/geo.ts';
import type { Misfit } from '../../domain/planning/explain.ts';
import type { Instant } from '../../domain/time.ts';
import type { WaitReason } from '../../domain/planning/wait-reasons.ts';
import type { PlanSummary } from '../../store/planning/areas.ts';
import type { PricedCourier } from '../../store/planning/plans.ts';

export interface OrderToPlan {
  id: string;
  restaurantId: string;
  pickup: Place;
  dropoff: Place;
  readyAt: Instant;
  /** The order must not be handed over before this. */
  dropoffFrom: Instant | null;
  dueAt: Instant;
  bags: number;
  vehicles: readonly Vehicle[];
  canCombine: boolean;
  /** The courier who accepted or carries it, or has an open offer for it: no one else gets it. */
  heldBy: string | null;
  isCarried: boolean;
  /** The courier shown for it since the last plan; changing it has a price. */
  announcedTo: string | null;
  refusedBy: readonly string[];
  lockedTo: string | null;
  /** Its place in the last plan. */
  planned: { courierId: string; pickupPlace: number | null; dropoffPlace: number } | null;
}

export interface CourierToPlan {
  id: string;
  restaurantId: string | null;
  vehicle: Vehicle;
  capacity: number;
  place: Place;
  shiftEndsAt: Instant | null;
  /** False: the courier finishes the orders they hold and gets nothing new. */
  takesMore: boolean;
}

export interface PlanRequest {
  now: Instant;
  orders: readonly OrderToPlan[];
  couriers: readonly CourierToPlan[];
}

/** How much work goes into a plan. */
export interface PlanEffort {
  /** Search for long even if little has changed. */
  isThorough: boolean;
  /** Explain every order again; otherwise only those in changed routes, and some of the others by rotation. */
  explainsAll: boolean;
  /** The rotation: `count` orders, starting with number `first`, wrapping around. */
  inTurn: { first: number; count: number };
}

export type OrderReason =
  | { kind: 'held'; courierId: string }
  | {
      kind: 'placed';
      courierId: string;
      extraCost: number;
      nextBest: PricedCourier | null;
    }
  | { kind: 'waiting'; reason: WaitReason; cheapest?: PricedCourier };

export interface PlannedOrder {
  orderId: string;
  courierId: string | null;
  pickupPlace: number | null;
  dropoffPlace: number | null;
  pickupAt: Instant | null;
  dropoffAt: Instant | null;
  /** When its courier has to leave at the latest; null if it waits or is already picked up. */
  leaveAt: Instant | null;
  /** Undefined: the previous reason still holds. */
  reason: OrderReason | undefined;
}

export interface PlanAnswer {
  /** For each order of the request, in the same order. */
  orders: PlannedOrder[];
  summary: Omit<PlanSummary, 'durationMs'>;
}

/** What it would cost each courier to take an order that is among those of the request but not planned yet. */
export interface QuoteRequest extends PlanRequest {
  orderId: string;
}

export interface CourierQuote {
  courierId: string;
  pickupAt: Instant;
  dropoffAt: Instant;
  /** Additional seconds of riding. */
  detourSeconds: number;
  /** In seconds of delay, as the planner prices things. */
  extraCost: number;
  /** The largest additional delay, in seconds, of another customer of the courier. */
  pushesBackSeconds: number;
  misfit: Misfit | null;
}
