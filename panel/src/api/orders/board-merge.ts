import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';

/** Ignores cards older than those on the board. */
export function mergeOrders(board: BoardAnswer, news: readonly BoardOrder[]): BoardAnswer {
  const known = new Set(board.orders.map(({ id }) => id));
  return { orders: [...renewOrders(board, news).orders, ...news.filter(({ id }) => !known.has(id))] };
}

/** Like mergeOrders, but adds nothing: a changed order does not necessarily match the search. */
export function renewOrders(list: BoardAnswer, news: readonly BoardOrder[]): BoardAnswer {
  const newer = new Map(news.map((order) => [order.id, order]));
  return {
    orders: list.orders.map((order) => {
      const next = newer.get(order.id);
      return next === undefined || next.version < order.version ? order : next;
    }),
  };
}
