// What a courier is worth to the orders that nobody has placed yet, as a price for sending that courier now.
import type { PlanningProblem } from './search/problem.ts';

/** Where orders come from: pickup places, each with how many orders it had of late. */
export interface Demand {
  places: Int32Array;
  weights: Float64Array;
}

/** Beyond half an hour a place is as good as out of reach, however much further it is. */
const FURTHEST_SECONDS = 1800;

/** A courier with less of the shift left than this is worth less to later orders. */
const FULL_WORTH_SECONDS = 60 * 60;

/** The mean way in seconds from a place to where orders come from. */
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
 * The price for sending a courier, to go into `orderPrice`. Of two who are both in time for an order, the one further
 * from the demand or nearer to the end of the shift should go: the other will be in time for more of what is to come.
 */
export function priceCourier(
  courier: { remotenessSeconds: number; shiftLeftSeconds: number },
  pricePerSecond: number,
): number {
  const share = Math.min(1, Math.max(0, courier.shiftLeftSeconds / FULL_WORTH_SECONDS));
  return share * pricePerSecond * (FURTHEST_SECONDS - courier.remotenessSeconds);
}
