// Single cards that get into the lists of orders which are kept: the board, and what was sought.
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { BoardAnswer, BoardOrder } from '../../../../src/contract/panel/orders/orders.ts';
import { mergeOrders, renewOrders } from './board-merge.ts';
import { areListsRead, BOARD_KEY, readLists, SEARCH_KEY } from './updates.ts';

/** More changes than this at once are cheaper to read as a whole. */
const MOST_SINGLE = 50;

type ReadCards = (ids: readonly string[]) => Promise<BoardAnswer>;

/**
 * Reads the cards of orders that have changed. One request at a time, for all that were named meanwhile: of two, the
 * older answer could come last, and a note does not give an order a new version by which that would be seen.
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
  const cards = ids.length > MOST_SINGLE || areListsRead(queryClient) ? null : await read(ids).catch(() => null);
  if (cards === null) void readLists(queryClient);
  else takeIn(queryClient, cards.orders);
}

export function takeIn(queryClient: QueryClient, orders: readonly BoardOrder[]): void {
  change(queryClient, BOARD_KEY, (board) => mergeOrders(board, orders));
  change(queryClient, SEARCH_KEY, (found) => renewOrders(found, orders));
}

/** A list is as old as its last reading, and has to be read again if it had to before, whatever single cards it got. */
function change(queryClient: QueryClient, queryKey: QueryKey, merge: (list: BoardAnswer) => BoardAnswer): void {
  for (const query of queryClient.getQueryCache().findAll({ queryKey })) {
    const { dataUpdatedAt: updatedAt, isInvalidated } = query.state;
    queryClient.setQueryData<BoardAnswer>(query.queryKey, (list) => list && merge(list), { updatedAt });
    if (isInvalidated) query.invalidate();
  }
}
