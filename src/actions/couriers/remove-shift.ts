import type { Scope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deleteShift, listShifts } from '../../store/couriers/shifts.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { findOwnCourier } from './own-courier.ts';

/** Only a shift that has not ended. */
export function removeShift(
  deps: AdministrationDeps,
  request: ByActor & { courierId: string; scope: Scope; shiftId: string },
): Promise<{ kind: 'removed' } | Refused> {
  const { courierId, scope, shiftId, actor } = request;
  return deps.db.transaction(async (tx) => {
    const courier = await findOwnCourier(tx, courierId, scope);
    if (courier === undefined) return NOT_FOUND;
    const at = deps.clock.now();
    const shifts = await listShifts(tx, courier.id, at);
    const isTheirs = shifts.some(({ id }) => id === shiftId);
    if (!isTheirs || !(await deleteShift(tx, shiftId))) return NOT_FOUND;
    await notifyPlanners(tx, null);
    await recordChange(tx, {
      at,
      actor,
      restaurantId: null,
      action: 'courier.shift_removed',
      detail: { shiftId },
    });
    return { kind: 'removed' };
  });
}
