import { recordChange } from '../../store/people/audit-log.ts';
import { deleteShift } from '../../store/couriers/shifts.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';

export function removeShift(
  deps: AdministrationDeps,
  request: ByActor & { shiftId: string },
): Promise<{ kind: 'removed' } | { kind: 'not-found' }> {
  return deps.db.transaction(async (tx) => {
    if (!(await deleteShift(tx, request.shiftId))) return { kind: 'not-found' };
    await notifyPlanners(tx, null);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: null,
      action: 'courier.shift_removed',
      detail: { shiftId: request.shiftId },
    });
    return { kind: 'removed' };
  });
}
