// Cancellations by the System: the order was not approved, or got no courier, within the restaurant's limit.
import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { WAIT_REASONS } from '../../domain/planning/wait-reasons.ts';
import type { Platform } from '../../platform.ts';
import type { Database } from '../../store/database/database.ts';
import { postponeCheck, takeOverdueOrderIds } from '../../store/orders/orders.ts';
import { listWaitReasons } from '../../store/planning/plans.ts';
import type { ChangeRequest, OrderChanger } from './change-order.ts';
import { runEach } from '../upkeep/set-aside.ts';

const MAX_ORDERS_PER_ROUND = 200;
/** Pause after a failure, so that an order that can't be canceled doesn't crowd out others in every round. */
const FAILED_PAUSE_MS = MINUTE_MS;

/** Cancels overdue orders and returns how many. Nodes may run it concurrently: the order's lock decides. */
export async function expireOrders(
  deps: Pick<Platform, 'clock'> & { db: Database; changer: OrderChanger; setAside: SetAside },
): Promise<number> {
  const now = deps.clock.now();
  const overdue = await takeOverdueOrderIds(deps.db, now, MAX_ORDERS_PER_ROUND);
  if (overdue.length === 0) return 0;
  // Canceling an order deletes its plan, so the reason why no courier came is read first.
  const reasons = await listWaitReasons(deps.db, overdue);
  const { done, failed } = await runEach(overdue, (orderId) => {
    const reason = reasons.get(orderId);
    const command = { name: 'expire' } as const;
    const request: ChangeRequest = { orderId, scope: 'everything', command, actor: { role: 'system' } };
    if (reason === undefined) return deps.changer.change(request);
    return deps.changer.change({ ...request, note: { kind: 'courier_not_found', detail: WAIT_REASONS[reason] } });
  });
  if (failed.length > 0) {
    const ids = failed.map(({ item }) => item);
    await postponeCheck(deps.db, ids, now + FAILED_PAUSE_MS);
    await deps.setAside.report(
      'deadlines',
      failed.map(({ item, error }) => ({ kind: 'order', id: item, reason: describeError(error) })),
    );
  }
  return done.filter((result) => result.kind === 'changed').length;
}
