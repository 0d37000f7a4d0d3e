// Makes one plan, or answers one question about it. Runs in a planning thread.
import type { Vehicle } from '../../domain/couriers/courier.ts';
import { findLatestDepartures } from '../../domain/planning/commitment.ts';
import type { Explanation } from '../../domain/planning/explain.ts';
import { planRoutes, type Plan } from '../../domain/planning/plan.ts';
import { NEVER, type PlanningProblem } from '../../domain/planning/search/problem.ts';
import { quoteCouriers } from '../../domain/planning/quotes.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { buildProblem, listLocations } from './build-problem.ts';
import type {
  CourierQuote,
  OrderReason,
  PlanAnswer,
  PlanEffort,
  PlannedOrder,
  PlanRequest,
  QuoteRequest,
} from '../areas/plan-request.ts';
import type { PricedCourier } from '../../store/planning/plans.ts';
import type { Rides, TravelTimeCache } from '../travel/travel-time-cache.ts';

/**
 * A plan with few changes is repaired; one with many is searched for. Repairs are brief, because every change during a
 * plan has to wait for it. If there is much to repair, the next plan continues shortly after.
 */
const SOLVE_MS = { repair: 6, search: 500 };
/** Minimum search time, regardless of how long building the problem took. */
const MIN_SEARCH_MS = 3;
const MUCH_NEW = 0.2;
/** A small plan stops improving long before its time is up. */
const ROUNDS = { least: 100, perOrder: 60 };
const SEED = 1;

export interface SolveTools {
  travelTimes: Pick<TravelTimeCache, 'lookUp'>;
  monotonicMs: () => number;
  /** Called between small steps. */
  yieldPoint: () => void;
}

export function solve(request: PlanRequest, effort: PlanEffort, tools: SolveTools): PlanAnswer {
  const { monotonicMs, yieldPoint } = tools;
  const { orders, couriers } = request;
  const receivedMs = monotonicMs();
  const { problem, rides } = pose(request, tools);
  const startedMs = monotonicMs();
  const newOrders = orders.filter(({ planned }) => planned === null).length;
  const isSearch = effort.isThorough || newOrders > MUCH_NEW * orders.length;
  const solveMs = isSearch ? SOLVE_MS.search : SOLVE_MS.repair;
  const searchMs = Math.max(MIN_SEARCH_MS, receivedMs + solveMs - startedMs);
  const plan = planRoutes(problem, {
    seed: SEED,
    maxRounds: ROUNDS.least + ROUNDS.perOrder * orders.length,
    elapsedShare: () => (monotonicMs() - startedMs) / searchMs,
    explain: effort.explainsAll ? 'all' : 'changed',
    explainsAlso: isInTurn(effort.inTurn, orders.length),
    polish: effort.isThorough ? 'all' : 'changed',
    yieldPoint,
  });
  return {
    orders: describePlan(request, { problem, plan, yieldPoint }),
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

function isInTurn({ first, count }: PlanEffort['inTurn'], orderCount: number): (order: number) => boolean {
  const start = first % orderCount;
  return (order) => (order - start + orderCount) % orderCount < count;
}

/** What one more order would cost each courier, at the plans' prices. Omits couriers without room or route. */
export function quote(request: QuoteRequest, tools: Pick<SolveTools, 'travelTimes' | 'yieldPoint'>): CourierQuote[] {
  const { now, couriers } = request;
  const order = request.orders.findIndex(({ id }) => id === request.orderId);
  if (order === -1) throw new Error('the order is not among those of the request');
  return quoteCouriers(pose(request, tools).problem, order).flatMap((found, index): CourierQuote[] => {
    const courier = couriers[index];
    if (found === undefined || courier === undefined) return [];
    return [
      {
        courierId: courier.id,
        pickupAt: now + found.pickup * SECOND_MS,
        dropoffAt: now + found.dropoff * SECOND_MS,
        detourSeconds: found.detour,
        extraCost: Math.round(found.extraCost),
        pushesBackSeconds: found.pushesBack,
        misfit: found.misfit,
      },
    ];
  });
}

function pose(
  request: PlanRequest,
  { travelTimes, yieldPoint }: Pick<SolveTools, 'travelTimes' | 'yieldPoint'>,
): { problem: PlanningProblem; rides: Rides } {
  const locations = listLocations(request);
  const vehicles: Vehicle[] = [...new Set(request.couriers.map(({ vehicle }) => vehicle))].toSorted();
  yieldPoint();
  const rides = travelTimes.lookUp(locations.places, vehicles, locations.stopCount);
  yieldPoint();
  return { problem: buildProblem(request, locations, { rides, yieldPoint }), rides };
}

function describePlan(
  request: PlanRequest,
  { problem, plan, yieldPoint }: { problem: PlanningProblem; plan: Plan; yieldPoint: () => void },
): PlannedOrder[] {
  yieldPoint();
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
    yieldPoint();
    const latest = findLatestDepartures(problem, courier, route);
    for (const [place, { stop, time }] of route.entries()) {
      const order = planned[Math.floor(stop / 2)];
      if (order === undefined) continue;
      order.courierId = request.couriers[courier]?.id ?? null;
      // An accepted order is planned even if no route to it is known; its times are then unknown too.
      const at = time > NEVER ? null : request.now + time * SECOND_MS;
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
  const toPriced = ({ courier, extraCost }: { courier: number; extraCost: number }): PricedCourier => ({
    courierId: idOf(courier),
    extraCost: Math.round(extraCost),
  });
  switch (explanation.kind) {
    case 'accepted':
      return { kind: 'held', courierId: idOf(explanation.courier) };
    case 'waiting': {
      if (!couriers.some(({ takesMore }) => takesMore)) return { kind: 'waiting', reason: 'NOBODY_ON_DUTY' };
      const { reason, cheapest } = explanation;
      return { kind: 'waiting', reason, ...(cheapest && { cheapest: toPriced(cheapest) }) };
    }
    case 'placed': {
      const { courier, extraCost, nextBest } = explanation;
      return {
        kind: 'placed',
        courierId: idOf(courier),
        extraCost: Math.round(extraCost),
        nextBest: nextBest === undefined ? null : toPriced(nextBest),
      };
    }
  }
}
