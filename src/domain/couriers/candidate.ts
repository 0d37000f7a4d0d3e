// Couriers who could be given an order by hand, with what it would mean for them and for the customer.
import type { Vehicle } from './courier.ts';
import type { Instant } from '../time.ts';

/** From so many on, and below so many; `under` null: without an end. */
export interface Band {
  from: number;
  under: number | null;
}

/** They can be chosen all the same: people know more than a plan does. */
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

/** Why nothing can be said about rides to and from the order. */
export const FIGURE_GAPS = ['NO_DROPOFF_LOCATION', 'NO_PICKUP_LOCATION', 'NOT_YET', 'NO_ANSWER'] as const;
export type FigureGap = (typeof FIGURE_GAPS)[number];

export interface CandidateFigures {
  pickupAt: Instant;
  dropoffAt: Instant;
  /** After the time that the customer was promised; 0 when it is in time. */
  lateSeconds: number;
  /** More riding than without it. */
  detourSeconds: number;
  /** The most by which another customer of the courier would wait longer. */
  pushesBackSeconds: number;
  /** Seconds of delay, as the planner prices things. */
  extraCost: number;
}

/** What a restaurant gets instead of exact values about a courier whom it does not know. */
export interface RoughFigures {
  distanceKm: Band | null;
  figures: {
    pickupMinutes: Band;
    detourMinutes: Band;
    /** Null: in time. */
    lateMinutes: Band | null;
  } | null;
}

export interface Candidate {
  id: string;
  name: string;
  /** False: of the operator's pool. */
  isOwn: boolean;
  onDuty: boolean;
  vehicle: Vehicle;
  /** In bags, as is the capacity. */
  bags: number;
  capacity: number;
  /** Orders that they were asked about or have accepted, and orders on board. */
  promised: number;
  carried: number;
  /** To the pickup, as the crow flies; null off duty, and where it is not known where they are. */
  distanceMeters: number | null;
  figures: CandidateFigures | null;
  /** Null: the exact values are there, as far as they are known. */
  rough: RoughFigures | null;
  warnings: CandidateWarning[];
  bar: CandidateBar | null;
}

export interface CandidateList {
  /** Best first. */
  couriers: Candidate[];
  /** There are others, farther away or off duty; a search by name finds them. */
  isCut: boolean;
  gap: FigureGap | null;
}
