// A courier's value to orders that do not exist yet, as a price for sending that courier now.
import type { PlanningProblem } from './search/problem.ts';

/** Where orders come from: pickup places, each with its number of recent orders. */
export interface Demand {
  places: Int32Array;
  weights: Float64Array;
}

/** Beyond half an hour, a place is practically out of reach, however far it is. */
const FURTHEST_SECONDS = 1800;

/** Couriers with less than this left of their shift are worth less to later orders. */
const FULL_WORTH_SECONDS = 60 * 60;

/** The average travel time in seconds from a place to where orders come from. */
export function measureRemoteness(
  { travel, locationCount }: Pick<PlanningProblem, 'travel' | 'locationCount'>,
  place: number,
  demand: Demand,
): number {
  let weighted = 0;
  let total = 0;
  for (let index = 0; index < demand.places.length; index++) {
    const weight = demand.weights[index] ?? 0;
    const hop = travel[place * locationCount + (demand.places[index] ?? 0)] ?? 0;
    weighted += weight * (hop < FURTHEST_SECONDS ? hop : FURTHEST_SECONDS);
    total += weight;
  }
  return total === 0 ? 0 : weighted / total;
}

/**
 * The price for sending a courier, added to `orderPrice`. Of two couriers who are both in time, the one farther from
 * the demand or nearer the end of the shift should go: the other will be in time for more future orders.
 */
export function priceCourier(
  courier: { remotenessSeconds: number; shiftLeftSeconds: number },
  pricePerSecond: number,
): number {
  const share = Math.min(1, Math.max(0, courier.shiftLeftSeconds / FULL_WORTH_SECONDS));
  return share * pricePerSecond * (FURTHEST_SECONDS - courier.remotenessSeconds);
}
