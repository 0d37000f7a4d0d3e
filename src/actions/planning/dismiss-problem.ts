import { recordChange } from '../../store/people/audit-log.ts';
import { findOrderById } from '../../store/orders/orders.ts';
import { clearAlarm } from '../../store/planning/alarms.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

/** Someone has dealt with a problem that a courier reported. The planner's own alarms end automatically. */
export function dismissProblem(
  deps: AdministrationDeps,
  request: ByActor & { orderId: string; restaurantId: string },
): Promise<{ kind: 'dismissed' } | { kind: 'not-found' }> {
  const { orderId, restaurantId, actor } = request;
  return deps.db.transaction(async (tx) => {
    const order = await findOrderById(tx, orderId);
    if (order?.restaurantId !== restaurantId) return { kind: 'not-found' };
    if (!(await clearAlarm(tx, orderId, 'PROBLEM_REPORTED'))) return { kind: 'not-found' };
    const at = deps.clock.now();
    await recordChange(tx, { at, actor, restaurantId, action: 'order.problem_dismissed', detail: { orderId } });
    return { kind: 'dismissed' };
  });
}
