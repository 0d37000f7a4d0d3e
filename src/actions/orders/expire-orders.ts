// The System's own cancellations: nobody approved, or no courier was found, within the restaurant's limit.
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { WAIT_REASONS } from '../../domain/planning/wait-reasons.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { postponeLook, takeOverdueOrderIds } from '../../store/orders/orders.ts';
import { listWaitReasons } from '../../store/planning/plans.ts';
import type { ChangeRequest, OrderChanger } from './change-order.ts';
import { runEach } from '../upkeep/set-aside.ts';

const MOST_ORDERS_A_ROUND = 200;
/** An order that cannot be canceled must not take the place of others in every round. */
const FAILED_PAUSE_MS = MINUTE_MS;

/** Cancels what is overdue now; says how many. Any number of nodes may do it at once: the order's lock decides. */
export async function expireOrders(
  deps: Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger; setAside: SetAside },
): Promise<number> {
  const now = deps.clock.now();
  const overdue = await takeOverdueOrderIds(deps.db, now, MOST_ORDERS_A_ROUND);
  if (overdue.length === 0) return 0;
  // A plan is forgotten with its order; why nobody came is not.
  const reasons = await listWaitReasons(deps.db, overdue);
  const { done, failed } = await runEach(overdue, (orderId) => {
    const reason = reasons.get(orderId);
    const request: ChangeRequest = { orderId, command: { name: 'expire' }, actor: { role: 'system' } };
    if (reason === undefined) return deps.changer.change(request);
    return deps.changer.change({ ...request, note: { kind: 'courier_not_found', detail: WAIT_REASONS[reason] } });
  });
  if (failed.length > 0) {
    const ids = failed.map(({ item }) => item);
    await postponeLook(deps.db, ids, now + FAILED_PAUSE_MS);
    await deps.setAside.report(
      'deadlines',
      failed.map(({ item, error }) => ({ kind: 'order', id: item, reason: describeError(error) })),
    );
  }
  return done.filter((result) => result.kind === 'changed').length;
}
