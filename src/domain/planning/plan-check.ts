// An independent check of a plan against its problem: it shares no arithmetic with the planner, so neither can hide the
// other's mistakes.
import type { Plan, PlannedStop } from './plan.ts';
import { countCouriers, countOrders, NOBODY, type PlanningProblem, UNREACHABLE } from './search/problem.ts';

/** Describes every rule that the plan breaks; an empty list means a valid plan. */
export function findFaults(problem: PlanningProblem, plan: Pick<Plan, 'routes' | 'waiting'>): string[] {
  const faults: string[] = [];
  const courierOf = new Map<number, number>();
  if (plan.routes.length !== countCouriers(problem)) faults.push('not one route for each courier');
  for (const [courier, route] of plan.routes.entries()) {
    for (const { stop } of route) {
      if (courierOf.has(stop)) faults.push(`stop ${stop} appears twice`);
      courierOf.set(stop, courier);
    }
    faults.push(...checkRoute(problem, courier, route).map((fault) => `courier ${courier}: ${fault}`));
  }
  for (let order = 0; order < countOrders(problem); order++) {
    faults.push(...checkOrder(problem, order, { courierOf, waiting: plan.waiting }));
  }
  return faults;
}

interface WholePlan {
  courierOf: Map<number, number>;
  waiting: readonly number[];
}

function checkOrder(problem: PlanningProblem, order: number, { courierOf, waiting }: WholePlan): string[] {
  const faults: string[] = [];
  const pickup = courierOf.get(2 * order);
  const dropoff = courierOf.get(2 * order + 1);
  const pinned = problem.orders.pinnedTo[order] ?? NOBODY;
  const isCarried = problem.orders.carried[order] === 1;
  if ((dropoff === undefined) !== waiting.includes(order)) faults.push(`order ${order} is neither placed nor waiting`);
  if (isCarried && pickup !== undefined) faults.push(`order ${order} is picked up twice`);
  if (!isCarried && pickup !== dropoff) faults.push(`the stops of order ${order} are in different routes`);
  if (pinned !== NOBODY && dropoff !== pinned) faults.push(`order ${order} was taken from courier ${pinned}`);
  if (dropoff !== undefined && problem.allowed?.[order * countCouriers(problem) + dropoff] === 0) {
    faults.push(`order ${order} may not go to courier ${dropoff}`);
  }
  return faults;
}

function travelTime(problem: PlanningProblem, courier: number, way: { from: number; to: number }): number {
  const profile = problem.couriers.profile[courier] ?? 0;
  const size = problem.locationCount;
  return problem.travel[profile * size * size + way.from * size + way.to] ?? UNREACHABLE;
}

function checkRoute(problem: PlanningProblem, courier: number, route: readonly PlannedStop[]): string[] {
  const { stops, orders, couriers } = problem;
  const faults: string[] = [];
  const onBoard = new Set<number>();
  for (const [order, holder] of orders.pinnedTo.entries()) {
    if (holder === courier && orders.carried[order] === 1) onBoard.add(order);
  }
  let from = couriers.location[courier] ?? 0;
  let departure = couriers.available[courier] ?? 0;
  let previous: PlannedStop | undefined;
  for (const planned of route) {
    const { stop, time } = planned;
    const order = Math.floor(stop / 2);
    const isPickup = stop % 2 === 0;
    const to = stops.location[stop] ?? 0;
    const wasPickup = previous !== undefined && previous.stop % 2 === 0;
    const ride = travelTime(problem, courier, { from, to });
    const isShared = isPickup && wasPickup && from === to;
    const arrival = isShared ? (previous?.time ?? 0) : departure + ride + (stops.arriving[stop] ?? 0);
    const expected = Math.max(arrival, stops.earliest[stop] ?? 0);
    if (ride >= UNREACHABLE && !isShared) faults.push(`stop ${stop} cannot be reached`);
    if (time !== expected) faults.push(`stop ${stop} is planned at ${time}, but reached at ${expected}`);
    const isPinned = (orders.pinnedTo[order] ?? NOBODY) !== NOBODY;
    if (!isPinned && time > (stops.latest[stop] ?? 0)) faults.push(`stop ${stop} is after its limit`);
    if (isPickup && !isPinned && time > (couriers.shiftEnd[courier] ?? 0))
      faults.push(`pickup ${stop} after the shift`);
    if (isPickup && problem.mixing === 'one-pickup-place' && !isPinned && onBoard.size > 0 && !isShared) {
      faults.push(`pickup ${stop} is mixed into another place's trip`);
    }
    if (isPickup) onBoard.add(order);
    else if (!onBoard.delete(order)) faults.push(`stop ${stop} drops off an order that was not picked up`);
    const load = [...onBoard].reduce((sum, carried) => sum + (orders.size[carried] ?? 0), 0);
    if (isPickup && !isPinned && load > (couriers.capacity[courier] ?? 0)) faults.push(`overloaded at stop ${stop}`);
    const isCrowded = onBoard.size > 1 && [...onBoard].some((carried) => orders.alone[carried] === 1);
    if (isPickup && !isPinned && isCrowded) faults.push(`stop ${stop} combines an order that must be alone`);
    departure = time + (stops.leaving[stop] ?? 0);
    from = to;
    previous = planned;
  }
  if (onBoard.size > 0) faults.push('an order is never dropped off');
  const end = couriers.endLocation[courier] ?? NOBODY;
  if (end !== NOBODY && previous !== undefined) {
    const home = departure + travelTime(problem, courier, { from, to: end });
    if (home > (couriers.endLatest[courier] ?? 0)) faults.push('home too late');
  }
  return faults;
}
