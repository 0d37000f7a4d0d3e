import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { clearAlarm } from '../../store/planning/alarms.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import { lockOwnOrder } from '../orders/own-order.ts';

/** Someone has dealt with a problem that a courier reported. The planner's own alarms end automatically. */
export function dismissProblem(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: ByActor & { orderId: string; scope: Scope },
): Promise<{ kind: 'dismissed' } | Refused> {
  const { orderId, scope, actor } = request;
  return deps.db.transaction(async (tx) => {
    const locked = await lockOwnOrder(tx, orderId, scope);
    if (locked === undefined || !(await clearAlarm(tx, orderId, 'PROBLEM_REPORTED'))) {
      return refused(refuse('PANEL_001'));
    }
    const { restaurantId } = locked;
    const at = deps.clock.now();
    await recordChange(tx, { at, actor, restaurantId, action: 'order.problem_dismissed', detail: { orderId } });
    return { kind: 'dismissed' };
  });
}
