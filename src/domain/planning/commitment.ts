// Commitment in two stages: a plan is tentative until putting a courier's departure off would delay a door.
import type { PlannedStop } from './plan.ts';
import type { PlanningProblem } from './problem.ts';

/**
 * The latest time at which a courier may leave for the first stop without reaching the first door later than planned.
 * Before it nothing has to be said to the courier, and a better plan may still come. Undefined for an empty route.
 */
export function findLatestDeparture(
  problem: PlanningProblem,
  courier: number,
  route: readonly PlannedStop[],
): number | undefined {
  const { stops, couriers, travel, locationCount } = problem;
  const row = (couriers.profile[courier] ?? 0) * locationCount;
  const available = couriers.available[courier] ?? 0;
  let place = couriers.location[courier] ?? 0;
  let left = available;
  let previous: PlannedStop | undefined;
  let waits = 0;
  for (const planned of route) {
    const to = stops.location[planned.stop] ?? 0;
    const isPickup = planned.stop % 2 === 0;
    const isShared = isPickup && previous !== undefined && previous.stop % 2 === 0 && place === to;
    const hop = travel[(row + place) * locationCount + to] ?? 0;
    const arrival = isShared ? (previous?.time ?? 0) : left + hop + (stops.arriving[planned.stop] ?? 0);
    // Each wait on the way to the first door could as well be spent before leaving.
    waits += planned.time - arrival;
    if (!isPickup) break;
    left = planned.time + (stops.leaving[planned.stop] ?? 0);
    place = to;
    previous = planned;
  }
  return route.length === 0 ? undefined : available + waits;
}
