// Commitment in two stages: a plan is tentative until delaying a courier's departure would delay a drop-off.
import type { PlannedStop } from './plan.ts';
import type { PlanningProblem } from './search/problem.ts';

/**
 * The latest time at which a courier can leave for the first stop without delaying the first drop-off. Until then
 * the courier need not be notified, and a better plan may still appear. Undefined for an empty route.
 */
export function findLatestDeparture(
  problem: PlanningProblem,
  courier: number,
  route: readonly PlannedStop[],
): number | undefined {
  return findLatestDepartures(problem, courier, route)[0];
}

interface Leg {
  /** When the courier could leave for the stop. */
  left: number;
  waits: number;
  isPickup: boolean;
  /** One of several consecutive pickups at one place, made in one visit. */
  isShared: boolean;
}

/** The same for every stop of the route: the latest departure that still reaches the next drop-off as planned. */
export function findLatestDepartures(
  problem: PlanningProblem,
  courier: number,
  route: readonly PlannedStop[],
): number[] {
  const legs = listLegs(problem, courier, route);
  const latest = legs.map(() => 0);
  // Waits on the way to the next drop-off can be moved before the departure.
  let waitsToDropoff = 0;
  for (let at = legs.length - 1; at >= 0; at--) {
    const leg = legs[at];
    if (leg === undefined) continue;
    waitsToDropoff = leg.isPickup ? waitsToDropoff + leg.waits : leg.waits;
    latest[at] = leg.left + waitsToDropoff;
  }
  for (const [at, leg] of legs.entries()) if (leg.isShared) latest[at] = latest[at - 1] ?? 0;
  return latest;
}

function listLegs(problem: PlanningProblem, courier: number, route: readonly PlannedStop[]): Leg[] {
  const { stops, couriers, travel, locationCount } = problem;
  const row = (couriers.profile[courier] ?? 0) * locationCount;
  let place = couriers.location[courier] ?? 0;
  let left = couriers.available[courier] ?? 0;
  let previous: PlannedStop | undefined;
  return route.map((planned) => {
    const to = stops.location[planned.stop] ?? 0;
    const isPickup = planned.stop % 2 === 0;
    const isShared = isPickup && previous !== undefined && previous.stop % 2 === 0 && place === to;
    const hop = travel[(row + place) * locationCount + to] ?? 0;
    const arrival = isShared ? (previous?.time ?? 0) : left + hop + (stops.arriving[planned.stop] ?? 0);
    const leg: Leg = { left, waits: planned.time - arrival, isPickup, isShared };
    left = planned.time + (stops.leaving[planned.stop] ?? 0);
    place = to;
    previous = planned;
    return leg;
  });
}
