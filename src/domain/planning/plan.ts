// The planner: improves the last plan. Pure, and deterministic for a seed unless a clock ends it early.
import { type Explanation, explainOrders } from './explain.ts';
import { Insertion } from './search/insertion.ts';
import { Journal } from './search/undo-journal.ts';
import { Neighborhood } from './search/neighborhood.ts';
import { NOBODY, type PlanningProblem } from './search/problem.ts';
import { Placer } from './search/placer.ts';
import { Polish } from './search/polish.ts';
import { Routes } from './search/routes.ts';
import { Search } from './search/search.ts';
import { SeededRandom } from './search/seeded-random.ts';
import { loadLastPlan } from './search/warm-start.ts';

export interface PlanOptions {
  seed: number;
  /** The search ends after this many rounds, or earlier by the clock. With 0, only insertion runs. */
  maxRounds: number;
  /** Share of the allowed time that has passed, from 0 to 1. Called now and then; the search ends at 1. */
  elapsedShare?: () => number;
  /** Which orders are explained: all, or those in changed routes. Computing the next best cost takes time. */
  explain?: 'all' | 'changed';
  /** Orders that are explained even if their route did not change. */
  explainsAlso?: (order: number) => boolean;
  /** Which routes get their best stop order at the end: all, or those that differ from the last plan. */
  polish?: 'all' | 'changed';
  /** Called between steps, each well under two milliseconds, so that the caller can yield. */
  yieldPoint?: () => void;
}

export interface PlannedStop {
  stop: number;
  /** When the stop is served. */
  time: number;
}

export interface Plan {
  /** One per courier. */
  routes: PlannedStop[][];
  /** Orders without a place. */
  waiting: number[];
  cost: number;
  /** Cost after insertion, before the search. */
  insertionCost: number;
  rounds: number;
  /** One per order; undefined if not requested, when the last explanation still holds. */
  explanations: (Explanation | undefined)[];
}

export function planRoutes(problem: PlanningProblem, options: PlanOptions): Plan {
  const { yieldPoint = (): void => undefined } = options;
  const routes = new Routes(problem);
  const random = new SeededRandom(options.seed);
  const neighborhood = new Neighborhood(routes);
  const insertion = new Insertion(routes, random);
  const journal = new Journal(routes);
  const placer = new Placer({ routes, neighborhood, insertion, journal });
  yieldPoint();
  loadLastPlan(routes, yieldPoint);
  routes.resum();
  const fresh = [...routes.absent.subarray(0, routes.absentCount)];
  placer.placeAbsent(yieldPoint);
  routes.resum();
  const insertionCost = routes.cost;
  const search = new Search({ routes, neighborhood, insertion, placer, journal, random });
  const { maxRounds, elapsedShare } = options;
  const rounds = search.run({ maxRounds, elapsedShare, fresh, yieldPoint });
  polishRoutes(routes, options);
  const changed = findChangedRoutes(routes);
  const isAsked = (order: number): boolean => {
    if (options.explain === 'all' || options.explainsAlso?.(order) === true) return true;
    const route = routes.routeOf[order] ?? NOBODY;
    return options.explain === 'changed' && (route === NOBODY || changed[route] === 1);
  };
  const explanations = explainOrders({ routes, insertion, placer, journal, yieldPoint }, isAsked);
  routes.resum();
  return { ...readPlan(routes), cost: routes.cost, insertionCost, rounds, explanations };
}

function polishRoutes(routes: Routes, { polish: scope = 'all', yieldPoint }: PlanOptions): void {
  const polish = new Polish(routes);
  const changed = scope === 'changed' ? findChangedRoutes(routes) : undefined;
  for (let route = 0; route < routes.courierCount; route++) {
    if (changed?.[route] === 0) continue;
    polish.improve(route);
    yieldPoint?.();
  }
}

function readPlan(routes: Routes): Pick<Plan, 'routes' | 'waiting'> {
  const planned = Array.from({ length: routes.courierCount }, (_, route) => {
    const base = route * routes.stride;
    return Array.from({ length: routes.length[route] ?? 0 }, (_none, index) => ({
      stop: routes.stop[base + index] ?? 0,
      time: routes.time[base + index] ?? 0,
    }));
  });
  const waiting: number[] = [];
  for (let order = 0; order < routes.orderCount; order++) if (routes.routeOf[order] === NOBODY) waiting.push(order);
  return { routes: planned, waiting };
}

/** 1 for each route that differs from the last plan. */
function findChangedRoutes(routes: Routes): Uint8Array {
  return Uint8Array.from({ length: routes.courierCount }, (_, route) => {
    const last = routes.problem.lastRoutes[route] ?? [];
    const base = route * routes.stride;
    if (last.length !== routes.length[route]) return 1;
    return last.every((stop, index) => routes.stop[base + index] === stop) ? 0 : 1;
  });
}
