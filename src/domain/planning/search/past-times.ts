// Limits times too far in the past to be met. A cash register with a wrong clock sends orders due yesterday; at full
// price, lateness that no plan can avoid would cost more than leaving the order out, and outweigh every other order.
import { countCouriers, countOrders, NEVER, type PlanningProblem } from './problem.ts';

/** The columns `earliestDropoff` and `due`, each at most `maxPastSeconds` before the order's first possible pickup. */
export function limitPastTimes(problem: PlanningProblem): Pick<PlanningProblem['orders'], 'earliestDropoff' | 'due'> {
  const { stops, orders, couriers, prices } = problem;
  const { earliest } = stops;
  const firstAvailable = countCouriers(problem) === 0 ? NEVER : couriers.available.reduce((a, b) => (a < b ? a : b));
  const earliestDropoff = orders.earliestDropoff.slice();
  const due = orders.due.slice();
  for (let order = 0; order < countOrders(problem); order++) {
    const soonest = Math.max(firstAvailable, earliest[2 * order] ?? 0, earliest[2 * order + 1] ?? 0);
    const limit = soonest - prices.maxPastSeconds;
    if ((earliestDropoff[order] ?? 0) < limit) earliestDropoff[order] = limit;
    if ((due[order] ?? 0) < limit) due[order] = limit;
  }
  return { earliestDropoff, due };
}
