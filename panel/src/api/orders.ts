// Orders: the board, one order, its timeline, and what is done to them.
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { liveOrders } from '../../../src/contract/panel/live.ts';
import { resendAnswer, timelineAnswer, type TimelineDelivery } from '../../../src/contract/panel/order-timeline.ts';
import {
  boardAnswer,
  bulkAnswer,
  changeAnswer,
  orderDetail,
  type BoardOrder,
  type CancelRequest,
  type CommandRequest,
  type DropoffRequest,
} from '../../../src/contract/panel/orders.ts';
import { useLiveEvent } from '../live/live.ts';
import { mergeOrders } from './board-merge.ts';
import { api } from './client.ts';

export const boardQuery = queryOptions({
  queryKey: ['orders', 'board'],
  queryFn: ({ signal }) => api.get('/api/orders', boardAnswer, { signal }),
  // The live stream keeps it fresh.
  staleTime: 60_000,
});

export function searchQuery(text: string) {
  return queryOptions({
    queryKey: ['orders', 'search', text],
    queryFn: ({ signal }) => api.get('/api/orders', boardAnswer, { query: { q: text }, signal }),
    enabled: text !== '',
  });
}

export function orderQuery(orderId: string) {
  return queryOptions({
    queryKey: ['orders', 'detail', orderId],
    queryFn: ({ signal }) => api.get(`/api/orders/${orderId}`, orderDetail, { signal }),
  });
}

const WATCH_MS = 3000;
/** While an attempt is under way or due. */
const WATCH_CLOSELY_MS = 1000;

export function timelineQuery(orderId: string) {
  return queryOptions({
    queryKey: ['orders', 'timeline', orderId],
    queryFn: ({ signal }) => api.get(`/api/orders/${orderId}/timeline`, timelineAnswer, { signal }),
    // The stream tells of orders, not of attempts: those are looked for while some are to come.
    refetchInterval: ({ state }) => timelineWatchMs(state.data?.deliveries ?? [], Date.now()),
  });
}

export function timelineWatchMs(deliveries: readonly TimelineDelivery[], nowMs: number): number | false {
  const open = deliveries.filter(({ state }) => state === 'waiting' || state === 'sending');
  if (open.length === 0) return false;
  const isNear = open.some(
    ({ state, nextAttemptAt }) => state === 'sending' || Date.parse(nextAttemptAt ?? '') <= nowMs,
  );
  return isNear ? WATCH_CLOSELY_MS : WATCH_MS;
}

export function useCommand(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: CommandRequest) => api.post(`/api/orders/${orderId}/commands`, request, changeAnswer),
    onSuccess: ({ order }) => takeIn(queryClient, [order]),
    // Somebody else may have been faster: show what is.
    onError: () => readAgain(queryClient, orderId),
  });
}

export function useCancel(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: CancelRequest) => api.post(`/api/orders/${orderId}/cancel`, request, changeAnswer),
    onSuccess: ({ order }) => takeIn(queryClient, [order]),
    onError: () => readAgain(queryClient, orderId),
  });
}

export function useFixDropoff(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: DropoffRequest) => api.patch(`/api/orders/${orderId}/dropoff`, request, changeAnswer),
    onSuccess: ({ order }) => takeIn(queryClient, [order]),
  });
}

export function useBulkApproval() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (orderIds: string[]) => api.post('/api/orders/approve', { orderIds }, bulkAnswer),
    onSettled: () => readBoard(queryClient),
  });
}

export function useResend(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (eventId: string) => api.post(`/api/orders/${orderId}/deliveries/${eventId}/resend`, {}, resendAnswer),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['orders', 'timeline', orderId] }),
  });
}

/** More changes than this at once are cheaper to read as a whole. */
const MOST_SINGLE = 50;

/** Keeps the board and open orders as they are on the server. */
export function useLiveOrderQueries(): void {
  const queryClient = useQueryClient();
  const hear = useCallback(
    (data: unknown) => {
      const { orders } = liveOrders.parse(data);
      // A note changes an order without a new version, so an order that is named is always read.
      const ids = orders.map((order) => order.id);
      for (const id of ids) void readAgain(queryClient, id);
      const board = queryClient.getQueryState(boardQuery.queryKey);
      // A board that nobody has opened yet is read whole when they do.
      if (board === undefined) return;
      // An answer that is on its way would take back what is merged into the board before it comes.
      if (board.fetchStatus === 'fetching' || ids.length > MOST_SINGLE) void readBoard(queryClient);
      else void readCards(queryClient, ids);
    },
    [queryClient],
  );
  useLiveEvent('orders', hear);
}

async function readCards(queryClient: QueryClient, ids: readonly string[]): Promise<void> {
  try {
    const { orders } = await api.get('/api/orders', boardAnswer, { query: { ids: ids.join(',') } });
    takeIn(queryClient, orders);
  } catch {
    await readBoard(queryClient);
  }
}

/** News may come faster than a slow line brings the board: none of its answers is thrown away for the next one. */
function readBoard(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: boardQuery.queryKey }, { cancelRefetch: false });
}

function readAgain(queryClient: QueryClient, orderId: string): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['orders', 'detail', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['orders', 'timeline', orderId] }),
    queryClient.invalidateQueries({ queryKey: ['planning', 'order', orderId] }),
  ]);
}

function takeIn(queryClient: QueryClient, orders: readonly BoardOrder[]): void {
  queryClient.setQueryData(boardQuery.queryKey, (board) => board && mergeOrders(board, orders));
  for (const order of orders) void readAgain(queryClient, order.id);
}
