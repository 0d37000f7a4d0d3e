import { servesRestaurant } from '../../domain/couriers/courier.ts';
import { whyNotLock } from '../../domain/planning/reassignment.ts';
import { recordChange } from '../../store/people/audit-log.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import { findOrderById } from '../../store/orders/orders.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { saveOrderLock } from '../../store/planning/plans.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../administration.ts';

export interface LockOrderRequest extends ByActor {
  orderId: string;
  /** Only this courier is planned for the order; null removes the lock. */
  courierId: string | null;
}

export function lockOrder(
  deps: AdministrationDeps,
  request: LockOrderRequest,
): Promise<{ kind: 'changed' } | { kind: 'not-found' } | Refused> {
  const { orderId, courierId } = request;
  return deps.db.transaction(async (tx) => {
    const order = await findOrderById(tx, orderId);
    if (order === undefined) return { kind: 'not-found' };
    const reason = whyNotLock(order.state);
    if (reason !== null) return refused(`The order cannot be locked. ${reason}`);
    const courier = courierId === null ? null : await findCourier(tx, courierId);
    if (courier === undefined) return refused('No such courier.');
    if (courier !== null && !servesRestaurant(courier, order.restaurantId)) {
      return refused(`${courier.name} works for another restaurant.`);
    }
    await saveOrderLock(tx, orderId, courierId);
    await notifyPlanners(tx, [orderId]);
    await recordChange(tx, {
      at: deps.clock.now(),
      actor: request.actor,
      restaurantId: order.restaurantId,
      action: courierId === null ? 'order.unlocked' : 'order.locked',
      detail: { orderId, courierId },
    });
    return { kind: 'changed' };
  });
}
