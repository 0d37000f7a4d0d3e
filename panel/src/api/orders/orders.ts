// Orders: the board, one order, its timeline, and its actions.
import { queryOptions, useMutation, useQueryClient, type QueryClient, type QueryState } from '@tanstack/react-query';
import { useMemo } from 'react';
import { liveOrders } from '../../../../src/contract/panel/live.ts';
import { timelineApi, type TimelineDelivery } from '../../../../src/contract/panel/orders/timeline.ts';
import {
  ordersApi,
  type BoardOrder,
  type CancelRequest,
  type CommandRequest,
  type DropoffRequest,
} from '../../../../src/contract/panel/orders/orders.ts';
import { useLiveEvent } from '../live/live.ts';
import { urlOf } from '../../../../src/contract/panel/route-url.ts';
import { api } from '../client.ts';
import { createCardReader, takeIn } from './cards.ts';
import { BOARD_KEY, readLists, refetchLists, readOrder, SEARCH_KEY } from './updates.ts';
import { readWebhooksAgain } from '../webhooks/refetch.ts';

/** Limits how old shown data gets when no event covers a change, such as a new plan. */
const READ_EVERY_MS = 30_000;
const MIN_WAIT_MS = 1000;

/** Counted from the last read: a fixed interval would restart with each merged card. */
function untilNextReading(state: QueryState): number {
  if (state.fetchStatus !== 'idle') return READ_EVERY_MS;
  const readAtMs = Math.max(state.dataUpdatedAt, state.errorUpdatedAt);
  return Math.min(READ_EVERY_MS, Math.max(MIN_WAIT_MS, readAtMs + READ_EVERY_MS - Date.now()));
}

export const boardQuery = queryOptions({
  queryKey: BOARD_KEY,
  queryFn: ({ signal }) => api.call(ordersApi.list, { signal }),
  // The live stream keeps it fresh.
  staleTime: 60_000,
  refetchInterval: ({ state }) => untilNextReading(state),
});

export function searchQuery(text: string) {
  return queryOptions({
    queryKey: [...SEARCH_KEY, text],
    queryFn: ({ signal }) => api.call(ordersApi.list, { query: { q: text }, signal }),
    enabled: text !== '',
    refetchInterval: ({ state }) => untilNextReading(state),
  });
}

export function orderQuery(orderId: string) {
  return queryOptions({
    queryKey: ['orders', 'detail', orderId],
    queryFn: ({ signal }) => api.call(ordersApi.read, { params: { orderId }, signal }),
    refetchInterval: READ_EVERY_MS,
  });
}

export function courierPhotoUrl(orderId: string, at: string): string {
  return urlOf(ordersApi.readCourierPhoto, { params: { orderId }, query: { at } });
}

const WATCH_MS = 3000;
/** Poll interval while an attempt is running or due. */
const WATCH_CLOSELY_MS = 1000;

export function timelineQuery(orderId: string) {
  return queryOptions({
    queryKey: ['orders', 'timeline', orderId],
    queryFn: ({ signal }) => api.call(timelineApi.read, { params: { orderId }, signal }),
    // The stream covers orders, not attempts, so attempts are polled while more are expected.
    refetchInterval: ({ state }) => timelineWatchMs(state.data?.deliveries ?? [], Date.now()),
  });
}

export function timelineWatchMs(deliveries: readonly TimelineDelivery[], nowMs: number): number | false {
  // Held deliveries count as open: they are sent once a URL is set, possibly by another user.
  const open = deliveries.filter(({ state }) => state !== 'delivered' && state !== 'discarded');
  if (open.length === 0) return false;
  const isNear = open.some(
    ({ state, nextAttemptAt }) =>
      state === 'sending' || (state === 'waiting' && Date.parse(nextAttemptAt ?? '') <= nowMs),
  );
  return isNear ? WATCH_CLOSELY_MS : WATCH_MS;
}

export function useCommand(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: CommandRequest) => api.call(ordersApi.command, { params: { orderId }, body }),
    onSuccess: ({ order }) => showDone(queryClient, order),
    onError: () => showWhatIs(queryClient, orderId),
  });
}

export function useCancel(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: CancelRequest) => api.call(ordersApi.cancel, { params: { orderId }, body }),
    onSuccess: ({ order }) => showDone(queryClient, order),
    onError: () => showWhatIs(queryClient, orderId),
  });
}

export function useFixDropoff(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: DropoffRequest) => api.call(ordersApi.fixDropoff, { params: { orderId }, body }),
    onSuccess: ({ order }) => showDone(queryClient, order),
    onError: () => showWhatIs(queryClient, orderId),
  });
}

export function useBulkApproval() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (orderIds: string[]) => api.call(ordersApi.approve, { body: { orderIds } }),
    onSettled: () => readLists(queryClient),
  });
}

export function useResend(orderId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (eventId: string) => api.call(timelineApi.resend, { params: { orderId, eventId } }),
    onSuccess: () => readWebhooksAgain(queryClient),
  });
}

/** For the board's page: refetches only the changed cards. The shell handles all other effects of order events. */
export function useLiveCards(): void {
  const queryClient = useQueryClient();
  const hear = useMemo(() => {
    const readCards = createCardReader(queryClient, (ids) =>
      api.call(ordersApi.list, { query: { ids: ids.join(',') } }),
    );
    return (data: unknown) => readCards(liveOrders.parse(data).orders.map(({ id }) => id));
  }, [queryClient]);
  useLiveEvent('orders', hear);
}

function showDone(queryClient: QueryClient, order: BoardOrder): void {
  takeIn(queryClient, [order]);
  void refetchLists(queryClient);
  void readOrder(queryClient, order.id);
}

/** Another user may have acted first, so refetch the current state. */
function showWhatIs(queryClient: QueryClient, orderId: string): void {
  void readLists(queryClient);
  void readOrder(queryClient, orderId);
}
