import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { restoreNoticeApi } from '../../../../src/contract/panel/operator/restore-notice.ts';
import { api } from '../client.ts';

const WATCH_MS = 60_000;

export const restoreNoticeQuery = queryOptions({
  queryKey: ['operator', 'restore-notice'],
  queryFn: ({ signal }) => api.call(restoreNoticeApi.read, { signal }),
  refetchInterval: WATCH_MS,
});

export function useDismissRestoreNotice() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (epochId: string) => api.call(restoreNoticeApi.dismiss, { params: { epochId } }),
    // Also on failure: another operator may have dismissed it.
    onSettled: () => queryClient.invalidateQueries(restoreNoticeQuery),
  });
}
