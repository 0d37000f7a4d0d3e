// The System's own cancellations: nobody approved, or no courier was found, within the restaurant's limit.
import { WAIT_REASONS } from '../domain/wait-reasons.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import { takeOverdueOrderIds } from '../store/orders.ts';
import { listWaitReasons } from '../store/plans.ts';
import type { ChangeRequest, OrderChanger } from './change-order.ts';

const MOST_ORDERS_A_ROUND = 200;

/** Cancels what is overdue now; says how many. Any number of nodes may do it at once: the order's lock decides. */
export async function expireOrders(
  deps: Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger },
): Promise<number> {
  const overdue = await takeOverdueOrderIds(deps.db, deps.clock.now(), MOST_ORDERS_A_ROUND);
  if (overdue.length === 0) return 0;
  // A plan is forgotten with its order; why nobody came is not.
  const reasons = await listWaitReasons(deps.db, overdue);
  const results = await Promise.all(
    overdue.map((orderId) => {
      const reason = reasons.get(orderId);
      const request: ChangeRequest = { orderId, command: { name: 'expire' }, actor: { role: 'system' } };
      if (reason === undefined) return deps.changer.change(request);
      return deps.changer.change({ ...request, note: { kind: 'courier_not_found', detail: WAIT_REASONS[reason] } });
    }),
  );
  return results.filter((result) => result.kind === 'changed').length;
}
