// What a plan is made from and what it says: plain values, with ids instead of numbers.
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
  /** Not to be handed over before. */
  doorOpensAt: Instant | null;
  dueAt: Instant;
  bags: number;
  vehicles: readonly Vehicle[];
  canCombine: boolean;
  /** Who accepted it, carries it, or is being asked: nobody else gets it. */
  heldBy: string | null;
  isCarried: boolean;
  /** Who was announced as its courier in the last plan; another one costs a price. */
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
  /** False: finishes what they hold and gets nothing new. */
  takesMore: boolean;
}

export interface PlanRequest {
  now: Instant;
  orders: readonly OrderToPlan[];
  couriers: readonly CourierToPlan[];
}

/** How much is made of a plan. */
export interface PlanEffort {
  /** A long search, although there may be little new. */
  isThorough: boolean;
  /** Every order is explained anew; otherwise those in routes that changed, and some of the others in turn. */
  explainsAll: boolean;
  /** So many, from this one on, round and round. */
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
  /** When its courier has to leave for it at the latest; null where it waits or is on board. */
  leaveAt: Instant | null;
  /** Undefined: what was said before still holds. */
  reason: OrderReason | undefined;
}

export interface PlanAnswer {
  /** For each order of the request, in the same order. */
  orders: PlannedOrder[];
  summary: Omit<PlanSummary, 'durationMs'>;
}

/** What it would cost each of the couriers to take an order that is among those of the request and has no place yet. */
export interface QuoteRequest extends PlanRequest {
  orderId: string;
}

export interface CourierQuote {
  courierId: string;
  pickupAt: Instant;
  dropoffAt: Instant;
  /** More seconds of riding than without it. */
  detourSeconds: number;
  /** In seconds of delay, as the planner prices things. */
  extraCost: number;
  /** The most seconds by which another customer of the courier would wait longer. */
  pushesBackSeconds: number;
  misfit: Misfit | null;
}
