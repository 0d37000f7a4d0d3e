// Webhooks: the log, single webhooks, figures, and tools for receivers.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { webhookHealthApi } from '../../../../src/contract/panel/webhooks/health.ts';
import {
  webhooksApi,
  type FigureRange,
  type SignatureRequest,
} from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { api } from '../client.ts';
import { readWebhooksAgain } from './refetch.ts';

const LOG_WATCH_MS = 5_000;
const DETAIL_WATCH_MS = 3_000;
const FIGURES_WATCH_MS = 60_000;

export interface LogFilters {
  endpoint?: string | undefined;
  outcome?: string | undefined;
  order?: string | undefined;
  /** RFC 3339. */
  from?: string | undefined;
  until?: string | undefined;
}

export function webhookLogQuery(filters: LogFilters) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', 'log', filters],
    queryFn: ({ signal, pageParam }) =>
      api.call(webhooksApi.search, { query: { ...filters, before: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    // No refetch once older pages are loaded, so that rows do not move while reading.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LOG_WATCH_MS),
  });
}

export function webhookQuery(eventId: string) {
  return queryOptions({
    queryKey: ['webhooks', 'event', eventId],
    queryFn: ({ signal }) => api.call(webhooksApi.read, { params: { eventId }, signal }),
    refetchInterval: DETAIL_WATCH_MS,
  });
}

export const webhookHealthQuery = queryOptions({
  queryKey: ['webhooks', 'health'],
  queryFn: ({ signal }) => api.call(webhookHealthApi.read, { signal }),
});

export function figuresQuery(range: FigureRange) {
  return queryOptions({
    queryKey: ['webhooks', 'figures', range],
    queryFn: ({ signal }) => api.call(webhooksApi.readFigures, { query: { range }, signal }),
    refetchInterval: FIGURES_WATCH_MS,
  });
}

export function failedCountQuery(since: string | null) {
  return queryOptions({
    queryKey: ['webhooks', 'failed', since],
    queryFn: ({ signal }) => api.call(webhooksApi.countFailed, { query: { since: since ?? undefined }, signal }),
    enabled: since !== null,
    staleTime: 0,
  });
}

export function useResendFailed() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (since: string) => api.call(webhooksApi.resendFailed, { body: { since } }),
    onSuccess: () => readWebhooksAgain(queryClient),
  });
}

export function useDiscard() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (eventId: string) => api.call(webhooksApi.discard, { params: { eventId } }),
    onSuccess: () => readWebhooksAgain(queryClient),
  });
}

export function useSignatureCheck() {
  return useMutation({
    mutationFn: (body: SignatureRequest) => api.call(webhooksApi.checkSignature, { body }),
  });
}
