// The System's own cancellations: nobody approved, or no courier was found, within the restaurant's limit.
import type { Platform } from '../platform.ts';
import type { Database } from '../store/database.ts';
import { takeOverdueOrderIds } from '../store/orders.ts';
import type { OrderChanger } from './change-order.ts';

const MOST_ORDERS_A_ROUND = 200;

/** Cancels what is overdue now; says how many. Any number of nodes may do it at once: the order's lock decides. */
export async function expireOrders(
  deps: Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger },
): Promise<number> {
  const overdue = await takeOverdueOrderIds(deps.db, deps.clock.now(), MOST_ORDERS_A_ROUND);
  const results = await Promise.all(
    overdue.map((orderId) => deps.changer.change({ orderId, command: { name: 'expire' }, actor: { role: 'system' } })),
  );
  return results.filter((result) => result.kind === 'changed').length;
}
