// How the shell handles order events. It does not import the order schemas, which would enlarge the first load.
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
      readChangedOrders(
        queryClient,
        orders.map(({ id }) => id),
      );
    },
    [queryClient],
  );
  useLiveEvent('orders', hear);
}

/** Always refetches the order: a note changes it without raising its version. */
export function readChangedOrders(queryClient: QueryClient, ids: readonly string[]): void {
  for (const id of ids) void readOrder(queryClient, id);
  const isBoardOpen = queryClient.getQueryCache().find({ queryKey: BOARD_KEY })?.isActive() === true;
  // An open board refetches single cards itself. Otherwise this only invalidates: the list is refetched when opened.
  if (!isBoardOpen) void readLists(queryClient);
}

export function readOrder(queryClient: QueryClient, orderId: string): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['orders', 'detail', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['orders', 'timeline', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['planning', 'order', orderId] }),
  ]);
}

/** Does not cancel running reads: on a slow line, frequent events would otherwise prevent any from finishing. */
export function readLists(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: LISTS_KEY }, { cancelRefetch: false });
}

/** A running read would overwrite cards merged before it ends. */
export function areListsRead(queryClient: QueryClient): boolean {
  return queryClient.isFetching({ queryKey: LISTS_KEY }) > 0;
}

/** For the user's own actions: a running read may predate the action, so it is canceled and restarted. */
export function refetchLists(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: LISTS_KEY, fetchStatus: 'fetching' });
}
