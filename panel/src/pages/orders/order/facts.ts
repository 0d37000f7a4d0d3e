import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import type { OrderFacts } from '../../../../../src/domain/orders/available-commands.ts';

/** The facts that the domain needs to decide which commands are allowed. */
export function toFacts(order: BoardOrder): OrderFacts {
  const instant = (time: string | null): number | null => (time === null ? null : Date.parse(time));
  return {
    state: order.state,
    courierId: order.courierId,
    courierAcceptedAt: instant(order.courierAcceptedAt),
    kitchenReadyAt: instant(order.kitchenReadyAt),
  };
}
