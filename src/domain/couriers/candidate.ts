// Couriers who can be assigned an order by hand, with the effects on them and on the customer.
import type { Vehicle } from './courier.ts';
import type { Scope } from '../people/scope.ts';
import type { Refused } from '../refusals.ts';
import type { Instant } from '../time.ts';

/** A range from `from` up to, but excluding, `under`; `under` null: no upper limit. */
export interface Band {
  from: number;
  under: number | null;
}

/** These couriers can still be chosen: people know more than a plan does. */
export const CANDIDATE_WARNINGS = [
  'NOT_HEARD_OF',
  'TOO_LARGE',
  'SHIFTS_END',
  'NO_ROOM',
  'OTHER_VEHICLE',
  'DECLINED',
] as const;
export type CandidateWarning = (typeof CANDIDATE_WARNINGS)[number];

/** Why they cannot be chosen. */
export const CANDIDATE_BARS = ['OFF_DUTY', 'HAS_IT'] as const;
export type CandidateBar = (typeof CANDIDATE_BARS)[number];

/** Why no figures can be given for the trip to and from the order. */
export const FIGURE_GAPS = ['NO_DROPOFF_LOCATION', 'NO_PICKUP_LOCATION', 'NOT_YET', 'NO_ANSWER'] as const;
export type FigureGap = (typeof FIGURE_GAPS)[number];

export interface CandidateFigures {
  pickupAt: Instant;
  dropoffAt: Instant;
  /** Delay after the time promised to the customer; 0 if it is in time. */
  lateSeconds: number;
  /** Additional travel time. */
  detourSeconds: number;
  /** The longest additional wait of any of the courier's other customers. */
  pushesBackSeconds: number;
  /** In the planner's cost unit, seconds of delay. */
  extraCost: number;
}

/** Given to a restaurant instead of exact values if it does not know the courier. */
export interface RoughFigures {
  distanceKm: Band | null;
  figures: {
    pickupMinutes: Band;
    detourMinutes: Band;
    /** Null if in time. */
    lateMinutes: Band | null;
  } | null;
}

export interface Candidate {
  id: string;
  name: string;
  /** False for a courier from the operator's pool. */
  isOwn: boolean;
  onDuty: boolean;
  vehicle: Vehicle;
  /** Counted in bags, like the capacity. */
  bags: number;
  capacity: number;
  /** Orders offered to or accepted by them; and orders on board. */
  promised: number;
  carried: number;
  /** Straight-line distance to the pickup; null off duty, and if their position is unknown. */
  distanceMeters: number | null;
  figures: CandidateFigures | null;
  /** Null if the restaurant gets the exact values, as far as known. */
  rough: RoughFigures | null;
  warnings: CandidateWarning[];
  bar: CandidateBar | null;
}

export interface CandidateList {
  /** Best first. */
  couriers: Candidate[];
  /** More couriers exist, farther away or off duty; a search by name finds them. */
  isCut: boolean;
  gap: FigureGap | null;
}

export type CandidateResult = { kind: 'listed'; list: CandidateList } | Refused;

export interface CandidateRequest {
  orderId: string;
  /** Restaurants see only rough figures of couriers they do not know; see `privacy.ts`. */
  scope: Scope;
  /** Part of a courier's name; empty for everyone. */
  called: string;
}
