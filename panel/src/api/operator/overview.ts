// Operators' view of the whole installation.
import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { auditLogApi } from '../../../../src/contract/panel/operator/audit-log.ts';
import { overviewApi } from '../../../../src/contract/panel/operator/overview.ts';
import { impersonationApi } from '../../../../src/contract/panel/people/session.ts';
import { paths } from '../../paths.ts';
import { api } from '../client.ts';
import { useFreshStart } from '../people/session.ts';

/** For data not covered by the live stream: endpoints, nodes, mail. */
const OVERVIEW_WATCH_MS = 10_000;
const AUDIT_WATCH_MS = 15_000;

export const overviewQuery = queryOptions({
  queryKey: ['operator', 'overview'],
  queryFn: ({ signal }) => api.call(overviewApi.read, { signal }),
  refetchInterval: OVERVIEW_WATCH_MS,
});

export const settingsInForceQuery = queryOptions({
  queryKey: ['operator', 'settings'],
  queryFn: ({ signal }) => api.call(auditLogApi.readSettings, { signal }),
});

export interface AuditFilters {
  actor?: string | undefined;
  action?: string | undefined;
  restaurantId?: string | undefined;
  /** RFC 3339. */
  from?: string | undefined;
  until?: string | undefined;
}

export function auditLogQuery(filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['operator', 'audit', filters],
    queryFn: ({ signal, pageParam }) =>
      api.call(auditLogApi.search, { query: { ...filters, before: pageParam }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    // Entries come from actions on other pages, and users expect theirs as soon as they return.
    staleTime: 0,
    // No refetch once older pages are loaded, so that rows do not move while reading.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : AUDIT_WATCH_MS),
  });
}

/** The part of a query that a paged list renders. */
export type PagedQuery<Page> = Pick<
  UseInfiniteQueryResult<InfiniteData<Page>>,
  'data' | 'isPending' | 'isError' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

export interface Impersonation {
  restaurantId: string;
  /** Opens this order instead of the restaurant's board. */
  orderId?: string;
}

/** Impersonates a restaurant: the panel then shows the owner's view, with a bar that leads back. */
export function useSignInAs() {
  const resetSession = useFreshStart();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ restaurantId }: Impersonation) => api.call(impersonationApi.begin, { body: { restaurantId } }),
    onSuccess: async (_, { orderId }) => {
      await resetSession();
      await navigate(orderId === undefined ? paths.orders() : paths.order(orderId));
    },
  });
}
