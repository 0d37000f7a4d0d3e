import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';

/** An answer that was overtaken by a newer one changes nothing. */
export function mergeOrders(board: BoardAnswer, news: readonly BoardOrder[]): BoardAnswer {
  const known = new Set(board.orders.map(({ id }) => id));
  return { orders: [...renewOrders(board, news).orders, ...news.filter(({ id }) => !known.has(id))] };
}

/** The same without what is not there: an order that changed is not for that among those that were sought. */
export function renewOrders(list: BoardAnswer, news: readonly BoardOrder[]): BoardAnswer {
  const newer = new Map(news.map((order) => [order.id, order]));
  return {
    orders: list.orders.map((order) => {
      const next = newer.get(order.id);
      return next === undefined || next.version < order.version ? order : next;
    }),
  };
}
