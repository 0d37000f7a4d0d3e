import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import type { OrderFacts } from '../../../../../src/domain/orders/available-commands.ts';

/** What the domain asks of an order to say which commands are legal. */
export function toFacts(order: BoardOrder): OrderFacts {
  const instant = (time: string | null): number | null => (time === null ? null : Date.parse(time));
  return {
    state: order.state,
    courierId: order.courierId,
    courierAcceptedAt: instant(order.courierAcceptedAt),
    kitchenReadyAt: instant(order.kitchenReadyAt),
  };
}
