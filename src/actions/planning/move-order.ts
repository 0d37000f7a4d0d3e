// The operator assigns an order to a courier of their choice, overriding the plan.
import type { Scope } from '../../domain/people/scope.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import { moveOrderLock } from '../../store/planning/plans.ts';
import type { AdministrationDeps, ByActor } from '../administration.ts';
import type { ChangeResult, OrderChanger } from '../orders/change-order.ts';

export async function moveOrder(
  deps: Pick<AdministrationDeps, 'db'> & { changer: OrderChanger },
  move: ByActor & { orderId: string; scope: Scope; courierId: string },
): Promise<ChangeResult> {
  const { orderId, scope, courierId } = move;
  const result = await deps.changer.change({
    orderId,
    scope,
    command: { name: 'give', courierId },
    actor: { role: 'operator' },
    audit: { actor: move.actor, action: 'order.moved', detail: { orderId, courierId } },
  });
  if (result.kind !== 'changed') return result;
  await deps.db.transaction(async (tx) => {
    // A lock on another courier would return the order to them as soon as this one declines.
    await moveOrderLock(tx, orderId, courierId);
    await notifyPlanners(tx, [orderId]);
  });
  return result;
}
