import type { Scope } from '../../domain/people/scope.ts';
import type { Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { deletePosition } from '../../store/couriers/positions.ts';
import { updateCourierDuty, type Courier } from '../../store/couriers/couriers.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { findOwnCourier } from './own-courier.ts';

export interface SetCourierDutyRequest extends ByActor {
  courierId: string;
  scope: Scope;
  onDuty: boolean;
}

export function setCourierDuty(
  deps: AdministrationDeps,
  request: SetCourierDutyRequest,
): Promise<{ kind: 'changed' | 'unchanged'; courier: Courier } | Refused> {
  const { onDuty } = request;
  return deps.db.transaction(async (tx) => {
    const courier = await findOwnCourier(tx, request.courierId, request.scope);
    if (courier === undefined) return NOT_FOUND;
    if (courier.onDuty === onDuty) return { kind: 'unchanged', courier };
    const at = deps.clock.now();
    await updateCourierDuty(tx, courier.id, { onDuty, at });
    // An off-duty courier's location is private, and an old report says nothing about the next shift.
    await deletePosition(tx, courier.id);
    await notifyPlanners(tx, null);
    await recordChange(tx, {
      at,
      actor: request.actor,
      restaurantId: courier.restaurantId,
      action: onDuty ? 'courier.on_duty' : 'courier.off_duty',
      detail: { courierId: courier.id },
    });
    return { kind: 'changed', courier: { ...courier, onDuty } };
  });
}
