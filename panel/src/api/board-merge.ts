import type { BoardAnswer, BoardOrder } from '../../../src/contract/panel/orders.ts';

/** An answer that was overtaken by a newer one changes nothing. */
export function mergeOrders(board: BoardAnswer, news: readonly BoardOrder[]): BoardAnswer {
  const newer = new Map(news.map((order) => [order.id, order]));
  const merged = board.orders.map((order) => {
    const next = newer.get(order.id);
    newer.delete(order.id);
    return next === undefined || next.version < order.version ? order : next;
  });
  return { orders: [...merged, ...newer.values()] };
}
