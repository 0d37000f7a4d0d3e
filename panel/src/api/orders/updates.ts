// What the frame around every page does with news of orders. Without the schemas of orders: they would weigh on the
// first load.
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { liveOrders } from '../../../../src/contract/panel/live.ts';
import { useLiveEvent } from '../live/live.ts';

const LISTS_KEY = ['orders', 'list'] as const;
export const BOARD_KEY = [...LISTS_KEY, 'board'] as const;
export const SEARCH_KEY = [...LISTS_KEY, 'search'] as const;

export function useOrderNews(): void {
  const queryClient = useQueryClient();
  const hear = useCallback(
    (data: unknown) => {
      const { orders } = liveOrders.parse(data);
      hearOfOrders(
        queryClient,
        orders.map(({ id }) => id),
      );
    },
    [queryClient],
  );
  useLiveEvent('orders', hear);
}

/** A note changes an order without a new version, so an order that is named is always read. */
export function hearOfOrders(queryClient: QueryClient, ids: readonly string[]): void {
  for (const id of ids) void readOrder(queryClient, id);
  const isBoardOpen = queryClient.getQueryCache().find({ queryKey: BOARD_KEY })?.isActive() === true;
  // Where it is open, its page reads the cards alone. Where it is not, this reads nothing: it is read when somebody comes.
  if (!isBoardOpen) void readLists(queryClient);
}

export function readOrder(queryClient: QueryClient, orderId: string): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['orders', 'detail', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['orders', 'timeline', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['planning', 'order', orderId] }),
  ]);
}

/** News may come faster than a slow line brings the board: none of its answers is thrown away for the next one. */
export function readLists(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: LISTS_KEY }, { cancelRefetch: false });
}

/** An answer that is on its way would take back what is merged into a list before it comes. */
export function areListsRead(queryClient: QueryClient): boolean {
  return queryClient.isFetching({ queryKey: LISTS_KEY }) > 0;
}

/** After an act of one's own: what is on its way may be from before it, and is not waited for. */
export function readListsAnew(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: LISTS_KEY, fetchStatus: 'fetching' });
}
