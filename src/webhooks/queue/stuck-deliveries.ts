import { describeError, type SetAside } from '../../domain/upkeep/set-aside.ts';
import type { Delivery } from '../../store/webhooks/deliveries.ts';
import type { Failure } from '../../store/database/split-batch.ts';

/** Sets aside the orders whose deliveries cannot be leased, freed or made due. */
export function setDeliveriesAside(
  setAside: SetAside,
  failures: readonly Failure<Pick<Delivery, 'orderId'>>[],
): Promise<void> {
  const troubles = failures.map(
    ({ item, error }) => ({ kind: 'order', id: item.orderId, reason: describeError(error) }) as const,
  );
  return setAside.report('webhooks', troubles);
}
