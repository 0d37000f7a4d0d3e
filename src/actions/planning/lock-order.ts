import { servesRestaurant } from '../../domain/couriers/courier.ts';
import { whyNotLock } from '../../domain/orders/give-by-hand.ts';
import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, type Refused } from '../../domain/refusals.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { saveOrderLock } from '../../store/planning/plans.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import { refuseForeign } from '../orders/give-by-hand.ts';
import { lockOwnOrder } from '../orders/own-order.ts';

export interface LockOrderRequest extends ByActor {
  orderId: string;
  scope: Scope;
  /** Only this courier is planned for the order, on duty or not; null removes the lock. */
  courierId: string | null;
}

export function lockOrder(
  deps: Pick<AdministrationDeps, 'db' | 'clock'>,
  request: LockOrderRequest,
): Promise<{ kind: 'changed' } | Refused> {
  const { orderId, scope, courierId } = request;
  return deps.db.transaction(async (tx) => {
    const locked = await lockOwnOrder(tx, orderId, scope);
    if (locked === undefined) return refused(refuse('ORDER_002'));
    const { order, restaurantId } = locked;
    const reason = whyNotLock(order.state);
    if (reason !== null) return refused(refuse('ORDER_003', `The order cannot be locked. ${reason}`));
    const courier = courierId === null ? null : await findCourier(tx, courierId);
    if (courier === undefined) return refused(refuse('COURIER_001'));
    if (courier !== null && !servesRestaurant(courier, restaurantId)) return refused(refuseForeign(courier, scope));
    await saveOrderLock(tx, orderId, courierId);
    await notifyPlanners(tx, [orderId]);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId,
      action: courierId === null ? 'order.unlocked' : 'order.locked',
      detail: { orderId, courierId },
    });
    return { kind: 'changed' };
  });
}
