// Merges single cards into the cached lists of orders: the board and search results.
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';
import { mergeOrders, renewOrders } from './board-merge.ts';
import { areListsRead, BOARD_KEY, readLists, SEARCH_KEY } from './updates.ts';

/** Above this many changes, reading the whole list is cheaper. */
const MAX_SINGLE = 50;

type ReadCards = (ids: readonly string[]) => Promise<BoardAnswer>;

/**
 * Reads the cards of changed orders, batching ids into one request at a time. Concurrent responses could arrive out of
 * order, and a note does not raise the order's version, so an outdated card would go unnoticed.
 */
export function createCardReader(queryClient: QueryClient, read: ReadCards): (ids: readonly string[]) => void {
  const wanted = new Set<string>();
  let isReading = false;
  const readWanted = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    while (wanted.size > 0) {
      const ids = [...wanted];
      wanted.clear();
      await readInto(queryClient, ids, read);
    }
    isReading = false;
  };
  return (ids) => {
    for (const id of ids) wanted.add(id);
    void readWanted();
  };
}

async function readInto(queryClient: QueryClient, ids: readonly string[], read: ReadCards): Promise<void> {
  const cards = ids.length > MAX_SINGLE || areListsRead(queryClient) ? null : await read(ids).catch(() => null);
  if (cards === null) void readLists(queryClient);
  else takeIn(queryClient, cards.orders);
}

export function takeIn(queryClient: QueryClient, orders: readonly BoardOrder[]): void {
  change(queryClient, BOARD_KEY, (board) => mergeOrders(board, orders));
  change(queryClient, SEARCH_KEY, (found) => renewOrders(found, orders));
}

/** Merging cards does not make a list fresh: it keeps its time of the last full read and its invalidated flag. */
function change(queryClient: QueryClient, queryKey: QueryKey, merge: (list: BoardAnswer) => BoardAnswer): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey })) {
    const { dataUpdatedAt: updatedAt, isInvalidated } = query.state;
    queryClient.setQueryData<BoardAnswer>(query.queryKey, (list) => list && merge(list), { updatedAt });
    if (isInvalidated) query.invalidate();
  }
}
