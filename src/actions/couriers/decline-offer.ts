import type { Database } from '../../store/database/database.ts';
import { findDeclinedState } from '../../store/orders/offers.ts';
import { notifyPlanners } from '../../store/planning/areas.ts';
import type { ChangeResult, OrderChanger } from '../orders/change-order.ts';

/** The order stays ASSIGNED until a planner is notified and offers it to the next courier. */
export async function declineOffer(
  deps: { db: Database; changer: OrderChanger },
  offer: { orderId: string; courierId: string; reason: string },
): Promise<ChangeResult> {
  const { orderId, courierId, reason } = offer;
  const result = await deps.changer.change({
    orderId,
    scope: { courierId },
    command: { name: 'decline', reason },
    actor: { role: 'courier', courierId },
  });
  if (result.kind === 'changed') await notifyPlanners(deps.db, [orderId]);
  if (result.kind !== 'refused') return result;
  // After a lost answer, the page declines again, and the order is no longer theirs.
  const state = await findDeclinedState(deps.db, courierId, orderId);
  return state === undefined ? result : { kind: 'unchanged', state };
}
