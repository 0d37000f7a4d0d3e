import { HOUR_MS, type Instant } from '../../domain/time.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertShift, type CourierShift } from '../../store/couriers/shifts.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../administration.ts';
import { findNamedCourier } from './set-courier-duty.ts';

export interface AddShiftRequest extends ByActor {
  /** Id or exact name. */
  courier: string;
  startsAt: Instant;
  endsAt: Instant;
}

const MAX_SHIFT_MS = 24 * HOUR_MS;

export async function addShift(
  deps: AdministrationDeps,
  request: AddShiftRequest,
): Promise<{ kind: 'added'; shift: CourierShift } | Refused> {
  const { startsAt, endsAt } = request;
  if (endsAt <= startsAt) return refused('The shift must end after it starts.');
  if (endsAt <= deps.clock.now()) return refused('The shift must end in the future.');
  if (endsAt - startsAt > MAX_SHIFT_MS) return refused('The shift must be at most 24 hours long.');
  return deps.db.transaction(async (tx) => {
    const courier = await findNamedCourier(tx, request.courier);
    if ('kind' in courier) return courier;
    const shift: CourierShift = { id: deps.newId(), courierId: courier.id, startsAt, endsAt };
    if (!(await insertShift(tx, shift))) return refused(`${courier.name} already has a shift at that time.`);
    await notifyPlanners(tx, null);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: courier.restaurantId,
      action: 'courier.shift_added',
      detail: { courierId: courier.id, shiftId: shift.id },
    });
    return { kind: 'added', shift };
  });
}
