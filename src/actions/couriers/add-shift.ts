import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, refuseWith, type Refusal, type Refused } from '../../domain/refusals.ts';
import { HOUR_MS, type Instant } from '../../domain/time.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { insertShift, type CourierShift } from '../../store/couriers/shifts.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { NOT_FOUND, type AdministrationDeps, type ByActor } from '../administration.ts';
import { findOwnCourier } from './own-courier.ts';

export interface AddShiftRequest extends ByActor {
  courierId: string;
  scope: Scope;
  startsAt: Instant;
  endsAt: Instant;
}

const MAX_SHIFT_HOURS = 24;

export async function addShift(
  deps: AdministrationDeps,
  request: AddShiftRequest,
): Promise<{ kind: 'added'; shift: CourierShift } | Refused> {
  const { startsAt, endsAt } = request;
  return deps.db.transaction(async (tx) => {
    const courier = await findOwnCourier(tx, request.courierId, request.scope);
    if (courier === undefined) return NOT_FOUND;
    const refusal = findTimeProblem(request, deps.clock.now());
    if (refusal !== undefined) return refused(refusal);
    const shift: CourierShift = { id: deps.newId(), courierId: courier.id, startsAt, endsAt };
    if (!(await insertShift(tx, shift))) return refused(refuseWith('COURIER_004', { name: courier.name }));
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

function findTimeProblem({ startsAt, endsAt }: AddShiftRequest, now: Instant): Refusal | undefined {
  if (endsAt <= startsAt) return refuse('COURIER_005');
  if (endsAt <= now) return refuse('COURIER_006');
  if (endsAt - startsAt > MAX_SHIFT_HOURS * HOUR_MS) return refuseWith('COURIER_007', { hours: MAX_SHIFT_HOURS });
  return undefined;
}
