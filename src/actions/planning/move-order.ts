// The operator assigns an order to a courier of their choice, overriding the plan.
import { servesRestaurant } from '../../domain/couriers/courier.ts';
import { moveCommandIn, whyNotMove } from '../../domain/planning/reassignment.ts';
import type { Command } from '../../domain/orders/order.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import { findOrderById } from '../../store/orders/orders.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { moveOrderLock } from '../../store/planning/plans.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from '../administration.ts';
import type { ChangeResult, OrderChanger } from '../orders/change-order.ts';

export async function moveOrder(
  deps: AdministrationDeps & { changer: OrderChanger },
  move: ByActor & { orderId: string; courierId: string },
): Promise<ChangeResult | { kind: 'not-found' } | Refused> {
  const { orderId, courierId } = move;
  const order = await findOrderById(deps.db, orderId);
  if (order === undefined) return { kind: 'not-found' };
  const courier = await findCourier(deps.db, courierId);
  if (courier === undefined) return refused('No such courier.');
  if (!servesRestaurant(courier, order.restaurantId)) return refused(`${courier.name} works for another restaurant.`);
  if (!courier.onDuty) return refused(`${courier.name} is off duty. Choose a courier who is on duty.`);
  const name = moveCommandIn(order.state);
  if (name === undefined) return refused(`The order cannot be moved. ${whyNotMove(order.state)}`);
  const command: Command = { name, courierId };
  const audit = { actor: move.actor, action: 'order.moved', detail: { orderId, courierId } };
  const result = await deps.changer.change({ orderId, command, actor: { role: 'operator' }, audit });
  if (result.kind !== 'changed') return result;
  await deps.db.transaction(async (tx) => {
    // A lock on another courier would return the order to them as soon as this one declines.
    await moveOrderLock(tx, orderId, courierId);
    await notifyPlanners(tx, [orderId]);
  });
  return result;
}
