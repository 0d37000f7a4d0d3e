// One plan, from the request to the answer. Runs in a thread of its own.
import type { Vehicle } from '../domain/courier.ts';
import { findLatestDepartures } from '../domain/planning/commitment.ts';
import type { Explanation } from '../domain/planning/explain.ts';
import { planRoutes, type Plan } from '../domain/planning/plan.ts';
import type { PlanningProblem } from '../domain/planning/problem.ts';
import { SECOND_MS } from '../domain/time.ts';
import { buildProblem, listLocations } from './build-problem.ts';
import type { OrderReason, PlanAnswer, PlannedOrder, PlanRequest } from './plan-request.ts';
import type { TravelBook } from './travel-book.ts';

/** A plan with little new in it is mended; one with much new in it is searched for. */
const SEARCH_MS = { mend: 50, search: 500 };
const MUCH_NEW = 0.2;
/** A small plan is as good as it gets long before its time is up. */
const ROUNDS = { least: 100, perOrder: 60 };
const SEED = 1;

export interface SolveTools {
  travelBook: TravelBook;
  monotonicMs: () => number;
}

export function solve(request: PlanRequest, { travelBook, monotonicMs }: SolveTools): PlanAnswer {
  const { orders, couriers } = request;
  const locations = listLocations(request);
  const vehicles: Vehicle[] = [...new Set(couriers.map(({ vehicle }) => vehicle))].toSorted();
  const rides = travelBook.lookUp(locations.places, vehicles);
  const problem = buildProblem(request, locations, { seconds: rides.seconds, vehicles });
  const newOrders = orders.filter(({ planned }) => planned === null).length;
  const searchMs = newOrders > MUCH_NEW * orders.length ? SEARCH_MS.search : SEARCH_MS.mend;
  const startedMs = monotonicMs();
  const plan = planRoutes(problem, {
    seed: SEED,
    maxRounds: ROUNDS.least + ROUNDS.perOrder * orders.length,
    elapsedShare: () => (monotonicMs() - startedMs) / searchMs,
    explain: 'changed',
  });
  return {
    orders: describePlan(request, problem, plan),
    summary: {
      orders: orders.length,
      waiting: plan.waiting.length,
      couriers: couriers.length,
      cost: Math.round(plan.cost),
      rounds: plan.rounds,
      travelTimes: rides.source,
      bridgedShare: rides.bridgedShare,
    },
  };
}

function describePlan(request: PlanRequest, problem: PlanningProblem, plan: Plan): PlannedOrder[] {
  const planned = request.orders.map((order, index): PlannedOrder => ({
    orderId: order.id,
    courierId: null,
    pickupPlace: null,
    dropoffPlace: null,
    pickupAt: null,
    dropoffAt: null,
    leaveAt: null,
    reason: describeReason(request, plan.explanations[index]),
  }));
  for (const [courier, route] of plan.routes.entries()) {
    const latest = findLatestDepartures(problem, courier, route);
    for (const [place, { stop, time }] of route.entries()) {
      const order = planned[Math.floor(stop / 2)];
      if (order === undefined) continue;
      order.courierId = request.couriers[courier]?.id ?? null;
      const at = request.now + time * SECOND_MS;
      if (stop % 2 === 0) {
        order.pickupPlace = place;
        order.pickupAt = at;
        order.leaveAt = request.now + (latest[place] ?? 0) * SECOND_MS;
      } else {
        order.dropoffPlace = place;
        order.dropoffAt = at;
      }
    }
  }
  return planned;
}

function describeReason({ couriers }: PlanRequest, explanation: Explanation | undefined): OrderReason | undefined {
  if (explanation === undefined) return undefined;
  const idOf = (courier: number): string => couriers[courier]?.id ?? '';
  switch (explanation.kind) {
    case 'accepted':
      return { kind: 'held', courierId: idOf(explanation.courier) };
    case 'waiting':
      return { kind: 'waiting', reason: couriers.length === 0 ? 'NOBODY_ON_DUTY' : explanation.reason };
    case 'placed': {
      const { courier, extraCost, nextBest } = explanation;
      return {
        kind: 'placed',
        courierId: idOf(courier),
        extraCost: Math.round(extraCost),
        nextBest:
          nextBest === undefined
            ? null
            : { courierId: idOf(nextBest.courier), extraCost: Math.round(nextBest.extraCost) },
      };
    }
  }
}
