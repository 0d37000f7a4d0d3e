import { recordChange } from '../../store/people/audit-log.ts';
import { deletePosition } from '../../store/couriers/positions.ts';
import { listCouriersCalled, updateCourierDuty, type Courier } from '../../store/couriers/couriers.ts';
import type { Queryable } from '../../store/database/database.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../administration.ts';

export interface SetCourierDutyRequest extends ByActor {
  /** Id or exact name. */
  courier: string;
  onDuty: boolean;
}

export function setCourierDuty(
  deps: AdministrationDeps,
  request: SetCourierDutyRequest,
): Promise<{ kind: 'changed' | 'unchanged'; courier: Courier } | Refused> {
  const { onDuty } = request;
  return deps.db.transaction(async (tx) => {
    const courier = await findNamedCourier(tx, request.courier);
    if ('kind' in courier) return courier;
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

export async function findNamedCourier(db: Queryable, idOrName: string): Promise<Courier | Refused> {
  const [courier, another] = await listCouriersCalled(db, idOrName);
  const shown = JSON.stringify(idOrName);
  if (courier === undefined) return refused(`There is no courier with the id or name ${shown}.`);
  if (another !== undefined) return refused(`More than one courier is called ${shown}. Use the id instead.`);
  return courier;
}
