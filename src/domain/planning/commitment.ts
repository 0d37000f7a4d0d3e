// Commitment in two stages: a plan is tentative until putting a courier's departure off would delay a door.
import type { PlannedStop } from './plan.ts';
import type { PlanningProblem } from './search/problem.ts';

/**
 * The latest time at which a courier may leave for the first stop without reaching the first door later than planned.
 * Before it nothing has to be said to the courier, and a better plan may still come. Undefined for an empty route.
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
  /** One of several pickups at one place: they are one visit. */
  isShared: boolean;
}

/** The same for each stop of the route: when to leave for it at the latest, and still reach the next door as planned. */
export function findLatestDepartures(
  problem: PlanningProblem,
  courier: number,
  route: readonly PlannedStop[],
): number[] {
  const legs = listLegs(problem, courier, route);
  const latest = legs.map(() => 0);
  // Each wait on the way to the next door could as well be spent before leaving.
  let waitsToDoor = 0;
  for (let at = legs.length - 1; at >= 0; at--) {
    const leg = legs[at];
    if (leg === undefined) continue;
    waitsToDoor = leg.isPickup ? waitsToDoor + leg.waits : leg.waits;
    latest[at] = leg.left + waitsToDoor;
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
