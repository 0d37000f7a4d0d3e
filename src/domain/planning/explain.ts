// Explains each order's place: its courier and the extra cost of the next best, or why the order waits.
import type { Insertion } from './search/insertion.ts';
import type { Journal } from './search/undo-journal.ts';
import { NEVER, NOBODY, UNREACHABLE } from './search/problem.ts';
import type { Placer } from './search/placer.ts';
import type { Routes } from './search/routes.ts';

export type WaitReason =
  /** No courier may carry it. */
  | 'NOBODY_ALLOWED'
  /** Every courier who may carry it lacks the capacity. */
  | 'TOO_LARGE'
  /** No courier who may carry it could be at the pickup before their shift ends. */
  | 'SHIFTS_END'
  /** It would fit, but at a higher cost than the price of leaving it out. */
  | 'COSTS_TOO_MUCH'
  /** It fits into no route within the limits. */
  | 'NO_ROOM';

export type Misfit = Extract<WaitReason, 'TOO_LARGE' | 'SHIFTS_END' | 'NO_ROOM'>;

export type Explanation =
  | { kind: 'accepted'; courier: number }
  | { kind: 'placed'; courier: number; extraCost: number; nextBest?: { courier: number; extraCost: number } }
  | { kind: 'waiting'; reason: WaitReason; cheapest?: { courier: number; extraCost: number } };

export interface ExplainParts {
  routes: Routes;
  insertion: Insertion;
  placer: Placer;
  journal: Journal;
  yieldPoint: () => void;
}

/**
 * Explains the requested orders and leaves the others undefined. A better place found while comparing is used, so
 * that a plan never contradicts its own explanation.
 */
export function explainOrders(parts: ExplainParts, isAsked: (order: number) => boolean): (Explanation | undefined)[] {
  const marks = new Int32Array(parts.routes.orderCount);
  return Array.from({ length: parts.routes.orderCount }, (_, order) => {
    if (!isAsked(order)) return undefined;
    parts.yieldPoint();
    return explainOne(parts, order, marks);
  });
}

function explainOne(parts: ExplainParts, order: number, marks: Int32Array): Explanation {
  const { routes, insertion, placer, journal } = parts;
  const { pinnedTo } = routes.problem.orders;
  const route = routes.routeOf[order] ?? NOBODY;
  if (route === NOBODY) return explainWaiting(parts, order);
  if (pinnedTo[order] !== NOBODY) return { kind: 'accepted', courier: route };
  const before = routes.cost;
  journal.begin();
  journal.touch(route);
  marks[order] = 1;
  routes.removeMarked(route, marks, 1);
  marks[order] = 0;
  const ownCost = before - (routes.cost - (routes.problem.orders.leaveOutPrice[order] ?? 0));
  const found = placer.find(order);
  if (found && insertion.delta < ownCost - 1e-6 && routes.isInTime(route)) {
    placer.place(order);
    return placed(insertion.route, insertion.delta, {
      courier: insertion.secondRoute,
      extraCost: insertion.secondDelta - insertion.delta,
    });
  }
  const other =
    insertion.route === route
      ? { courier: insertion.secondRoute, extraCost: insertion.secondDelta - ownCost }
      : { courier: insertion.route, extraCost: insertion.delta - ownCost };
  journal.rollback();
  return placed(route, ownCost, other);
}

function placed(courier: number, extraCost: number, other: { courier: number; extraCost: number }): Explanation {
  if (other.courier === NOBODY || !Number.isFinite(other.extraCost)) return { kind: 'placed', courier, extraCost };
  return { kind: 'placed', courier, extraCost, nextBest: { ...other, extraCost: Math.max(0, other.extraCost) } };
}

function explainWaiting(parts: ExplainParts, order: number): Explanation {
  const { routes, insertion, placer, journal } = parts;
  const { allowed } = routes.problem;
  if (placer.find(order)) {
    journal.begin();
    placer.place(order);
    const otherwise = { courier: insertion.secondRoute, extraCost: insertion.secondDelta - insertion.delta };
    return placed(insertion.route, insertion.delta, otherwise);
  }
  if (insertion.route !== NOBODY) {
    const cheapest = { courier: insertion.route, extraCost: insertion.delta };
    return { kind: 'waiting', reason: 'COSTS_TOO_MUCH', cheapest };
  }
  let reason: WaitReason = 'NOBODY_ALLOWED';
  for (let courier = 0; courier < routes.courierCount; courier++) {
    if (allowed !== undefined && allowed[order * routes.courierCount + courier] === 0) continue;
    const misfit = findMisfit(routes, order, courier);
    if (misfit === 'NO_ROOM') return { kind: 'waiting', reason: misfit };
    if (misfit === 'SHIFTS_END' || reason === 'NOBODY_ALLOWED') reason = misfit;
  }
  return { kind: 'waiting', reason };
}

/** Why an order does not fit the route of a courier who may carry it; called if no place was found. */
export function findMisfit(routes: Routes, order: number, courier: number): Misfit {
  const { couriers, orders, stops } = routes.problem;
  if ((couriers.capacity[courier] ?? 0) < (orders.size[order] ?? 0)) return 'TOO_LARGE';
  const hop = routes.travelBetween(courier, couriers.location[courier] ?? 0, stops.location[2 * order] ?? 0);
  const arrival = (couriers.available[courier] ?? 0) + hop + (stops.arriving[2 * order] ?? 0);
  const pickup = Math.max(arrival, stops.earliest[2 * order] ?? 0);
  return hop >= UNREACHABLE || pickup > (couriers.shiftEnd[courier] ?? NEVER) ? 'SHIFTS_END' : 'NO_ROOM';
}
