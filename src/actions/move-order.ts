// The operator gives an order to a courier of their choice, whatever the plan says.
import type { Command, OrderState } from '../domain/order.ts';
import { recordChange } from '../store/audit.ts';
import { findCourier } from '../store/couriers.ts';
import { findOrderById } from '../store/orders.ts';
import { notifyPlanners } from '../store/planning-areas.ts';
import { refused, type AdministrationDeps, type ByActor, type Refused } from './administration.ts';
import type { ChangeResult, OrderChanger } from './change-order.ts';

const COMMANDS: Partial<Record<OrderState, 'assign' | 'select' | 'reoffer'>> = {
  VALIDATED: 'assign',
  ROUTED: 'select',
  ASSIGNED: 'reoffer',
  ACCEPTED: 'reoffer',
  PREPARED: 'reoffer',
};

export async function moveOrder(
  deps: AdministrationDeps & { changer: OrderChanger },
  move: ByActor & { orderId: string; courierId: string },
): Promise<ChangeResult | { kind: 'not-found' } | Refused> {
  const { orderId, courierId } = move;
  const order = await findOrderById(deps.db, orderId);
  if (order === undefined) return { kind: 'not-found' };
  const courier = await findCourier(deps.db, courierId);
  if (courier === undefined) return refused('There is no such courier.');
  if (!courier.onDuty) return refused(`${courier.name} is off duty.`);
  const name = COMMANDS[order.state];
  if (name === undefined) return refused(`An order that is ${order.state} cannot be moved.`);
  const command: Command = { name, courierId };
  const result = await deps.changer.change({ orderId, command, actor: { role: 'operator' } });
  if (result.kind !== 'changed') return result;
  await notifyPlanners(deps.db);
  await recordChange(deps.db, {
    at: deps.clock.now(),
    actor: move.actor,
    restaurantId: order.restaurantId,
    action: 'order.moved',
    detail: { orderId, courierId },
  });
  return result;
}
